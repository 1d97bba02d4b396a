import assert from "node:assert/strict";
import { Hangs, isHanging, withTurnstile } from "../../lib/loop/hanging.ts";
import { Turnstile } from "../../lib/loop/turnstile.ts";

Deno.test("Hangs gives an arm up at the second play that hangs", () => {
  const hangs = new Hangs();
  hangs.note({ hung: true });
  hangs.note({ hung: false });
  assert.equal(hangs.signal.aborted, false);
  hangs.note({ hung: true });
  assert.equal(hangs.signal.aborted, true);
  assert.deepEqual(
    [[true], [true, false, true]].map((all) => isHanging(all.map((hung) => ({ hung })))),
    [false, true],
  );
});

Deno.test("withTurnstile() passes results on and lets few requests through at a time", async () => {
  let inside = 0, most = 0;
  const step = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setTimeout(resolve, 2));
    inside -= 1;
    return { kind: "ok", value: inside };
  };
  const process = { step, maxTurns: 7 };
  const sandbox = { start: () => Promise.resolve({ kind: "ok", value: process }) };
  const turnstile = new Turnstile(2);
  await Promise.all(Array.from({ length: 6 }, async (_, place) => {
    const started = await withTurnstile(sandbox as never, turnstile, place).start("");
    assert.ok(started.kind === "ok");
    assert.equal(started.value.maxTurns, 7);
    assert.equal((await started.value.step("")).kind, "ok");
  }));
  assert.equal(most, 2);
});
