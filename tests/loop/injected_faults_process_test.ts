/** Faults of programs in a twentieth of the plays: real crashes, hangs and wrong types behind the real wall. */
import assert from "node:assert/strict";
import type { RecordOf } from "../../lib/core/mod.ts";
import type { Loop } from "../../lib/loop/mod.ts";
import { Store } from "../../lib/store/mod.ts";
import { folder, runSmall, smallConfig, withPrograms } from "./support.ts";

/** The program, but for one instance in twenty, which crashes, hangs or answers with a wrong type at its first step. */
function faulty(source: string, className: string): string {
  return `${source}

class _Faulty(${className}):
    def reset(self, seed=None):
        self._fault = seed % 3 if seed // 3 % 20 == 7 else None
        return super().reset(seed)

    def step(self, action):
        if self._fault == 0:
            raise RuntimeError("injected")
        while self._fault == 1:
            pass
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, "1" if self._fault == 2 else reward, terminated, truncated, info

_Faulty.__name__ = "${className}"
${className} = _Faulty
del _Faulty
`;
}

/** The loop with a sandbox that plays faulty versions of the accepted programs; gates see the programs themselves. */
function withFaults(loop: Loop): Loop {
  return withPrograms(loop, (source, { className }) => faulty(source, className));
}

type Play = RecordOf<"play">;
const isScored = (play: Play) => play.outcome.kind === "scored";
const advantagesOf = (store: Store) =>
  new Map(store.get("batch", "u0")!.sequences.map(({ unit, advantage }) => [unit, advantage]));

/** Advantages of one group by hand: the mean and population deviation of its scored plays. */
function byHand(group: readonly Play[]): Map<string, number> {
  const values = group.map(({ outcome }) => outcome.kind === "scored" ? outcome.value : NaN);
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, r) => sum + (r - mean) ** 2, 0) / values.length);
  return new Map(
    group.map(({ id }, i) => [id, spread === 0 ? 0 : (values[i] - mean) / (spread + 1e-8)]),
  );
}

const link = "https://github.com/NVIDIA-NeMo/RL/issues/431";
Deno.test(`crashes, hangs and bad types in 5 % of the plays change no other advantage (C 3.1, ${link})`, async () => {
  using clean = folder();
  using broken = folder();
  const config = smallConfig("rollouts=1", "delay=0", "epoch=1", "plays=12");
  await runSmall({ dir: clean.path, config });
  await runSmall({ dir: broken.path, config, wrap: withFaults });
  using a = Store.open(clean.path, { readonly: true });
  using b = Store.open(broken.path, { readonly: true });

  const failed = b.all("play").filter((play) => !isScored(play));
  const reasons = new Set(failed.map(({ outcome }) => "reason" in outcome ? outcome.reason : ""));
  assert.deepEqual(reasons, new Set(["exception", "deadline", "contract"]), "all three kinds");
  assert.ok(failed.length < 0.15 * b.count("play"), `${failed.length} of ${b.count("play")}`);
  for (const { outcome } of failed) {
    assert.equal(outcome.kind === "failed" && outcome.blame, "designer");
  }

  const [before, after] = [advantagesOf(a), advantagesOf(b)];
  for (const { id } of failed) assert.equal(after.has(id), false, `${id} was trained`);
  const groups = Map.groupBy(
    b.all("play", { where: { arm: "plain" } }),
    (play) => play.environmentId,
  );
  let untouched = 0;
  for (const group of groups.values()) {
    for (const play of group.filter(isScored)) {
      const same = a.get("play", play.id);
      if (same) assert.deepEqual(play.outcome, same.outcome, "the other plays go on as they were");
    }
    const expected = byHand(group.filter(isScored));
    for (const [id, advantage] of expected) {
      assert.ok(
        Math.abs(after.get(id)! - advantage) < 1e-9,
        `${id}: ${after.get(id)} ${advantage}`,
      );
    }
    if (!group.every(isScored)) continue;
    untouched += 1;
    const shared = group.filter(({ id }) => before.has(id));
    assert.deepEqual(
      shared.map(({ id }) => after.get(id)),
      shared.map(({ id }) => before.get(id)),
      "a group without a fault has the same advantages, to the bit",
    );
  }
  assert.ok(untouched > 0 && untouched < groups.size, `${untouched} of ${groups.size} groups`);
});
