import assert from "node:assert/strict";
import fc from "fast-check";
import { hasNoSpread, meanScored, Random, scored, sumOf } from "../../lib/core/mod.ts";

const unit = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1 });

Deno.test("sumOf(): a mean at an offset of 1e8 is as exact as its values, in any order", () => {
  fc.assert(
    fc.property(unit, fc.nat(), (values, seed) => {
      const many = Array.from({ length: 200 }, () => values).flat();
      const shifted = many.map((value) => value + 1e8);
      const mean = sumOf(shifted) / shifted.length - 1e8;
      assert(Math.abs(mean - sumOf(many) / many.length) <= 3e-8);
      const turned = new Random(seed).shuffle(shifted);
      assert(Math.abs(sumOf(turned) - sumOf(shifted)) <= 1e-12 * Math.abs(sumOf(shifted)));
    }),
    { numRuns: 30 },
  );
});

Deno.test("sumOf(): empty is 0, what is not finite stays so", () => {
  assert.equal(sumOf([]), 0);
  assert.equal(sumOf([1e308, 1e308]), Infinity);
  assert(Number.isNaN(sumOf([1, NaN])));
  assert.equal(meanScored([0.1, 0.2, 0.3].map(scored)).mean, 0.6 / 3);
});

Deno.test("hasNoSpread(): residue relative to the largest value is none [D17]", () => {
  assert(hasNoSpread([]) && hasNoSpread([0.7]) && hasNoSpread([0.1 + 0.2, 0.3]));
  assert(!hasNoSpread([0, 1e-8]));
  assert(hasNoSpread([1e8, 1e8 + 0.05]) && !hasNoSpread([1e8, 1e8 + 0.2]));
});
