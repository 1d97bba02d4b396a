/**
 * Means with intervals. Conventions, once for the whole room:
 *
 * - A mean is the pooled mean of scored outcomes; it travels with the counts of what was scored, failed and skipped.
 * - Its interval is a 95 % cluster bootstrap: clusters (environments) are drawn with replacement, all their outcomes
 *   with them; percentiles of the resampled pooled means, their distances from the mean stretched by
 *   t(.975, k − 1)/1.96 · √(k/(k − 1)) for k clusters (Hesterberg 2015: the plain percentile interval is too short
 *   when k is small), and cut at the least and greatest observed value. Seeded: same records, same interval.
 * - Fewer than {@link minClusters} clusters with a score, or no spread: no interval, and `interval` says why.
 * - The interval is about other environments of the same kind, not about other training seeds.
 * @module
 */
import { type Outcome, type OutcomeCounts, Random, seedOf } from "../core/mod.ts";

/** Clusters below which no interval is given. */
export const minClusters = 4;

/** A mean of scored outcomes, its 95 % interval or the reason for none, and what it was computed from. */
export interface Estimate extends OutcomeCounts {
  /** Pooled mean of the scored outcomes; missing where there are none. */
  mean?: number;
  /** Lower end of the 95 % interval; missing where there is none. */
  low?: number;
  /** Upper end. */
  high?: number;
  /** Method, or why there is no interval. */
  interval: string;
  /** Clusters (environments) with at least one scored outcome. */
  clusters: number;
}

/** One outcome and the cluster it belongs to. */
export interface Clustered {
  /** Name of the cluster, such as an environment id. */
  cluster: string;
  /** What was measured; only a scored one enters the mean. */
  outcome: Outcome;
}

/** How an interval is drawn. */
export interface BootstrapOptions {
  /** Seeds the draws. @default 0 */
  seed?: number;
  /** Bootstrap resamples; 0: no interval. @default 2000 */
  draws?: number;
}

/**
 * Pooled mean of the scored outcomes with its cluster-bootstrap interval.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { failed, scored } from "../core/mod.ts";
 * // Two plays an environment, all alike within it: the four environments are what there is, not the eight plays.
 * const items = [0, 0, 1, 1].flatMap((value, i) =>
 *   [1, 2].map(() => ({ cluster: `e${i}`, outcome: scored(value) })));
 * const { mean, low, high, failed: missing } = estimateMean([
 *   ...items,
 *   { cluster: "e0", outcome: failed("model", "deadline") },
 * ]);
 * assert.deepEqual([mean, missing], [0.5, 1]);
 * assert.ok(low! < 0.1 && high! > 0.9);
 * ```
 */
export function estimateMean(
  items: readonly Clustered[],
  options: BootstrapOptions = {},
): Estimate {
  const counts: OutcomeCounts = { scored: 0, failed: 0, skipped: 0 };
  const sums = new Map<string, { sum: number; n: number }>();
  let least = Infinity, most = -Infinity;
  for (const { cluster, outcome } of items) {
    counts[outcome.kind] += 1;
    if (outcome.kind !== "scored") continue;
    const entry = sums.get(cluster) ?? { sum: 0, n: 0 };
    entry.sum += outcome.value;
    least = Math.min(least, outcome.value);
    most = Math.max(most, outcome.value);
    entry.n += 1;
    sums.set(cluster, entry);
  }
  // Sorted, so that the order of the records changes nothing.
  const clusters = [...sums].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, v]) => v);
  const k = clusters.length;
  const { seed = 0, draws = 2000 } = options;
  if (k === 0) return { ...counts, clusters: 0, interval: "none: nothing scored" };
  const mean = clusters.reduce((sum, c) => sum + c.sum, 0) / counts.scored;
  const base = { ...counts, mean, clusters: k };
  if (k < minClusters) {
    return { ...base, interval: `none: ${k} environments, needs ${minClusters}` };
  }
  if (draws === 0) return { ...base, interval: "none: not asked for" };
  const first = clusters[0].sum / clusters[0].n;
  if (clusters.every((c) => Math.abs(c.sum / c.n - first) < 1e-12)) {
    return { ...base, interval: "none: no spread between environments" };
  }
  const random = new Random(seedOf(seed, "bootstrap", k, counts.scored));
  const means = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0, n = 0;
    for (let j = 0; j < k; j++) {
      const c = clusters[random.integer(k)];
      sum += c.sum;
      n += c.n;
    }
    means[draw] = sum / n;
  }
  means.sort();
  const stretch = studentQuantile(k - 1) / 1.959964 * Math.sqrt(k / (k - 1));
  const low = Math.max(least, mean - (mean - quantileSorted(means, 0.025)) * stretch);
  const high = Math.min(most, mean + (quantileSorted(means, 0.975) - mean) * stretch);
  return { ...base, low, high, interval: "95 % cluster bootstrap over environments" };
}

/** A share k/n with its Wilson 95 % interval; undefined where n = 0. */
export interface Share {
  /** Cases. */
  count: number;
  /** Of how many. */
  of: number;
  /** count/of, in [0, 1]. */
  share?: number;
  /** Lower end of the interval. */
  low?: number;
  /** Upper end of the interval. */
  high?: number;
}

/**
 * Wilson score interval. Replies of one rollout share weights, so it is somewhat narrow; it is stated as Wilson.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(shareOf(0, 0).share, undefined);
 * assert.equal(shareOf(5, 10).share, 0.5);
 * ```
 */
export function shareOf(count: number, of: number): Share {
  if (!(of > 0)) return { count, of };
  const z = 1.959964, p = count / of, d = 1 + z * z / of;
  const centre = (p + z * z / (2 * of)) / d;
  const half = z / d * Math.sqrt(p * (1 - p) / of + z * z / (4 * of * of));
  return {
    count,
    of,
    share: p,
    low: count === 0 ? 0 : Math.max(0, centre - half),
    high: count === of ? 1 : Math.min(1, centre + half),
  };
}

/**
 * Quantile by linear interpolation (type 7) of ascending numbers; NaN where there are none.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(quantileSorted([0, 1, 2, 10], 0.5), 1.5);
 * ```
 */
export function quantileSorted(sorted: ArrayLike<number>, p: number): number {
  if (sorted.length === 0) return NaN;
  const at = (sorted.length - 1) * p, i = Math.floor(at);
  const j = Math.min(i + 1, sorted.length - 1);
  return sorted[i] + (sorted[j] - sorted[i]) * (at - i);
}

/**
 * 97.5 % quantile of Student's t, error below .01 from 3 degrees of freedom on (Cornish-Fisher expansion).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.ok(Math.abs(studentQuantile(7) - 2.3646) < 0.01);
 * assert.ok(Math.abs(studentQuantile(1e6) - 1.96) < 1e-4);
 * ```
 */
export function studentQuantile(freedom: number): number {
  const z = 1.959964, v = freedom;
  return z + (z ** 3 + z) / (4 * v) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * v ** 3);
}
