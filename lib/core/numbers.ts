/**
 * Sums and spread of lists of numbers, once for all rooms.
 * @module
 */

/**
 * Sum with Neumaier's compensation (ZAMM 54, 1974): its error does not grow with the number of values, so that a mean
 * at an offset of 1e8 is as exact as its values are. 0 for an empty list; not finite where a value is not.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(sumOf([1e16, 1, -1e16]), 1);
 * ```
 */
export function sumOf(values: readonly number[]): number {
  let sum = 0, lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return Number.isFinite(sum) ? sum + lost : sum;
}

/** Whether max - min <= 1e-9 · max(1, max|value|): rounding residue is no spread [D17]. True for an empty list. */
export function hasNoSpread(values: readonly number[]): boolean {
  let low = Infinity, high = -Infinity, largest = 1;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
    largest = Math.max(largest, Math.abs(value));
  }
  return high - low <= 1e-9 * largest;
}
