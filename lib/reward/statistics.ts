/**
 * The few statistics that the signals need. Empty lists have no mean: callers decide what that means.
 * @module
 */
import { sumOf } from "../core/mod.ts";

/**
 * Arithmetic mean; NaN for an empty list, which no caller lets through.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(meanOf([0, 1, 1]), 2 / 3);
 * ```
 */
export function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}

/**
 * Population variance (divisor n); 0 for one value, NaN for none.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(populationVariance([0, 1]), 0.25);
 * ```
 */
export function populationVariance(values: readonly number[]): number {
  const mean = meanOf(values);
  return sumOf(values.map((value) => (value - mean) ** 2)) / values.length;
}

/**
 * Sample variance (divisor n - 1); NaN below two values.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(sampleVariance([0, 1]), 0.5);
 * assert.ok(Number.isNaN(sampleVariance([1])));
 * ```
 */
export function sampleVariance(values: readonly number[]): number {
  if (values.length < 2) return NaN;
  return populationVariance(values) * values.length / (values.length - 1);
}

/** `value` limited to [low, high]. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** Standard normal density. */
export function normalDensity(x: number): number {
  return Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * Standard normal distribution function, absolute error below 1e-13 for |x| < 6: the series
 * Φ(x) = 1/2 + φ(x)(x + x³/3 + x⁵/15 + …) (Marsaglia, J. Stat. Soft. 11(5), 2004).
 */
export function normalCumulative(x: number): number {
  if (x < -8) return 0;
  if (x > 8) return 1;
  let sum = x, term = x;
  for (let i = 3; Math.abs(term) > 1e-17; i += 2) {
    term *= x * x / i;
    sum += term;
  }
  return clamp(0.5 + sum * normalDensity(x), 0, 1);
}
