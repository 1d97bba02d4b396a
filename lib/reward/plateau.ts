/** The target band of win rates (spade.md section 8). @module */

/** Band [lo, hi] in which the reward is 1, and the width of the fall outside it. */
export interface Band {
  /** Lowest win rate in the band, in [0, 1]. @default 0.4 */
  lo?: number;
  /** Highest win rate in the band, in [0, 1]. @default 0.6 */
  hi?: number;
  /** Distance from the band at which the reward reaches 0; more than 0. @default 0.25 */
  ramp?: number;
}

/**
 * Plateau reward of a win rate: 1 in the band, else max(0, 1 - distance / ramp). Range [0, 1].
 * Source: `plateau_reward` of the published SPADE [P].
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(plateau(0.5), 1);
 * assert.equal(plateau(0.275), 0.5);
 * assert.equal(plateau(1), 0);
 * ```
 *
 * @throws {RangeError} when the band is empty or the ramp is not positive.
 */
export function plateau(winRate: number, band: Band = {}): number {
  const { lo, hi, ramp } = resolveBand(band);
  const distance = winRate < lo ? lo - winRate : winRate > hi ? winRate - hi : 0;
  return distance === 0 ? 1 : Math.max(0, 1 - distance / ramp);
}

/** The band with its defaults filled in, checked. */
export function resolveBand(band: Band = {}): Required<Band> {
  const { lo = 0.4, hi = 0.6, ramp = 0.25 } = band;
  if (!(lo <= hi)) throw new RangeError(`Cannot use band: lo is ${lo}, must be at most hi ${hi}`);
  if (!(ramp > 0)) throw new RangeError(`Cannot use band: ramp is ${ramp}, must be more than 0`);
  return { lo, hi, ramp };
}
