import assert from "node:assert/strict";
import {
  clippedSignal,
  noiseDeviation,
  regretByRollout,
  regretHistogram,
  regretSummary,
} from "../../lib/analysis/mod.ts";
import { type RecordOf, scored, skipped } from "../../lib/core/mod.ts";
import { clippedNoise } from "../../lib/reward/mod.ts";

function regret(id: number, value: number, of: Partial<RecordOf<"regret">> = {}) {
  const base: RecordOf<"regret"> = {
    id: `g${id}`,
    rollout: id % 2,
    environmentId: `e${id}`,
    outcome: scored(value),
    pairs: 8,
    low: value - 0.3,
    high: value + 0.3,
    interval: "agresti-min",
    noiseFloor: 0.36,
    plainMean: 0.4,
    hintedMean: 0.4 + value,
  };
  return { ...base, ...of };
}

Deno.test("regretSummary() keeps regret and its clipped signal apart", () => {
  const s = regretSummary([regret(0, -0.25), regret(1, 0.075), regret(2, 0.5), regret(3, 0.15)]);
  assert.ok(Math.abs(s.regret.mean! - 0.11875) < 1e-12);
  assert.ok(Math.abs(s.signal.mean! - (0 + 0.5 + 1 + 1) / 4) < 1e-12);
  assert.equal(s.noiseFloor, 0.36);
  assert.deepEqual([s.above.count, s.around.count, s.below.count], [1, 3, 0]);
  assert.equal(s.pairs, 8);
});

Deno.test("regretSummary() counts missing regrets and records without interval", () => {
  const s = regretSummary([
    regret(0, 0.1, { low: null, high: null, noiseFloor: null }),
    regret(1, 0, { outcome: skipped("no pair scored in both arms") }),
  ]);
  assert.deepEqual([s.regret.scored, s.regret.skipped, s.withoutInterval], [1, 1, 1]);
  assert.equal(s.noiseFloor, undefined);
  assert.equal(regretSummary([]).regret.mean, undefined);
});

Deno.test("regretByRollout() has one summary a rollout", () => {
  const by = regretByRollout([regret(1, 1), regret(0, 0), regret(2, 0.5)]);
  assert.deepEqual(by.map((s) => [s.rollout, s.regret.mean]), [[0, 0.25], [1, 1]]);
});

Deno.test("clippedSignal() rises from 0 to 1 over .15", () => {
  assert.deepEqual([-1, 0, 0.15, 2].map(clippedSignal), [0, 0, 1, 1]);
});

Deno.test("noiseDeviation() inverts the noise floor", () => {
  for (const sigma of [0.02, 0.15, 0.21, 0.6]) {
    assert.ok(Math.abs(noiseDeviation(clippedNoise(sigma)) - sigma) < 1e-6);
  }
  assert.ok(noiseDeviation(0) < 1e-3);
});

Deno.test("regretHistogram() counts every regret once and expects as many by chance", () => {
  const rows = Array.from({ length: 40 }, (_, i) => regret(i, (i % 9 - 4) / 8));
  rows.push(regret(99, 0, { noiseFloor: null }));
  const bins = regretHistogram(rows);
  assert.equal(bins.reduce((sum, b) => sum + b.count, 0), 41);
  const expected = bins.reduce((sum, b) => sum + b.byChance, 0);
  assert.ok(expected > 39 && expected <= 41 + 1e-9);
  assert.equal(bins.find((b) => b.low < 0 && b.high > 0)!.count, 5);
});
