/**
 * The corrected signal beside the published one: regret shrunk by its standard error, plain plays pooled over the epoch
 * (`regret-shrunk` of spade.md section 8).
 * @module
 */
import { type Outcome, type RecordOf, scored, skipped } from "../core/mod.ts";
import { shrinkRegret, shrunkNoise } from "../reward/mod.ts";
import type { PlayReturn } from "./band.ts";
import { groupBy } from "./group.ts";

/** Shrunken regret of one record, and what its clipped signal shows on average at zero true regret. */
export interface ShrunkRegret {
  /** Shrunken regret, in [−2, 2]; skipped where an arm has fewer than two scored plays. */
  outcome: Outcome;
  /** Mean clipped signal at zero true regret, in [0, 1]; null where the regret is skipped. */
  noiseFloor: number | null;
}

/**
 * Shrunken regrets by the id of their record. `every`: rollouts of an epoch, whose plain plays are pooled.
 * Missing below two scored plays in an arm.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const play = (arm: "plain" | "hinted", value: number) =>
 *   ({ rollout: 0, environmentId: "e", arm, outcome: scored(value) });
 * const plays = [play("plain", 0), play("plain", 1), play("hinted", 1), play("hinted", 1)];
 * const { outcome } = shrunkRegrets([{ id: "r", environmentId: "e", rollout: 0 }], plays).get("r")!;
 * // The difference is .5 and its standard error as large: nothing is left of it.
 * assert.deepEqual(outcome, scored(0));
 * ```
 */
export function shrunkRegrets(
  regrets: readonly Pick<RecordOf<"regret">, "id" | "environmentId" | "rollout">[],
  plays: readonly PlayReturn[],
  options: { every?: number } = {},
): Map<string, ShrunkRegret> {
  const { every = 1 } = options;
  const byEnvironment = groupBy(plays, (play) => play.environmentId);
  return new Map(regrets.map(({ id, environmentId, rollout }): [string, ShrunkRegret] => {
    const own = (byEnvironment.get(environmentId) ?? [])
      .filter((play) => play.rollout >= rollout && play.rollout < rollout + every);
    const plain = returnsOf(own.filter((play) => play.arm === "plain"));
    const hinted = returnsOf(
      own.filter((play) => play.arm === "hinted" && play.rollout === rollout),
    );
    if (plain.length < 2 || hinted.length < 2) {
      const outcome = skipped("fewer than 2 scored plays in an arm");
      return [id, { outcome, noiseFloor: null }];
    }
    const { value, error } = shrinkRegret(plain, hinted);
    return [id, { outcome: scored(value), noiseFloor: shrunkNoise(error) }];
  }));
}

/** In order of value, so that the order of the records changes no bit. */
function returnsOf(plays: readonly PlayReturn[]): number[] {
  return plays.flatMap(({ outcome }) => outcome.kind === "scored" ? [outcome.value] : [])
    .sort((a, b) => a - b);
}
