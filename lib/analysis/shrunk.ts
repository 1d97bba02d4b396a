/**
 * The corrected signal beside the published one: regret shrunk by its standard error, plain plays pooled over the epoch
 * (`regret-shrunk` of spade.md section 8).
 * @module
 */
import { type Outcome, type RecordOf, scored, skipped } from "../core/mod.ts";
import { shrinkRegret, shrunkNoise } from "../reward/mod.ts";
import { groupBy } from "./group.ts";

/** Shrunken regret of one record, and what its clipped signal shows on average at zero true regret. */
export interface ShrunkRegret {
  outcome: Outcome;
  noiseFloor: number | null;
}

/**
 * Shrunken regrets by the id of their record. `every`: rollouts of an epoch, whose plain plays are pooled.
 * Missing below two scored plays in an arm.
 */
export function shrunkRegrets(
  regrets: readonly RecordOf<"regret">[],
  plays: readonly RecordOf<"play">[],
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
function returnsOf(plays: readonly RecordOf<"play">[]): number[] {
  return plays.flatMap(({ outcome }) => outcome.kind === "scored" ? [outcome.value] : [])
    .sort((a, b) => a - b);
}
