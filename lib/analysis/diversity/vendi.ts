/**
 * The Vendi score: how many different things a set holds, by a kernel of similarity (Friedman & Dieng, TMLR 2023;
 * any order q: Pasarkar & Dieng, AISTATS 2024).
 *
 * For n items with kernel K (positive semi-definite, K[i][i] = 1) let λ be the eigenvalues of K/n; they sum to 1.
 * The score of order q is (Σ λ^q)^(1/(1 − q)): at q = 1 the exponential of Shannon's entropy, at q = 0 the rank, at
 * q = 2 the reciprocal of the mean squared similarity, at q = ∞ 1/λmax. It lies in [1, n], falls with q, is 1 where
 * all items are alike and n where no two share anything; every item twice leaves it as it is. Large q look at the
 * commonest kinds, small q at the rare ones.
 *
 * Memory: 4n(n + 1) bytes for the kernel and as much again for the eigenvalues: 32 MB for 2,000, 800 MB for 10,000.
 * For many items of few dimensions see {@link spectrumOfVectors}, for more items than that {@link estimateVendi}.
 * @module
 */
import { overwriteEigenvalues } from "./eigenvalues.ts";
import { entryAt, type Symmetric, symmetricOf } from "./symmetric.ts";

/** Similarity of items: a positive semi-definite matrix with ones on its diagonal. */
export interface Kernel<T> {
  /** For titles and tables. */
  name: string;
  /** Similarities of all pairs, in the order of the items. */
  matrix(items: readonly T[]): Symmetric;
}

/** How items are counted. */
export interface SpectrumOptions {
  /** How much each item counts, not negative; they need not sum to 1. @default equally */
  weights?: readonly number[];
}

/**
 * Eigenvalues of the kernel over the items' number, descending, summing to 1. Those within rounding of zero are
 * zero. Throws {@link RangeError} where the diagonal is not 1 or the kernel is not positive semi-definite.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // Two equal items and one that shares nothing with them: two kinds, 2/3 and 1/3.
 * const [most, less, rest] = spectrumOf({ size: 3, values: Float64Array.of(1, 1, 1, 0, 0, 1) });
 * assert.ok(Math.abs(most - 2 / 3) < 1e-12 && Math.abs(less - 1 / 3) < 1e-12 && rest === 0);
 * ```
 */
export function spectrumOf(kernel: Symmetric, options: SpectrumOptions = {}): Float64Array {
  const { size } = kernel;
  for (let i = 0; i < size; i++) {
    const own = entryAt(kernel, i, i);
    if (!(Math.abs(own - 1) <= 1e-9)) {
      throw new RangeError(
        `Cannot score: similarity of item ${i} with itself is ${own}, must be 1`,
      );
    }
  }
  return asSpectrum(overwriteEigenvalues(weighted(kernel, options.weights)));
}

/** Ascending eigenvalues that sum to 1 but for rounding, as a spectrum. */
export function asSpectrum(ascending: Float64Array): Float64Array {
  const size = ascending.length;
  // Eigenvalues are good to a small multiple of this (see eigenvalues.ts).
  const rounding = 8 * size * Number.EPSILON * (ascending.at(-1) ?? 0);
  if (size > 0 && ascending[0] < -Math.max(rounding, 1e-9)) {
    throw new RangeError(
      `Cannot score: an eigenvalue is ${ascending[0]}, must not be negative; this is no kernel`,
    );
  }
  return ascending.map((value) => value > rounding ? value : 0).reverse();
}

/**
 * Vendi score of order q of a spectrum (see {@link spectrumOf}), q in [0, ∞]; NaN of an empty one.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(vendiOf([0.5, 0.5, 0]), 2);
 * assert.equal(vendiOf([0.75, 0.25], Infinity), 4 / 3);
 * ```
 */
export function vendiOf(spectrum: ArrayLike<number>, q = 1): number {
  if (!(q >= 0)) throw new RangeError(`Cannot score: order q is ${q}, must be 0 or more`);
  const known = Array.from(spectrum).filter((value) => value > 0);
  if (known.length === 0) return NaN;
  if (q === 0) return known.length;
  if (q === Infinity) return 1 / known.reduce((most, value) => Math.max(most, value), 0);
  return Math.exp(entropyFrom(known.reduce((sum, value) => sum + gain(value, q), 0), q));
}

/**
 * Vendi score of order q of the items a kernel matrix was made of.
 * Throws as {@link spectrumOf} does.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const different = { size: 3, values: Float64Array.of(1, 0, 1, 0, 0, 1) };
 * const equal = { size: 3, values: Float64Array.of(1, 1, 1, 1, 1, 1) };
 * assert.ok(Math.abs(vendiScore(different) - 3) < 1e-9);
 * assert.ok(Math.abs(vendiScore(equal) - 1) < 1e-9);
 * ```
 */
export function vendiScore(
  kernel: Symmetric,
  options: SpectrumOptions & { /** @default 1 */ q?: number } = {},
): number {
  return vendiOf(spectrumOf(kernel, options), options.q);
}

/**
 * What one eigenvalue adds to the score: −λ ln λ at q = 1, else λ^q − λ. As the λ sum to 1, {@link entropyFrom} of
 * the sum is the entropy of order q; written so, it loses nothing as q nears 1.
 */
export function gain(value: number, q: number): number {
  if (value <= 0) return 0;
  return q === 1 ? -value * Math.log(value) : value * Math.expm1((q - 1) * Math.log(value));
}

/** Entropy of order q, in nats, of the sum of {@link gain}. */
export function entropyFrom(gains: number, q: number): number {
  return q === 1 ? gains : Math.log1p(gains) / (1 - q);
}

function weighted(kernel: Symmetric, weights?: readonly number[]): Symmetric {
  const { size, values } = kernel;
  if (weights === undefined) return { size, values: values.map((value) => value / size) };
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (weights.length !== size || !weights.every((weight) => weight >= 0) || !(sum > 0)) {
    throw new RangeError(
      `Cannot weigh ${size} items: weights are ${weights.length} numbers that sum to ${sum}, ` +
        `must be one an item, none negative, some positive`,
    );
  }
  const roots = weights.map((weight) => Math.sqrt(weight / sum));
  return symmetricOf(size, (i, j) => entryAt(kernel, i, j) * roots[i] * roots[j]);
}
