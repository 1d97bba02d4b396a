/** From the rewards of a play to its return (spade.md section 7). @module */
import { sumOf } from "../core/mod.ts";
import { clamp } from "./statistics.ts";

/** `last`: the last reward of a terminated play. `sum`: all rewards, truncated plays included [D13]. */
export type ReturnRule = "last" | "sum";

/**
 * Return of a play, in [-1, 1], from its step rewards in order.
 * `last` [P `episode_reward`]: the last reward clamped if terminated, else 0. `sum`: the clamped sum, of truncated
 * plays too; a play without steps has return 0 in both.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(episodeReturn([0.25, 0.75], true), 0.75);
 * assert.equal(episodeReturn([0.25, 0.75], true, { rule: "sum" }), 1);
 * assert.equal(episodeReturn([0.25, 0.25], false, { rule: "sum" }), 0.5);
 * ```
 *
 * @throws {RangeError} when a reward is not finite: it never got past the border.
 */
export function episodeReturn(
  rewards: readonly number[],
  terminated: boolean,
  options: { rule?: ReturnRule } = {},
): number {
  const bad = rewards.findIndex((reward) => !Number.isFinite(reward));
  if (bad >= 0) {
    throw new RangeError(
      `Cannot compute a return: reward of turn ${bad} is ${rewards[bad]}, must be finite`,
    );
  }
  if (options.rule === "sum") return clamp(sumOf(rewards), -1, 1);
  return terminated && rewards.length > 0 ? clamp(rewards[rewards.length - 1], -1, 1) : 0;
}

/**
 * Success: terminated with return >= 1 - 1e-9; every kind of environment pays 1 at the goal.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(isSuccess(true, 1), true);
 * // a play cut by a limit succeeds at nothing, whatever it was paid
 * assert.equal(isSuccess(false, 1), false);
 * ```
 */
export function isSuccess(terminated: boolean, value: number): boolean {
  return terminated && value >= 1 - 1e-9;
}
