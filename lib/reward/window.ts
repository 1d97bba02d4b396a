/**
 * What the signals see of one environment: all scored plain plays of its epoch, by rollout, and the hinted plays.
 * Failed plays are not in it: missing is never zero [D14].
 * @module
 */
import type { Outcome } from "../core/mod.ts";
import { meanOf } from "./statistics.ts";

/** Scored plain returns of one rollout of the epoch; `offset` 0 is the rollout that made the set. */
export interface OffsetReturns {
  /** Rollout of the epoch, from 0. */
  offset: number;
  /** In [-1, 1]; may be empty when every play failed. */
  returns: readonly number[];
}

/** One environment's window; at generation only the first offset is there. */
export interface EnvironmentWindow {
  /** The environment. */
  environmentId: string;
  /** Its skill: samples are compared within it. */
  skill: string;
  /** Plain returns by rollout of the epoch, in any order. */
  offsets: readonly OffsetReturns[];
  /** Successes among all plain returns above. */
  successes: number;
  /** Returns of scored hinted plays. */
  hinted: readonly number[];
  /** Regret as measured at generation ({@link measureRegret}). */
  regret: Outcome;
  /** The program hung in a play and was retired [D16]. */
  hung?: boolean;
  /** The trained first reply was invalid and only its repair was played. */
  turnOneInvalid?: boolean;
}

/**
 * All plain returns of the window, offsets in numeric order.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { skipped } from "../core/mod.ts";
 * const window = {
 *   environmentId: "a",
 *   skill: "Optimization",
 *   offsets: [{ offset: 1, returns: [1] }, { offset: 0, returns: [0, 0.5] }],
 *   successes: 1,
 *   hinted: [],
 *   regret: skipped("no hint"),
 * };
 * assert.deepEqual(plainReturns(window), [0, 0.5, 1]);
 * ```
 */
export function plainReturns(window: EnvironmentWindow): number[] {
  return sortedOffsets(window).flatMap((item) => [...item.returns]);
}

/** Offsets in numeric order, whatever order they came in. */
export function sortedOffsets(window: EnvironmentWindow): OffsetReturns[] {
  return [...window.offsets].sort((a, b) => a.offset - b.offset);
}

/**
 * w: mean of all plain returns, undefined without any.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { skipped } from "../core/mod.ts";
 * const window = {
 *   environmentId: "a",
 *   skill: "Optimization",
 *   offsets: [{ offset: 0, returns: [1, 0.5, 0] }],
 *   successes: 1,
 *   hinted: [],
 *   regret: skipped("no hint"),
 * };
 * // partial rewards count in the win rate, not in the success rate
 * assert.equal(winRate(window), 0.5);
 * assert.equal(successRate(window), 1 / 3);
 * ```
 */
export function winRate(window: EnvironmentWindow): number | undefined {
  const returns = plainReturns(window);
  return returns.length === 0 ? undefined : meanOf(returns);
}

/**
 * p: share of successes among all scored plain plays in [0, 1], undefined without any.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { skipped } from "../core/mod.ts";
 * const empty = {
 *   environmentId: "a",
 *   skill: "Optimization",
 *   offsets: [],
 *   successes: 0,
 *   hinted: [],
 *   regret: skipped("no hint"),
 * };
 * assert.equal(successRate(empty), undefined);
 * assert.equal(successRate({ ...empty, offsets: [{ offset: 0, returns: [1, 0] }], successes: 1 }), 0.5);
 * ```
 */
export function successRate(window: EnvironmentWindow): number | undefined {
  const plays = plainReturns(window).length;
  if (window.successes < 0 || window.successes > plays) {
    throw new RangeError(
      `Cannot compute a success rate: ${window.successes} successes of ${plays} plays`,
    );
  }
  return plays === 0 ? undefined : window.successes / plays;
}

/**
 * All plain returns of each skill that has at least one, windows in order of environment id.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { skipped } from "../core/mod.ts";
 * const windows = ["b", "a"].map((environmentId, i) => ({
 *   environmentId,
 *   skill: "Optimization",
 *   offsets: [{ offset: 0, returns: [i] }],
 *   successes: i,
 *   hinted: [],
 *   regret: skipped("no hint"),
 * }));
 * assert.deepEqual(returnsBySkill(windows), { Optimization: [1, 0] });
 * ```
 */
export function returnsBySkill(windows: readonly EnvironmentWindow[]): Record<string, number[]> {
  const pooled: Record<string, number[]> = {};
  const ordered = [...windows].sort((a, b) => a.environmentId < b.environmentId ? -1 : 1);
  for (const window of ordered) {
    const returns = plainReturns(window);
    if (returns.length > 0) (pooled[window.skill] ??= []).push(...returns);
  }
  return pooled;
}
