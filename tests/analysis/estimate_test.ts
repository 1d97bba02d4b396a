import assert from "node:assert/strict";
import { type Clustered, estimateMean, quantileSorted, shareOf } from "../../lib/analysis/mod.ts";
import { failed, Random, scored, skipped } from "../../lib/core/mod.ts";

function items(values: number[][]): Clustered[] {
  return values.flatMap((of, k) => of.map((v) => ({ cluster: `c${k}`, outcome: scored(v) })));
}

Deno.test("estimateMean() counts what has no score and leaves it out of the mean", () => {
  const e = estimateMean([
    ...items([[1], [0], [1], [1]]),
    { cluster: "c0", outcome: failed("host", "deadline") },
    { cluster: "c9", outcome: skipped("no partner") },
  ]);
  assert.equal(e.mean, 0.75);
  assert.deepEqual([e.scored, e.failed, e.skipped, e.clusters], [4, 1, 1, 4]);
  assert.ok(e.low! < 0.75 && e.high! > 0.75);
});

Deno.test("estimateMean() gives no interval without scores, clusters or spread, and says why", () => {
  assert.match(estimateMean([]).interval, /nothing scored/);
  assert.equal(estimateMean([]).mean, undefined);
  assert.match(estimateMean(items([[1], [0], [1]])).interval, /3 environments, needs 4/);
  assert.match(estimateMean(items([[1], [1], [1], [1]])).interval, /no spread/);
  assert.equal(estimateMean(items([[1], [1], [1], [1]])).low, undefined);
});

Deno.test("estimateMean() depends on the seed and not on the order of the records", () => {
  const list = items([[1, 0], [0, 0], [1, 1], [1, 0], [0, 1]]);
  assert.deepEqual(estimateMean(list), estimateMean([...list].reverse()));
  const uneven = list.map((item, i) => ({ ...item, outcome: scored(Math.sin(i)) }));
  assert.notEqual(estimateMean(uneven).low, estimateMean(uneven, { seed: 1 }).low);
});

Deno.test("estimateMean() stays within the observed range and widens with the clusters' spread", () => {
  const apart = estimateMean(items(Array.from({ length: 10 }, (_, k) => [k % 2, k % 2, k % 2])));
  const mixed = estimateMean(items(Array.from({ length: 10 }, () => [0, 1, 1]).with(0, [0, 0, 1])));
  assert.ok(apart.high! - apart.low! > 2 * (mixed.high! - mixed.low!));
  const rare = estimateMean(items([[1, 0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]));
  assert.equal(rare.low, 0);
});

Deno.test("estimateMean() covers the true mean in about 95 of 100 repetitions", () => {
  const random = new Random(7);
  let covered = 0;
  const repeats = 400;
  for (let r = 0; r < repeats; r++) {
    const values = Array.from({ length: 20 }, () => {
      const p = random.next();
      return Array.from({ length: 4 }, () => random.next() < p ? 1 : 0);
    });
    const { low, high } = estimateMean(items(values), { draws: 400, seed: r });
    if (low! <= 0.5 && high! >= 0.5) covered += 1;
  }
  assert.ok(covered / repeats > 0.92 && covered / repeats < 0.985, `covered ${covered}`);
});

Deno.test("shareOf() gives Wilson intervals within 0 and 1", () => {
  assert.deepEqual(shareOf(0, 0), { count: 0, of: 0 });
  const s = shareOf(10, 10);
  assert.equal(s.high, 1);
  assert.equal(shareOf(0, 10).low, 0);
  assert.ok(Math.abs(s.low! - 0.7225) < 1e-3);
  assert.ok(Math.abs(shareOf(5, 10).low! - 0.2366) < 1e-3);
});

Deno.test("quantileSorted() interpolates and has no value for an empty list", () => {
  assert.equal(quantileSorted([0, 1, 2, 3], 0.5), 1.5);
  assert.equal(quantileSorted([4], 0.9), 4);
  assert.ok(Number.isNaN(quantileSorted([], 0.5)));
});
