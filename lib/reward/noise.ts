/** What the clipped regret signal shows when there is nothing to see. @module */
import { normalCumulative, normalDensity } from "./statistics.ts";

/**
 * Noise floor: expected clip(D / scale, 0, 1) at zero true regret, where D is the difference of two independent means
 * of `plays` returns with standard deviation `spread`; D is taken as normal. In [0, 0.5).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(noiseFloor(0.42, 8).toFixed(2), "0.36");
 * ```
 *
 * @throws {RangeError} when spread is negative or plays is below 1.
 */
export function noiseFloor(
  spread: number,
  plays: number,
  options: { scale?: number } = {},
): number {
  if (!(spread >= 0 && Number.isFinite(spread)) || !(plays >= 1)) {
    throw new RangeError(
      `Cannot compute a noise floor: spread ${spread} must be >= 0 and plays ${plays} >= 1`,
    );
  }
  return clippedNoise(spread * Math.sqrt(2 / plays), options);
}

/**
 * E[clip(X / scale, 0, 1)] for X normal with mean 0 and deviation `error`: with s = error / scale it is
 * 1 - Φ(1/s) + s(φ(0) - φ(1/s)). 0 at error 0.
 */
export function clippedNoise(error: number, options: { scale?: number } = {}): number {
  const s = error / (options.scale ?? 0.15);
  if (!(s > 0)) return 0;
  return 1 - normalCumulative(1 / s) + s * (normalDensity(0) - normalDensity(1 / s));
}
