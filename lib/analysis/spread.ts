/** How a list of numbers spreads, for tables. @module */
import { sumOf } from "../core/mod.ts";
import { quantileSorted } from "./estimate.ts";

/** Mean, least, quantiles and most; NaN where there are no numbers. */
export interface Spread {
  /** How many numbers. */
  n: number;
  /** Arithmetic mean. */
  mean: number;
  /** The least. */
  least: number;
  /** 5 % quantile. */
  low: number;
  /** 50 % quantile. */
  median: number;
  /** 95 % quantile. */
  high: number;
  /** The greatest. */
  most: number;
}

/**
 * `low` and `high` are the 5 and 95 % quantiles.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { n, mean, median, most } = spreadOf([3, 1, 2]);
 * assert.deepEqual([n, mean, median, most], [3, 2, 2, 3]);
 * ```
 */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort(), n = sorted.length;
  return {
    n,
    mean: n > 0 ? sumOf(values) / n : NaN,
    least: quantileSorted(sorted, 0),
    low: quantileSorted(sorted, 0.05),
    median: quantileSorted(sorted, 0.5),
    high: quantileSorted(sorted, 0.95),
    most: quantileSorted(sorted, 1),
  };
}
