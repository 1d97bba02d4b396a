/** The clipped regret signal, and what it shows when there is nothing to see. @module */
import { sumOf } from "../core/mod.ts";
import { clamp, normalCumulative, normalDensity } from "./statistics.ts";

/** Regret at which the clipped signal is 1. */
export const signalScale = 0.15;

/**
 * The regret part of the blend: regret / .15 clipped to [0, 1].
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual([-0.3, 0.075, 0.4].map(clippedSignal), [0, 0.5, 1]);
 * ```
 */
export function clippedSignal(regret: number): number {
  return clamp(regret / signalScale, 0, 1);
}

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
 * The same floor for the shrunken regret: expected clip(D·max(0, 1 - error²/D²) / .15, 0, 1) for D normal with mean 0 and
 * deviation `error`, by Simpson's rule over the part between `error` and where the signal reaches 1. 0 at error 0.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // shrinking leaves less to see where there is nothing to see
 * assert.ok(shrunkNoise(0.1) < clippedNoise(0.1));
 * assert.equal(shrunkNoise(0), 0);
 * ```
 */
export function shrunkNoise(error: number): number {
  if (!(error > 0)) return 0;
  const s = signalScale / error;
  // In units of the error: the signal is (z - 1/z) / s, 0 up to z = 1 and 1 from `full` on.
  const full = (s + Math.sqrt(s * s + 4)) / 2, end = Math.min(full, 9), steps = 400;
  const width = (end - 1) / steps;
  const at = (z: number) => (z - 1 / z) / s * normalDensity(z);
  const terms = Array.from({ length: steps + 1 }, (_, i) => {
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    return weight * at(1 + i * width);
  });
  return sumOf(terms) * width / 3 + 1 - normalCumulative(end);
}

/**
 * E[clip(X / scale, 0, 1)] for X normal with mean 0 and deviation `error`: with s = error / scale it is
 * 1 - Φ(1/s) + s(φ(0) - φ(1/s)). 0 at error 0.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // a difference known to ±.15 looks like a third of the full signal when it is 0
 * assert.equal(clippedNoise(0.15).toFixed(2), "0.32");
 * ```
 */
export function clippedNoise(error: number, options: { scale?: number } = {}): number {
  const s = error / (options.scale ?? signalScale);
  if (!(s > 0)) return 0;
  return 1 - normalCumulative(1 / s) + s * (normalDensity(0) - normalDensity(1 / s));
}
