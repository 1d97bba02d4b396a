import assert from "node:assert/strict";
import fc from "fast-check";
import {
  spectrumOf,
  spectrumOfVectors,
  symmetricOf,
  tokenKernel,
  tokensOf,
  vectorKernel,
  vendiOf,
  vendiScore,
} from "../../../lib/analysis/mod.ts";
import { madePrograms, packed, plainCosines, plainVendi } from "./help.ts";

const orders = [0, 0.3, 1, 2, 5, Infinity];

function close(found: number, expected: number, within = 1e-9) {
  assert.ok(Math.abs(found / expected - 1) <= within, `${found}, not ${expected}`);
}

Deno.test("vendiScore(): n identical items score 1, n without anything in common score n", () => {
  for (const q of orders) {
    for (const n of [1, 2, 7, 40]) {
      close(vendiScore(symmetricOf(n, () => 1), { q }), 1);
      close(vendiScore(symmetricOf(n, (i, j) => Number(i === j)), { q }), n);
    }
  }
});

Deno.test("vendiScore(): every item twice, or weighed twice, changes nothing", () => {
  const texts = madePrograms(12), kernel = tokenKernel();
  const once = kernel.matrix(texts), twice = kernel.matrix([...texts, ...texts]);
  for (const q of orders) {
    close(vendiScore(twice, { q }), vendiScore(once, { q }));
    const weights = texts.map((_, i) => i < 6 ? 2 : 1);
    const some = kernel.matrix([...texts, ...texts.slice(0, 6)]);
    close(vendiScore(once, { q, weights }), vendiScore(some, { q }));
  }
});

Deno.test("vendiScore() agrees to 1e-9 with the definition, n-grams counted and eigenvalues found plainly", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 14 }), fc.nat(1000), (n, seed) => {
      const texts = madePrograms(n, seed, 8);
      const plain = plainCosines(texts.map((text) => text.split(" ")), 4);
      const kernel = tokenKernel().matrix(texts);
      for (const q of orders.slice(1)) close(vendiScore(kernel, { q }), plainVendi(plain, q));
    }),
    { numRuns: 20 },
  );
});

Deno.test("vendiOf() lies in [1, n], falls with q and runs through q = 1 without a step", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }),
      (values) => {
        const sum = values.reduce((a, b) => a + b, 0);
        fc.pre(sum > 1e-3);
        const spectrum = values.map((value) => value / sum);
        const scores = [0, 0.5, 1 - 1e-7, 1, 1 + 1e-7, 2, 9, Infinity].map((q) =>
          vendiOf(spectrum, q)
        );
        scores.reduce((a, b) => (assert.ok(b <= a * (1 + 1e-9), `${scores}`), b));
        assert.ok(scores[0] <= values.length && scores[7] >= 1 - 1e-9);
        close(scores[2], scores[3], 1e-5);
        close(scores[4], scores[3], 1e-5);
      },
    ),
  );
  assert.ok(Number.isNaN(vendiOf([])));
  assert.throws(() => vendiOf([1], -1), /order q is -1, must be 0 or more/);
});

Deno.test("spectrumOf() says what is no kernel", () => {
  assert.throws(
    () => spectrumOf(packed([[1, 0], [0, 0.5]])),
    /item 1 with itself is 0.5, must be 1/,
  );
  const odd = packed([[1, 0.9, 0], [0.9, 1, 0.9], [0, 0.9, 1]]);
  assert.throws(() => spectrumOf(odd), /an eigenvalue is -0\.09.*must not be negative/);
  assert.throws(() => spectrumOf(packed([[1]]), { weights: [0] }), /Cannot weigh 1 items/);
});

Deno.test("spectrumOfVectors(): the smaller side has the same spectrum", () => {
  const vectors = madePrograms(40, 2).map((text) =>
    Array.from(
      { length: 6 },
      (_, k) => text.split(` w${k} `).length + Number(text.length % (k + 2)),
    )
  );
  const small = spectrumOfVectors(vectors), all = spectrumOf(vectorKernel().matrix(vectors));
  assert.equal(small.length, 6);
  small.forEach((value, i) => assert.ok(Math.abs(value - all[i]) < 1e-13));
  close(vendiOf(small), vendiOf(all));
  assert.throws(() => spectrumOfVectors([[1, 2], [0, 0]]), /number 1 has 2 entries and length 0/);
});

Deno.test("tokensOf() parts words, numbers and signs", () => {
  assert.deepEqual(tokensOf("self.x_1+= 3.5 # é\n\t'a b'"), [
    ..."self . x_1 + = 3.5 # é '".split(" "),
    ..."a b '".split(" "),
  ]);
});
