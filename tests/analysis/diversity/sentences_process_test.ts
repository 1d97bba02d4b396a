import assert from "node:assert/strict";
import {
  entryAt,
  sentenceVectors,
  spectrumOfVectors,
  vectorKernel,
  vendiOf,
} from "../../../lib/analysis/mod.ts";

Deno.test({
  name: "sentenceVectors() embeds offline: like programs are nearer than unlike ones",
  permissions: { read: true, net: false, env: false, run: false, write: false },
  async fn() {
    const vectors = await sentenceVectors([
      "def f(x):\n    return x * x + 1",
      "def g(y):\n    return y ** 2 + 1",
      "The lighthouse keeper fed his cat.",
    ]);
    assert.deepEqual(vectors.map(({ length }) => length), [512, 512, 512]);
    const kernel = vectorKernel().matrix(vectors);
    assert.ok(entryAt(kernel, 0, 1) > entryAt(kernel, 0, 2) + 0.1);
    const score = vendiOf(spectrumOfVectors(vectors));
    assert.ok(score > 1 && score < 3);
  },
});
