import assert from "node:assert/strict";
import { spectrumOf, tokenKernel, treeKernel, vectorKernel } from "../../../lib/analysis/mod.ts";
import { Random } from "../../../lib/core/mod.ts";
import { madePrograms, plainCosines } from "./help.ts";

Deno.test("tokenKernel() is the cosine of all runs of up to n tokens", () => {
  for (const [longest, counts] of [[1, false], [3, false], [1, true], [4, true]] as const) {
    const texts = madePrograms(9, 4, 6);
    const plain = plainCosines(texts.map((text) => text.split(" ")), longest, counts);
    const { values } = tokenKernel({ longest, counts }).matrix(texts);
    let at = 0;
    plain.forEach((row, i) =>
      row.slice(0, i + 1).forEach((value) => assert.ok(Math.abs(values[at++] - value) < 1e-12))
    );
  }
});

Deno.test("tokenKernel(): layout does not matter, empty texts are alike and like nothing else", () => {
  const { values } = tokenKernel().matrix(["a = b", "a=b\n", "", "c", " "]);
  const expected = [1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1];
  expected.forEach((value, i) => assert.ok(Math.abs(values[i] - value) < 1e-12, `${values}`));
});

Deno.test("treeKernel() is the Jaccard index of sets and always a kernel", () => {
  const random = new Random(1);
  const sets = Array.from(
    { length: 30 },
    () => Array.from({ length: random.integer(12) }, () => random.integer(20)),
  );
  const { values } = treeKernel().matrix(sets);
  let at = 0;
  sets.forEach((set, i) =>
    sets.slice(0, i + 1).forEach((other) => {
      const a = new Set(set), b = new Set(other), either = a.union(b).size;
      const expected = either === 0 ? 1 : a.intersection(b).size / either;
      assert.ok(Math.abs(values[at++] - expected) < 1e-12);
    })
  );
  assert.ok(spectrumOf(treeKernel().matrix(sets)).every((value) => value >= 0));
});

Deno.test("vectorKernel() is the cosine and refuses vectors of other lengths", () => {
  const { values } = vectorKernel().matrix([[1, 0], [1, 1], [-2, 0]]);
  [1, Math.SQRT1_2, 1, -1, -Math.SQRT1_2, 1].forEach((value, i) =>
    assert.ok(Math.abs(values[i] - value) < 1e-12)
  );
  assert.throws(() => vectorKernel().matrix([[1, 0], [1]]), /number 1 has 1 entries/);
});

Deno.test("tokenKernel(): counts let what every program has outweigh what it is about", () => {
  const frame = "self . a = self . b ( self . c ) ".repeat(12);
  const texts = [`${frame} lamp switch row`, `${frame} cipher wheel key`];
  const [, counted] = tokenKernel({ counts: true }).matrix(texts).values;
  const [, plain] = tokenKernel().matrix(texts).values;
  assert.ok(counted > 0.99 && plain < 0.9, `${counted} ${plain}`);
});
