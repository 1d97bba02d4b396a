import assert from "node:assert/strict";
import { type Known, Twins, type Written } from "../../lib/loop/twins.ts";

const nothing: Known = { trees: new Set(), similar: null };
const program = (treeHash: string, shingles: number[] = []): Written => ({
  id: `id of ${treeHash}`,
  treeHash,
  shingles,
});
const from = (start: number) => Array.from({ length: 10 }, (_, i) => start + i);
const near = (threshold: number, ...programs: Written[]): Known => ({
  ...nothing,
  similar: { threshold, programs: () => Promise.resolve(programs) },
});

Deno.test("Twins: the earlier place in the order (attempt, slot) keeps a program", async () => {
  const twins = new Twins(2, 2, nothing);
  const later = twins.judge(0, 1, program("tree"));
  twins.tell(0, 0, program("tree"));
  assert.equal((await later).verdict, "refuse");
  assert.equal((await twins.judge(0, 0, program("tree"))).verdict, "pass", "none is before it");
  twins.tell(0, 1, program("tree"));
  twins.leave(1, 0);
  assert.equal((await twins.judge(1, 1, program("other"))).verdict, "pass");
});

Deno.test("Twins: a program known before the set is nobody's to keep", async () => {
  const twins = new Twins(1, 1, { ...nothing, trees: new Set(["tree"]) });
  assert.equal((await twins.judge(0, 0, program("tree"))).verdict, "refuse");
});

Deno.test("Twins: whoever waits for a slot that failed gets its error, never a verdict", async () => {
  const twins = new Twins(1, 2, near(0.5));
  const later = twins.judge(0, 1, program("tree"));
  const near0 = new Twins(1, 2, near(0.5));
  near0.tell(0, 0, program("other", from(0)));
  const waiting = near0.judge(0, 1, program("tree", from(1)));
  for (const each of [twins, near0]) {
    each.fail(0, 0, new Error("engine gone"));
    each.leave(0, 0);
  }
  await assert.rejects(later, /engine gone/);
  await assert.rejects(waiting, /engine gone/);
});

Deno.test("Twins: near-duplicates only of what was accepted, whoever speaks first", async () => {
  // 9 of 11 pieces are shared.
  for (const accepted of [true, false]) {
    const twins = new Twins(1, 2, near(0.8));
    const later = twins.judge(0, 1, program("other", from(1)));
    let isOver = false;
    later.then(() => isOver = true);
    twins.tell(0, 0, program("tree", from(0)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(isOver, false, "its own verdict is not known yet");
    twins.settle(0, 0, accepted);
    const { verdict, evidence } = await later;
    assert.equal(verdict, accepted ? "refuse" : "pass");
    if (accepted) {
      assert.deepEqual(evidence, { nearest: "id of tree", share: 0.8182, threshold: 0.8 });
    }
  }
});

Deno.test("Twins: a program far from another does not wait for its verdict", async () => {
  const known = [program("a", from(100)), program("b", from(3))];
  const twins = new Twins(1, 2, near(0.9, ...known));
  twins.tell(0, 0, program("tree", from(1)));
  const { verdict, evidence } = await twins.judge(0, 1, program("other", from(0)));
  assert.deepEqual([verdict, evidence.nearest, evidence.share], ["pass", "id of b", 0.5385]);
  const strict = new Twins(1, 1, near(0.5, ...known));
  assert.equal((await strict.judge(0, 0, program("other", from(0)))).verdict, "refuse");
});
