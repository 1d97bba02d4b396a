/**
 * Advantages of the plays of one group (spade.md section 9). Convention: population deviation (divisor n).
 * @module
 */
import { hasNoSpread, sumOf } from "../core/mod.ts";

/** `grpo`: z-score. `mean-only`: r - mean. `ema-baseline`: r - μ, a running mean of earlier groups. */
export type AdvantageRule = "grpo" | "mean-only" | "ema-baseline";

/** Advantages of a group, in the order of its returns. */
export interface GroupAdvantages {
  /** In the order of the returns. */
  advantages: number[];
  /** Mean of the returns. */
  mean: number;
  /** Population deviation of the returns. */
  deviation: number;
  /** No spread: nothing can be learnt from comparing [D17]. */
  dead: boolean;
  /** Set for a group of one. */
  warning?: string;
}

/**
 * Advantages of one group of n returns; under `grpo` (r - mean) / (std + 1e-8) [P `normalize_rewards_per_game`], hence
 * |advantage| <= sqrt(n). Where max - min <= 1e-9 · max(1, max|r|) they are exactly 0: rounding residue must not be
 * divided by itself [D17]. A group of one gets 0 and a warning. `ema-baseline` compares with the past instead, so
 * neither rule applies to it; before data its μ is 0 (update μ afterwards with the group mean:
 * `updateBaseline` of lib/reward).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(agentAdvantages([0.1, 0.1, 0.1]).advantages, [0, 0, 0]);
 * assert.deepEqual(agentAdvantages([0, 1], { rule: "mean-only" }).advantages, [-0.5, 0.5]);
 * ```
 *
 * @throws {RangeError} when there is no return, or one is not finite.
 */
export function agentAdvantages(
  returns: readonly number[],
  options: { rule?: AdvantageRule; baseline?: number | null } = {},
): GroupAdvantages {
  const { rule = "grpo", baseline = null } = options;
  if (returns.length === 0) {
    throw new RangeError("Cannot compute advantages: the group is empty, must have a play");
  }
  const bad = returns.findIndex((value) => !(Math.abs(value) <= 1e100));
  if (bad >= 0) {
    throw new RangeError(
      `Cannot compute advantages: return ${bad} is ${returns[bad]}, must be finite (1e100 at most)`,
    );
  }
  const n = returns.length;
  const mean = sumOf(returns) / n;
  const deviation = Math.sqrt(sumOf(returns.map((value) => (value - mean) ** 2)) / n);
  const dead = hasNoSpread(returns);
  const group = { mean, deviation, dead };
  if (rule === "ema-baseline") {
    return { ...group, advantages: returns.map((value) => value - (baseline ?? 0)) };
  }
  if (dead) {
    const advantages = returns.map(() => 0);
    return n > 1
      ? { ...group, advantages }
      : { ...group, advantages, warning: "a group of one play has advantage 0" };
  }
  const scale = rule === "grpo" ? deviation + 1e-8 : 1;
  return { ...group, advantages: returns.map((value) => (value - mean) / scale) };
}
