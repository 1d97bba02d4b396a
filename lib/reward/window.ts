/**
 * What the signals see of one environment: all scored plain plays of its epoch, by rollout, and the hinted plays.
 * Failed plays are not in it: missing is never zero [D14].
 * @module
 */
import type { Outcome } from "../core/mod.ts";
import { meanOf } from "./statistics.ts";

/** Scored plain returns of one rollout of the epoch; `offset` 0 is the rollout that made the set. */
export interface OffsetReturns {
  offset: number;
  /** In [-1, 1]; may be empty when every play failed. */
  returns: readonly number[];
}

/** One environment's window; at generation only the first offset is there. */
export interface EnvironmentWindow {
  environmentId: string;
  skill: string;
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

/** All plain returns of the window, offsets in numeric order. */
export function plainReturns(window: EnvironmentWindow): number[] {
  return sortedOffsets(window).flatMap((item) => [...item.returns]);
}

/** Offsets in numeric order, whatever order they came in. */
export function sortedOffsets(window: EnvironmentWindow): OffsetReturns[] {
  return [...window.offsets].sort((a, b) => a.offset - b.offset);
}

/** w: mean of all plain returns, undefined without any. */
export function winRate(window: EnvironmentWindow): number | undefined {
  const returns = plainReturns(window);
  return returns.length === 0 ? undefined : meanOf(returns);
}

/** p: share of successes among all scored plain plays in [0, 1], undefined without any. */
export function successRate(window: EnvironmentWindow): number | undefined {
  const plays = plainReturns(window).length;
  if (window.successes < 0 || window.successes > plays) {
    throw new RangeError(
      `Cannot compute a success rate: ${window.successes} successes of ${plays} plays`,
    );
  }
  return plays === 0 ? undefined : window.successes / plays;
}

/** All plain returns of each skill that has at least one, windows in order of environment id. */
export function returnsBySkill(windows: readonly EnvironmentWindow[]): Record<string, number[]> {
  const pooled: Record<string, number[]> = {};
  const ordered = [...windows].sort((a, b) => a.environmentId < b.environmentId ? -1 : 1);
  for (const window of ordered) {
    const returns = plainReturns(window);
    if (returns.length > 0) (pooled[window.skill] ??= []).push(...returns);
  }
  return pooled;
}
