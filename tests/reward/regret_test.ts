import assert from "node:assert/strict";
import fc from "fast-check";
import { failed, Random, scored } from "../../lib/core/mod.ts";
import {
  agrestiMin,
  clippedNoise,
  clippedSignal,
  estimateRegret,
  measureRegret,
  noiseFloor,
  normalCumulative,
  type Pair,
  pairPlays,
  shrunkNoise,
} from "../../lib/reward/mod.ts";
import { close } from "./help.ts";

const play = fc.double({ min: -1, max: 1, noNaN: true });
const pairs = fc.array(fc.record({ plain: play, hinted: play }), { maxLength: 12 });

Deno.test("estimateRegret(): no finite input gives NaN, the interval holds the estimate", () => {
  fc.assert(
    fc.property(pairs, (list) => {
      const estimate = estimateRegret(list, { seed: 1, draws: 200 });
      if (list.length === 0) return assert.equal(estimate.outcome.kind, "skipped");
      assert(estimate.outcome.kind === "scored");
      const { low, high, interval, outcome: { value } } = estimate;
      if (low === null || high === null) return assert.match(interval, /^none: /);
      assert.equal(interval, "bootstrap-t");
      assert(low <= value && value <= high && low >= -2 && high <= 2);
    }),
    { numRuns: 60 },
  );
});

Deno.test("estimateRegret(): finite for returns of any size, refuses what is not finite", () => {
  const any = fc.double({ noNaN: true, min: -1e100, max: 1e100 });
  fc.assert(
    fc.property(fc.array(fc.record({ plain: any, hinted: any }), { minLength: 1 }), (list) => {
      const { low, high, noiseFloor, plainMean } = estimateRegret(list, { seed: 1, draws: 50 });
      for (const value of [low, high, noiseFloor, plainMean]) {
        assert(value === null || Number.isFinite(value));
      }
    }),
  );
  assert.throws(() => estimateRegret([{ plain: 0, hinted: NaN }], { seed: 1 }), RangeError);
});

Deno.test("intervals cover at least 92 % in a short simulation [D15]", () => {
  const random = new Random(13);
  const coin = () => random.next() < 0.5 ? 1 : 0, part = () => random.integer(5) / 4;
  for (const [n, draw] of [[8, coin], [16, coin], [8, part], [16, part]] as const) {
    let inside = 0, all = 0;
    for (let i = 0; i < 400; i++) {
      const list = Array.from({ length: n }, () => ({ plain: draw(), hinted: draw() }));
      const { low, high } = estimateRegret(list, { seed: i, draws: 400 });
      if (low === null || high === null) continue;
      all++;
      if (low <= 0 && high >= 0) inside++;
    }
    assert(inside / all >= 0.92, `${inside} of ${all} at n = ${n}`);
  }
});

Deno.test("estimateRegret() is seeded: same seed, same interval [D15]", () => {
  const random = new Random(5);
  const list = Array.from({ length: 16 }, () => ({ plain: 0, hinted: random.next() ** 6 }));
  assert.deepEqual(estimateRegret(list, { seed: 3 }), estimateRegret(list, { seed: 3 }));
  const turned = [...list].reverse();
  assert.deepEqual(estimateRegret(turned, { seed: 3 }), estimateRegret(list, { seed: 3 }));
  const highs = [...Array(5).keys()].map((seed) => estimateRegret(list, { seed }).high);
  assert.equal(new Set(highs).size, 5);
});

Deno.test("estimateRegret(): Agresti-Min for binary returns [D15]", () => {
  const list = pairsOf([[0, 1, 5], [1, 0, 1], [1, 1, 2]]);
  const { interval, low, high, outcome, plainMean, hintedMean } = estimateRegret(list, { seed: 1 });
  assert.equal(interval, "agresti-min");
  close(outcome, scored(0.5));
  assert.deepEqual([plainMean, hintedMean], [0.375, 0.875]);
  // By hand: b* = 5.5, c* = 1.5, n* = 10, difference .4, SE sqrt(7 - 1.6) / 10, t(9) = 2.262.
  close(low, 0.4 - 2.2622 * Math.sqrt(5.4) / 10, 1e-3);
  close(high, 0.4 + 2.2622 * Math.sqrt(5.4) / 10, 1e-3);
  const turned = agrestiMin(list.map(({ plain, hinted }) => ({ plain: hinted, hinted: plain })));
  close(turned.low, -high!);
});

Deno.test("estimateRegret(): no interval below 4 distinct pairs or without spread, with the reason [D15]", () => {
  const reason = (list: Pair[]) => {
    const { low, high, interval } = estimateRegret(list, { seed: 1 });
    assert.deepEqual([low, high], [null, null]);
    return interval;
  };
  assert.equal(reason(pairsOf([[0, 1, 2], [0, 0, 1]])), "none: fewer than 4 distinct pairs");
  assert.equal(reason(pairsOf([[0, 0.5, 9], [0.5, 0.25, 9]])), "none: fewer than 4 distinct pairs");
  assert.equal(reason(pairsOf([[0, 1, 8]])), "none: zero spread");
  const same = pairsOf([[0, 0.5, 1], [0.1, 0.6, 1], [0.2, 0.7, 1], [0.3, 0.8, 1]]);
  assert.equal(reason(same), "none: zero spread");
});

Deno.test("estimateRegret(): a narrow interval stays narrow, an asymmetric one asymmetric", () => {
  const random = new Random(2);
  const list = Array.from({ length: 16 }, () => ({ plain: 0, hinted: random.next() ** 6 }));
  const { low, high, hintedMean } = estimateRegret(list, { seed: 1 });
  assert(high! - hintedMean! > hintedMean! - low!);
});

Deno.test("pairPlays() pairs by seed only, whatever the order [D1]", () => {
  const at = (seed: number, value: number) => ({ seed, outcome: scored(value) });
  const plain = [at(1, 0), at(2, 1), at(3, 0)], hinted = [at(3, 1), at(1, 0.5), at(9, 1)];
  const wanted = [{ plain: 0, hinted: 0.5 }, { plain: 0, hinted: 1 }];
  assert.deepEqual(pairPlays(plain, hinted), wanted);
  assert.deepEqual(pairPlays([...plain].reverse(), [...hinted].reverse()), wanted);
  assert.throws(() => pairPlays([at(1, 0), at(1, 0)], []), /seed 1 occurs twice/);
});

Deno.test("[3.4] an outage in one arm makes regret missing, never +1 https://github.com/macanderson/stella/issues/3264 https://github.com/skillberry-ai/cap-evolve/pull/364 https://github.com/seangalliher/ProbOS/issues/1122", () => {
  const seeds = [...Array(8).keys()];
  const fine = seeds.map((seed) => ({ seed, outcome: scored(1) }));
  const down = seeds.map((seed) => ({ seed, outcome: failed("model", "deadline") }));
  for (const [plain, hinted] of [[down, fine], [fine, down], [down, down]]) {
    const { outcome, low, pairs } = measureRegret(plain, hinted, { seed: 1 });
    assert.deepEqual(outcome, { kind: "skipped", reason: "no pair scored in both arms" });
    assert.deepEqual([low, pairs], [null, 0]);
  }
  const half = seeds.map((seed) => seed < 4 ? down[seed] : { seed, outcome: scored(0.5) });
  close(measureRegret(half, fine, { seed: 1 }).outcome, scored(0.5));
});

Deno.test("measureRegret() with parity counts a failed hinted play as 0 and drops a failed plain one [D14]", () => {
  const fail = { seed: 1, outcome: failed("model", "deadline") };
  const win = { seed: 2, outcome: scored(1) };
  const estimate = measureRegret([fail, win], [fail, win], { seed: 1, parity: true });
  close(estimate.outcome, scored(-0.5));
  assert.equal(estimate.plainMean, 1);
});

Deno.test("noiseFloor() is .36 at 8 and .32 at 16 plays for spread .42", () => {
  close(noiseFloor(0.42, 8), 0.36, 0.005);
  close(noiseFloor(0.42, 16), 0.32, 0.007);
  close(noiseFloor(0.42, 32), 0.26, 0.005);
  assert.equal(noiseFloor(0, 8), 0);
  assert.throws(() => noiseFloor(-1, 8), RangeError);
});

Deno.test("noiseFloor() equals a simulation and rises with the spread", () => {
  const random = new Random(11);
  let sum = 0;
  const draws = 200_000;
  for (let i = 0; i < draws; i++) {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) *
      Math.cos(2 * Math.PI * random.next());
    sum += Math.min(1, Math.max(0, normal * 0.1 / 0.15));
  }
  close(clippedNoise(0.1), sum / draws, 0.005);
  fc.assert(fc.property(fc.double({ min: 0, max: 5, noNaN: true }), (spread) => {
    const floor = noiseFloor(spread, 8);
    assert(floor >= 0 && floor <= 0.5 && noiseFloor(spread + 0.01, 8) >= floor - 1e-12);
  }));
});

Deno.test("shrunkNoise() equals a simulation and lies below the published floor", () => {
  const random = new Random(12), draws = 200_000;
  for (const error of [0.05, 0.1, 0.21, 0.5]) {
    let sum = 0;
    for (let i = 0; i < draws; i++) {
      const normal = error * Math.sqrt(-2 * Math.log(1 - random.next())) *
        Math.cos(2 * Math.PI * random.next());
      sum += clippedSignal(normal * Math.max(0, 1 - error ** 2 / normal ** 2));
    }
    close(shrunkNoise(error), sum / draws, 0.005);
    assert(shrunkNoise(error) < clippedNoise(error));
  }
  assert.equal(shrunkNoise(0), 0);
  for (const error of [1e-6, 1e-3, 10, 1e6]) {
    assert(shrunkNoise(error) >= 0 && shrunkNoise(error) <= 0.17, `${error}`);
  }
});

Deno.test("normalCumulative() agrees with tables", () => {
  close(normalCumulative(0), 0.5);
  close(normalCumulative(1.959963984540054), 0.975, 1e-12);
  close(normalCumulative(-3), 0.0013498980316301, 1e-12);
});

function pairsOf(rows: [number, number, number][]): Pair[] {
  return rows.flatMap(([plain, hinted, count]) =>
    Array.from({ length: count }, () => ({ plain, hinted }))
  );
}
