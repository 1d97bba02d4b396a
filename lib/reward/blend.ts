/**
 * `blend`: regret, progress and place in the band in one number (spade.md section 8) [P `delayed_blend`].
 * blend = w_r·ρ_r + w_m·m/.10 + w_p·plateau(w) - w_f·(w - .5)²/.08.
 * @module
 */
import { type Outcome, scored, skipped } from "../core/mod.ts";
import { type Band, plateau } from "./plateau.ts";
import { clamp, meanOf } from "./statistics.ts";
import { type EnvironmentWindow, sortedOffsets, winRate } from "./window.ts";

/** Weights and switches of the blend. Defaults are ours and the paper's. */
export interface BlendOptions {
  /** w_r, of the regret part. @default 0.4 */
  regretWeight?: number;
  /** w_p, of the win rate's place in the band. @default 0.6 */
  plateauWeight?: number;
  /** w_m, of progress over the epoch. @default 0 */
  progressWeight?: number;
  /** w_f, taken off for distance from a win rate of one half. @default 0 */
  frontierWeight?: number;
  /** Clip regret / .15 to [0, 1]. @default true */
  regretFloor?: boolean;
  /** Take max(0, m). @default false */
  unsigned?: boolean;
  /** Where {@link plateau} is 1. */
  band?: Band;
  /** Regret that counts as 1. @default 0.15 */
  regretScale?: number;
  /** Progress that counts as 1. @default 0.1 */
  progressScale?: number;
  /** (w - .5)² that counts as 1. @default 0.08 */
  frontierScale?: number;
}

/** The published function's own defaults, inside the golden vectors. */
export const publishedBlend: BlendOptions = {
  regretWeight: 0.5,
  progressWeight: 0.5,
  plateauWeight: 0,
  frontierWeight: 0,
  regretFloor: false,
  unsigned: false,
};

/** Everything the blend is made of. */
export interface BlendParts {
  /** Hinted mean less plain mean of the epoch's first rollout, not yet scaled. */
  regret: number;
  /** m: how far the win rate rose over the epoch; see {@link progressOf}. */
  progress: number;
  /** w: mean of all plain returns. */
  winRate: number;
  /** (w - .5)². */
  frontier: number;
  /** Place of w in the band, in [0, 1]. */
  plateau: number;
  /** The weighted sum. */
  blend: number;
}

/**
 * Parts of the blend, or the reason why one of them is missing. `parity`: a missing hinted mean, an empty first
 * offset and an environment without plays count as 0.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const window = {
 *   environmentId: "a",
 *   skill: "Optimization",
 *   offsets: [{ offset: 0, returns: [1, 0, 0, 1] }],
 *   successes: 2,
 *   hinted: [1, 1, 1, 0],
 *   regret: { kind: "scored", value: 0.25 },
 * } as const;
 * // in the band, and a hint gains .25: .4 · min(1, .25 / .15) + .6 · 1
 * const parts = blendParts(window);
 * assert.ok(!("missing" in parts));
 * assert.deepEqual([parts.winRate, parts.regret, parts.blend], [0.5, 0.25, 1]);
 * ```
 */
export function blendParts(
  window: EnvironmentWindow,
  options: BlendOptions & { parity?: boolean } = {},
): BlendParts | { missing: string } {
  const o = {
    ...{ regretWeight: 0.4, plateauWeight: 0.6, progressWeight: 0, frontierWeight: 0 },
    ...{ regretFloor: true, regretScale: 0.15, progressScale: 0.1, frontierScale: 0.08 },
    ...options,
  };
  const first = sortedOffsets(window)[0]?.returns ?? [];
  const rate = winRate(window);
  if (!o.parity) {
    if (rate === undefined) return { missing: "no scored plain play" };
    if (window.hinted.length === 0) return { missing: "no scored hinted play" };
    if (first.length === 0) return { missing: "no scored plain play beside the hinted ones" };
  }
  const w = rate ?? 0;
  const regret = (window.hinted.length === 0 ? 0 : meanOf(window.hinted)) -
    (first.length === 0 ? 0 : meanOf(first));
  const slope = progressOf(window);
  const progress = o.unsigned ? Math.max(0, slope) : slope;
  const ratio = regret / o.regretScale;
  const frontier = (w - 0.5) ** 2;
  const place = plateau(w, o.band);
  return {
    regret,
    progress,
    winRate: w,
    frontier,
    plateau: place,
    blend: o.regretWeight * (o.regretFloor ? clamp(ratio, 0, 1) : ratio) +
      o.progressWeight * progress / o.progressScale + o.plateauWeight * place -
      o.frontierWeight * frontier / o.frontierScale,
  };
}

/**
 * The blend as a signal: below -1e-9 the sample leaves the mean and the batch, between -1e-9 and 0 it counts as 0.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const window = {
 *   environmentId: "a",
 *   skill: "Optimization",
 *   offsets: [{ offset: 0, returns: [1, 1] }],
 *   successes: 2,
 *   hinted: [],
 *   regret: { kind: "skipped", reason: "no hint" },
 * } as const;
 * // without hinted plays nobody knows the regret, and missing is not 0
 * assert.deepEqual(blend(window), { kind: "skipped", reason: "no scored hinted play" });
 * ```
 */
export function blend(
  window: EnvironmentWindow,
  options: BlendOptions & { parity?: boolean } = {},
): Outcome {
  const parts = blendParts(window, options);
  if ("missing" in parts) return skipped(parts.missing);
  return parts.blend < -1e-9 ? skipped("negative blend") : scored(Math.max(0, parts.blend));
}

/**
 * m: slope of the per-offset means on index 0..n-1, squared residuals weighted max(n_i, 1), an empty offset counting
 * as mean 0, times (n - 1). 0 below two offsets.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const window = {
 *   environmentId: "a",
 *   skill: "Optimization",
 *   offsets: [{ offset: 0, returns: [0, 0] }, { offset: 1, returns: [1, 0] }],
 *   successes: 1,
 *   hinted: [],
 *   regret: { kind: "skipped", reason: "no hint" },
 * } as const;
 * assert.equal(progressOf(window), 0.5);
 * ```
 */
export function progressOf(window: EnvironmentWindow): number {
  const offsets = sortedOffsets(window), n = offsets.length;
  if (n < 2) return 0;
  const weights = offsets.map((item) => Math.max(item.returns.length, 1));
  const means = offsets.map((item) => item.returns.length === 0 ? 0 : meanOf(item.returns));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const centerX = weights.reduce((sum, weight, i) => sum + weight * i, 0) / total;
  const centerY = weights.reduce((sum, weight, i) => sum + weight * means[i], 0) / total;
  let numerator = 0, denominator = 0;
  for (let i = 0; i < n; i++) {
    numerator += weights[i] * (i - centerX) * (means[i] - centerY);
    denominator += weights[i] * (i - centerX) ** 2;
  }
  return numerator / denominator * (n - 1);
}
