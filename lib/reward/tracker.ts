/**
 * Running means of a skill's plays: a fast and a slow one, whose difference is the skill's learning potential, and the
 * single mean of the `ema-baseline` advantage. States are plain records: stored as they are, updated into new ones.
 * @module
 */
import { meanOf } from "./statistics.ts";

/** Fast and slow mean of one skill; both null before the first value. */
export interface Tracker {
  /** γf: share of the fast mean that each new value is, in (0, 1]. */
  gammaFast: number;
  /** γs: the same of the slow mean; less than γf. */
  gammaSlow: number;
  /** μf; null before the first value. */
  fast: number | null;
  /** μs; null before the first value. */
  slow: number | null;
}

/**
 * A tracker without data. Published defaults: .98 and .85.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(createTracker(), { gammaFast: 0.98, gammaSlow: 0.85, fast: null, slow: null });
 * ```
 *
 * @throws {RangeError} unless 0 < slow < fast <= 1.
 */
export function createTracker(
  options: { gammaFast?: number; gammaSlow?: number } = {},
): Tracker {
  const { gammaFast = 0.98, gammaSlow = 0.85 } = options;
  if (!(gammaSlow > 0 && gammaFast > gammaSlow && gammaFast <= 1)) {
    throw new RangeError(
      `Cannot create a tracker: gammas are ${gammaFast} and ${gammaSlow}, must be 0 < slow < fast <= 1`,
    );
  }
  return { gammaFast, gammaSlow, fast: null, slow: null };
}

/**
 * The tracker after one value: the first sets both means, later μ <- (1 - γ)μ + γx [P].
 *
 * ```ts
 * import assert from "node:assert/strict";
 * let tracker = createTracker({ gammaFast: 0.5, gammaSlow: 0.25 });
 * for (const winRate of [0, 1]) tracker = updateTracker(tracker, winRate);
 * assert.deepEqual([tracker.fast, tracker.slow], [0.5, 0.25]);
 * ```
 */
export function updateTracker(tracker: Tracker, value: number): Tracker {
  if (!Number.isFinite(value)) {
    throw new RangeError(`Cannot update a tracker: value is ${value}, must be finite`);
  }
  const { gammaFast, gammaSlow, fast, slow } = tracker;
  return {
    ...tracker,
    fast: fast === null ? value : (1 - gammaFast) * fast + gammaFast * value,
    slow: slow === null ? value : (1 - gammaSlow) * slow + gammaSlow * value,
  };
}

/**
 * μs, the slow mean; 0 before data [P].
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const tracker = createTracker();
 * assert.equal(baselineOf(tracker), 0);
 * assert.equal(baselineOf(updateTracker(tracker, 0.4)), 0.4);
 * ```
 */
export function baselineOf(tracker: Tracker): number {
  return tracker.slow ?? 0;
}

/**
 * (μf - μs) / (2(γf - γs)); its absolute value is ρ. 0 before data [P].
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const start = updateTracker(createTracker(), 0.5);
 * // below 0: the skill is being lost
 * assert.ok(signedPotential(updateTracker(start, 0)) < 0);
 * assert.ok(signedPotential(updateTracker(start, 1)) > 0);
 * ```
 */
export function signedPotential(tracker: Tracker): number {
  if (tracker.fast === null || tracker.slow === null) return 0;
  return (tracker.fast - tracker.slow) / (2 * (tracker.gammaFast - tracker.gammaSlow));
}

/**
 * ρ = |μf - μs| / (2(γf - γs)), the learning potential of a skill [P].
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const start = updateTracker(createTracker(), 0.5);
 * assert.equal(potentialOf(start), 0);
 * assert.equal(potentialOf(updateTracker(start, 1)).toFixed(3), "0.250");
 * ```
 */
export function potentialOf(tracker: Tracker): number {
  return Math.abs(signedPotential(tracker));
}

/**
 * Trackers after one update each with the mean of its skill's returns. A skill without a tracker is ignored. An empty
 * list is skipped, with `parity` it counts as mean 0 (published).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const trackers = { Optimization: createTracker() };
 * const next = updateTrackers(trackers, { Optimization: [1, 0] });
 * assert.equal(baselineOf(next.Optimization), 0.5);
 * ```
 */
export function updateTrackers(
  trackers: Readonly<Record<string, Tracker>>,
  returns: Readonly<Record<string, readonly number[]>>,
  options: { parity?: boolean } = {},
): Record<string, Tracker> {
  const next = { ...trackers };
  for (const skill of Object.keys(returns).sort()) {
    if (!Object.hasOwn(trackers, skill)) continue;
    const values = returns[skill];
    if (values.length === 0 && !options.parity) continue;
    next[skill] = updateTracker(trackers[skill], values.length === 0 ? 0 : meanOf(values));
  }
  return next;
}

/**
 * EMA baseline: μ <- d·μ + (1 - d)x; the first value sets it [P `ema_updates`]. `decay` in [0, 1].
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(updateBaseline(null, 0.4, 0.9), 0.4);
 * assert.equal(updateBaseline(0.5, 1, 0.5), 0.75);
 * ```
 */
export function updateBaseline(mean: number | null, value: number, decay: number): number {
  if (!Number.isFinite(value) || !(decay >= 0 && decay <= 1)) {
    throw new RangeError(
      `Cannot update a baseline: value ${value} must be finite, decay ${decay} in [0, 1]`,
    );
  }
  return mean === null ? value : decay * mean + (1 - decay) * value;
}

/**
 * Baselines by environment after one update each with the mean of its group; the others stay.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(updateBaselines({ a: 0.5, b: 0.2 }, { a: 1 }, 0.5), { a: 0.75, b: 0.2 });
 * ```
 */
export function updateBaselines(
  baselines: Readonly<Record<string, number>>,
  means: Readonly<Record<string, number>>,
  decay: number,
): Record<string, number> {
  const next = { ...baselines };
  for (const [id, mean] of Object.entries(means)) {
    next[id] = updateBaseline(Object.hasOwn(next, id) ? next[id] : null, mean, decay);
  }
  return next;
}
