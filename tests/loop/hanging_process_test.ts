/** A program that hangs in every play costs little and changes nothing for the others. */
import assert from "node:assert/strict";
import type { Loop } from "../../lib/loop/mod.ts";
import { compareRuns, Store } from "../../lib/store/mod.ts";
import { folder, runSmall, smallConfig, withDelays, withPrograms } from "./support.ts";

/** The loop in which the program of one slot hangs in its plays, not in its gates; `starts` counts its processes. */
function withHang(loop: Loop, starts: { count: number }): Loop {
  return withPrograms(loop, (source, { className, replyId }) => {
    if (!replyId?.startsWith("r0/s1/")) return source;
    starts.count += 1;
    return `${source}\n\ndef _hang(self, action):\n    while True:\n        pass\n\n` +
      `${className}.step = _hang\n`;
  });
}

Deno.test("a program that hangs in every play is given up; the others play as they would", async () => {
  using clean = folder();
  using first = folder();
  using second = folder();
  const config = smallConfig("rollouts=2", "sandbox.requestCpuSeconds=1", "plays=12");
  const starts = { count: 0 };
  await runSmall({ dir: clean.path, config });
  const began = performance.now();
  await runSmall({ dir: first.path, config, wrap: (loop) => withHang(loop, starts) });
  const seconds = (performance.now() - began) / 1000;
  await runSmall({
    dir: second.path,
    config,
    wrap: (loop) => withDelays(withHang(loop, starts), 7),
  });
  using a = Store.open(clean.path, { readonly: true });
  using b = Store.open(first.path, { readonly: true });
  using c = Store.open(second.path, { readonly: true });
  assert.deepEqual(compareRuns(b, c), [], "whichever play was seen to hang first");

  const reply = b.all("reply").find(({ id, accepted }) => accepted && id.startsWith("r0/s1/"))!;
  const isOf = ({ environmentId }: { environmentId: string }) =>
    environmentId === reply.environmentId;
  const hung = b.all("play").filter(isOf);
  assert.equal(hung.length, 24, "both arms, and none in the second rollout");
  for (const { outcome, turns, hung: hangs } of hung) {
    assert.ok(hangs && turns === 0);
    assert.ok(outcome.kind === "failed" && /given up/.test(outcome.detail ?? ""));
  }
  const others = (store: Store) =>
    store.all("play", { where: { rollout: 0 } }).filter((play) => !isOf(play));
  assert.deepEqual(others(b), others(a));
  // 24 plays that hang for a second of CPU each would take all processors for long
  assert.ok(seconds < 60, `${seconds} s`);
});
