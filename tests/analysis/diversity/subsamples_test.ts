import assert from "node:assert/strict";
import {
  estimateVendi,
  subsampleCurve,
  symmetricOf,
  tokenKernel,
  vectorKernel,
  vendiInterval,
  vendiScore,
} from "../../../lib/analysis/mod.ts";
import { Random } from "../../../lib/core/mod.ts";
import { madePrograms } from "./help.ts";

Deno.test("subsampleCurve() rises to the score of all and is flat for copies", () => {
  const kernel = tokenKernel().matrix(madePrograms(40));
  const curve = subsampleCurve(kernel);
  assert.deepEqual(curve.map(({ n }) => n), [8, 16, 32, 40]);
  curve.reduce((a, b) => (assert.ok(b.mean > a.mean), b));
  assert.equal(curve[3].mean, vendiScore(kernel));
  assert.deepEqual(subsampleCurve(kernel), curve);
  assert.notDeepEqual(subsampleCurve(kernel, { seed: 1 })[0], curve[0]);
  const same = subsampleCurve(symmetricOf(20, () => 1), { sizes: [2, 20] });
  same.forEach(({ mean }) => assert.ok(Math.abs(mean - 1) < 1e-9));
  assert.throws(() => subsampleCurve(kernel, { sizes: [41] }), /Cannot draw 41 of 40/);
  assert.deepEqual(subsampleCurve(symmetricOf(0, () => 1)), []);
});

/** One of 12 kinds, the first more often than not: a set of sources half collapsed. */
function collapsed(n: number, random: Random) {
  return vectorKernel().matrix(Array.from({ length: n }, () => {
    const kind = random.next() < 0.6 ? 0 : 1 + random.integer(11);
    return Array.from({ length: 12 }, (_, i) => Number(i === kind));
  }));
}

Deno.test("vendiInterval() covers the mean of other samples in about 95 of 100", () => {
  const random = new Random(5), n = 60, times = 150;
  let sum = 0, covered = 0;
  for (let i = 0; i < 300; i++) sum += Math.log(vendiScore(collapsed(n, random)));
  const truth = Math.exp(sum / 300);
  for (let seed = 0; seed < times; seed++) {
    const { low, high } = vendiInterval(collapsed(n, random), { seed, draws: 60 });
    if (low! <= truth && truth <= high!) covered++;
  }
  assert.ok(covered / times > 0.88 && covered / times < 1, `${covered} of ${times}`);
});

Deno.test("vendiInterval() is seeded and says why there is none", () => {
  const kernel = collapsed(30, new Random(2));
  assert.deepEqual(vendiInterval(kernel, { draws: 20 }), vendiInterval(kernel, { draws: 20 }));
  assert.match(vendiInterval(kernel, { draws: 20 }).interval, /bootstrap of 15 out of 30/);
  assert.match(vendiInterval(collapsed(5, new Random(1))).interval, /none: 5 items, needs 8/);
  assert.match(vendiInterval(symmetricOf(9, () => 1)).interval, /none: no spread/);
});

Deno.test("estimateVendi() encloses the exact score as often as it says, within one per cent", () => {
  const kernel = tokenKernel({ longest: 2 }).matrix(madePrograms(300, 1, 60));
  for (const q of [0.5, 1, 2, 3]) {
    const exact = vendiScore(kernel, { q });
    let inside = 0;
    for (let seed = 0; seed < 10; seed++) {
      const { score, low, high } = estimateVendi(kernel, { q, seed });
      assert.ok(low <= score && score <= high);
      assert.ok(Math.abs(score / exact - 1) < 0.01, `q ${q}: ${score}, not ${exact}`);
      if (low <= exact && exact <= high) inside++;
    }
    assert.ok(inside >= 8, `q ${q}: ${inside} of 10`);
  }
});

Deno.test("estimateVendi() is exact where few eigenvalues differ, and refuses what it cannot", () => {
  for (
    const kernel of [
      symmetricOf(64, () => 1),
      symmetricOf(64, (i, j) => Number(i === j)),
      symmetricOf(64, (i, j) => Number(i % 8 === j % 8)),
    ]
  ) {
    const { score, low, high } = estimateVendi(kernel), exact = vendiScore(kernel);
    assert.ok(Math.abs(score / exact - 1) < 1e-9, `${score}, not ${exact}`);
    assert.ok(low <= exact * (1 + 1e-9) && exact <= high * (1 + 1e-9), `${low} ${high}`);
    assert.ok(high / low < 1 + 1e-6, `${low} ${high}`);
  }
  const few = symmetricOf(19, () => 1);
  assert.throws(() => estimateVendi(few), /19 items, must be 20 or more/);
  assert.throws(() => estimateVendi(few, { q: Infinity }), /must be above 0 and finite/);
});
