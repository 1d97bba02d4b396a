/** Which skills an epoch trains. @module */

/**
 * Indices of the active skills [P `select_active_skills`]: with n skills, k an epoch and epoch number
 * e = floor(rollout / interval), skill (e·k + j) mod n for j < k. All skills when k <= 0, k >= n or interval <= 0.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(activeSkills(5, { rollout: 8, interval: 4, perEpoch: 2 }), [4, 0]);
 * ```
 */
export function activeSkills(
  skills: number,
  options: { rollout: number; interval: number; perEpoch: number },
): number[] {
  const { rollout, interval, perEpoch } = options;
  if (perEpoch <= 0 || perEpoch >= skills || interval <= 0) {
    return Array.from({ length: skills }, (_, i) => i);
  }
  const first = Math.floor(rollout / interval) * perEpoch;
  return Array.from({ length: perEpoch }, (_, j) => (first + j) % skills);
}

/**
 * The active skill of environment `slot` of the epoch: active[slot mod k].
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(skillOfSlot(["Optimization", "Causal Inference"], 3), "Causal Inference");
 * ```
 */
export function skillOfSlot<T>(active: readonly T[], slot: number): T {
  if (active.length === 0) {
    throw new RangeError("Cannot assign a skill: none is active, must be at least one");
  }
  return active[slot % active.length];
}
