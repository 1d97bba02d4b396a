import assert from "node:assert/strict";
import { Twins } from "../../lib/loop/twins.ts";

Deno.test("Twins: the earlier place in the order (attempt, slot) keeps a program", async () => {
  const twins = new Twins(2, 2);
  const later = twins.isTwin(0, 1, "tree");
  twins.tell(0, 0, "tree");
  assert.equal(await later, true);
  assert.equal(await twins.isTwin(0, 0, "tree"), false, "nobody is before the first");
  twins.tell(0, 1, "tree");
  twins.leave(1, 0);
  assert.equal(await twins.isTwin(1, 1, "other"), false);
});

Deno.test("Twins: whoever waits for a slot that failed gets its error, never a verdict", async () => {
  const twins = new Twins(1, 2);
  const later = twins.isTwin(0, 1, "tree");
  twins.fail(0, 0, new Error("engine gone"));
  twins.leave(0, 0);
  await assert.rejects(later, /engine gone/);
});
