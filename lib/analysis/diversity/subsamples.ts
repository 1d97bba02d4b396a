/**
 * How a Vendi score depends on which and how many items were looked at. The kernel is computed once; a subset's is
 * a part of it.
 * @module
 */
import { Random, seedOf } from "../../core/mod.ts";
import { quantileSorted, studentQuantile } from "../estimate.ts";
import { submatrix, type Symmetric } from "./symmetric.ts";
import { vendiScore } from "./vendi.ts";

/** What is scored, and how many subsets. */
export interface SubsampleOptions {
  /** Order. @default 1 */
  q?: number;
  /** Seeds the draws. @default 0 */
  seed?: number;
  /** Subsets drawn, of each size. @default 20 for the curve, 200 for the interval */
  draws?: number;
}

/** Vendi scores of random subsets of one size: their mean and 10 and 90 % quantiles. */
export interface CurveStep {
  /** Items in a subset. */
  n: number;
  /** Mean score. */
  mean: number;
  /** 10 % quantile. */
  low: number;
  /** 90 % quantile. */
  high: number;
  /** Subsets scored; 1 where they are all the items. */
  draws: number;
}

/**
 * Score against number of items, by subsets without replacement: flat where more items add nothing new, and the
 * only fair way to compare sets of different size. @default sizes 8, 16, 32 … and all
 * Throws {@link RangeError} where a size is not a whole number from 1 to the number of items.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { symmetricOf } from "./symmetric.ts";
 * // 32 items of two kinds: more items add nothing, the curve is flat.
 * const kernel = symmetricOf(32, (i, j) => i % 2 === j % 2 ? 1 : 0);
 * const curve = subsampleCurve(kernel, { sizes: [16, 32] });
 * assert.ok(curve[0].mean > 1.8 && Math.abs(curve[1].mean - 2) < 1e-9);
 * ```
 */
export function subsampleCurve(
  kernel: Symmetric,
  options: SubsampleOptions & { sizes?: readonly number[] } = {},
): CurveStep[] {
  const { q = 1, seed = 0, draws = 20 } = options, all = kernel.size;
  const sizes = options.sizes ?? doublings(all);
  return sizes.map((n) => {
    if (!(Number.isInteger(n) && n >= 1 && n <= all)) {
      throw new RangeError(`Cannot draw ${n} of ${all} items, must be a whole number of them`);
    }
    const random = new Random(seedOf(seed, "curve", n));
    const count = n === all ? 1 : draws;
    const scores = scoresOf(kernel, n, count, q, random);
    return {
      n,
      mean: scores.reduce((sum, score) => sum + score, 0) / count,
      low: quantileSorted(scores, 0.1),
      high: quantileSorted(scores, 0.9),
      draws: count,
    };
  });
}

/** A score and its interval. */
export interface VendiInterval {
  /** Of all the items. */
  score: number;
  /** Lower end. */
  low?: number;
  /** Upper end. */
  high?: number;
  /** Method, or why there is no interval. */
  interval: string;
}

/**
 * The score with a 95 % interval for other samples of the same size from the same source: the bootstrap of m out of
 * n without replacement (Politis & Romano 1994), m = n/2 but `largest` at most, on the logarithm of the score, its
 * spread scaled by √(m/(n − m)). The bootstrap with replacement will not do: what it draws twice counts as no new
 * item, and its scores are all too low. No interval below 8 items or where no subset differs from another.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { symmetricOf } from "./symmetric.ts";
 * const kernel = symmetricOf(32, (i, j) => i % 4 === j % 4 ? 1 : 0);
 * const { score, low, high } = vendiInterval(kernel);
 * assert.ok(Math.abs(score - 4) < 1e-9 && low! < 4 && 4 < high!);
 * ```
 */
export function vendiInterval(
  kernel: Symmetric,
  options: SubsampleOptions & { /** @default 250 */ largest?: number } = {},
): VendiInterval {
  const { q = 1, seed = 0, draws = 200, largest = 250 } = options, n = kernel.size;
  const score = vendiScore(kernel, { q });
  if (n < 8) return { score, interval: `none: ${n} items, needs 8` };
  const m = Math.min(Math.floor(n / 2), largest);
  const logs = scoresOf(kernel, m, draws, q, new Random(seedOf(seed, "interval", n))).map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / draws;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (draws - 1);
  if (!(variance > 1e-18)) return { score, interval: "none: no spread between subsets" };
  const reach = studentQuantile(m - 1) * Math.sqrt(variance * m / (n - m));
  return {
    score,
    low: Math.max(1, score * Math.exp(-reach)),
    high: Math.min(n, score * Math.exp(reach)),
    interval: `95 % bootstrap of ${m} out of ${n}`,
  };
}

/** Ascending scores of random subsets. */
function scoresOf(
  kernel: Symmetric,
  n: number,
  draws: number,
  q: number,
  random: Random,
): number[] {
  const indices = Array.from({ length: kernel.size }, (_, i) => i);
  return Array.from({ length: draws }, () => {
    const some = n === kernel.size ? indices : random.shuffle(indices).slice(0, n);
    return vendiScore(submatrix(kernel, some), { q });
  }).sort((a, b) => a - b);
}

function doublings(all: number): number[] {
  const sizes: number[] = [];
  for (let n = Math.min(8, all); n < all; n *= 2) sizes.push(n);
  return all > 0 ? [...sizes, all] : [];
}
