/**
 * 95 % intervals for a mean of paired differences [D15]. Convention: two-sided, sample variances (divisor n - 1).
 * Both are made conservative on purpose, because the plain textbook forms cover less than 92 % in places
 * (`deno task study:regret`): Agresti-Min takes Student's quantile, bootstrap-t is joined with an interval
 * that knows of outcomes not yet seen.
 * @module
 */
import { Random } from "../core/mod.ts";
import { clamp, meanOf, sampleVariance } from "./statistics.ts";

/** An interval with the name of its method, or the reason why there is none. */
export interface Interval {
  /** Lower end; null where there is no interval. */
  low: number | null;
  /** Upper end; null where there is no interval. */
  high: number | null;
  /** `agresti-min`, `bootstrap-t`, or `none: <reason>`. */
  interval: string;
}

/**
 * Agresti-Min interval for a difference of paired proportions: a Wald interval after adding half a pair to each cell
 * of the two-by-two table (Agresti & Min, Statistics in Medicine 24, 2005), with Student's quantile at n + 1 degrees
 * of freedom, clipped to [-1, 1]. Returns must be 0 or 1.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // a hint wins 4 of 8 plays that were lost without it, and yet the true gain may be 0
 * const pairs = Array.from({ length: 8 }, (_, i) => ({ plain: 0, hinted: i < 4 ? 1 : 0 }));
 * const { low, high } = agrestiMin(pairs);
 * assert.deepEqual([low!.toFixed(2), high!.toFixed(2)], ["-0.02", "0.82"]);
 * ```
 */
export function agrestiMin(pairs: readonly { plain: number; hinted: number }[]): Interval {
  const up = pairs.filter((pair) => pair.hinted > pair.plain).length + 0.5;
  const down = pairs.filter((pair) => pair.hinted < pair.plain).length + 0.5;
  const total = pairs.length + 2;
  const center = (up - down) / total;
  const half = studentQuantile(total - 1) * Math.sqrt(up + down - (up - down) ** 2 / total) / total;
  return {
    low: clamp(center - half, -1, 1),
    high: clamp(center + half, -1, 1),
    interval: "agresti-min",
  };
}

/**
 * Bootstrap-t interval for the mean of `differences` (at least two, not all equal): `draws` seeded resamples, each
 * with its own standard error floored at SE / sqrt(n), because a resample may have no spread at all (Efron &
 * Tibshirani, An Introduction to the Bootstrap, 12.5). Joined end by end with {@link guardedStudent}. Clipped to
 * ±bound, the range the true value can have (2 for returns in [-1, 1]).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const differences = [0.1, 0.4, 0.2, 0.3, 0.25, 0.35];
 * const { low, high } = bootstrapT(differences, { seed: 0 });
 * assert.ok(low! > 0 && low! < 0.27 && high! > 0.27);
 * ```
 */
export function bootstrapT(
  differences: readonly number[],
  options: { seed: number; draws?: number; bound?: number },
): Interval {
  const { seed, draws = 2000, bound = Infinity } = options;
  const n = differences.length;
  const mean = meanOf(differences);
  const error = Math.sqrt(sampleVariance(differences) / n);
  const floor = error / Math.sqrt(n);
  const random = new Random(seed);
  const centered = Float64Array.from(differences, (value) => value - mean);
  const ratios = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0, squares = 0;
    for (let i = 0; i < n; i++) {
      const value = centered[random.integer(n)];
      sum += value;
      squares += value * value;
    }
    const shift = sum / n;
    const variance = Math.max(0, squares - n * shift * shift) / (n - 1);
    ratios[draw] = shift / Math.max(Math.sqrt(variance / n), floor);
  }
  ratios.sort();
  const guard = guardedStudent(differences, Number.isFinite(bound) ? bound / 2 : 0);
  return {
    low: clamp(Math.min(guard.low, mean - quantile(ratios, 0.975) * error), -bound, bound),
    high: clamp(Math.max(guard.high, mean - quantile(ratios, 0.025) * error), -bound, bound),
    interval: "bootstrap-t",
  };
}

/**
 * Student's interval joined with the same after adding a tenth of an observation at each of ±`reach`: the idea of
 * Agresti and Min for bounded returns, so that a rare large difference that no pair showed is not ruled out.
 */
function guardedStudent(differences: readonly number[], reach: number) {
  const n = differences.length, quantileT = studentQuantile(n - 1);
  const mean = meanOf(differences);
  const half = quantileT * Math.sqrt(sampleVariance(differences) / n);
  const total = n + 0.2, center = mean * n / total;
  const squares = differences.reduce((sum, value) => sum + value * value, 0.2 * reach * reach);
  const wide = quantileT * Math.sqrt(Math.max(0, squares / total - center * center) / total);
  return { low: Math.min(mean - half, center - wide), high: Math.max(mean + half, center + wide) };
}

/** 97.5 % quantile of Student's t, within 1 % from 3 degrees of freedom on (Cornish-Fisher expansion). */
function studentQuantile(freedom: number): number {
  const z = 1.959963984540054, v = freedom;
  return z + (z ** 3 + z) / (4 * v) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * v ** 3) +
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * v ** 4);
}

/** Linear interpolation between order statistics; `sorted` ascending, not empty. */
function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1), below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}
