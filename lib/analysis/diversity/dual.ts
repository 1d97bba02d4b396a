/**
 * Spectra of vectors by the smaller side: n unit vectors of d entries, as the rows of X, have X·Xᵀ/n (n × n) and
 * Xᵀ·X/n (d × d) with the same eigenvalues but for zeros. Exact where the kernel is a plain cosine; d < n is
 * cheaper.
 * @module
 */
import { overwriteEigenvalues } from "./eigenvalues.ts";
import { unitVectors, vectorKernel } from "./kernels.ts";
import { rowStart } from "./symmetric.ts";
import { asSpectrum, spectrumOf } from "./vendi.ts";

/**
 * Spectrum of the cosine kernel of vectors (see `spectrumOf`), n·d² flops and 8d² bytes where d < n.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual([...spectrumOfVectors([[1, 0], [0, 2], [3, 0], [0, 4]])], [0.5, 0.5]);
 * ```
 */
export function spectrumOfVectors(vectors: readonly ArrayLike<number>[]): Float64Array {
  const n = vectors.length, d = vectors[0]?.length ?? 0;
  if (n <= d) return spectrumOf(vectorKernel().matrix(vectors));
  const values = new Float64Array(rowStart(d));
  for (const unit of unitVectors(vectors)) {
    for (let i = 0, at = 0; i < d; i++) {
      const own = unit[i] / n;
      for (let j = 0; j <= i; j++) values[at++] += own * unit[j];
    }
  }
  return asSpectrum(overwriteEigenvalues({ size: d, values }));
}
