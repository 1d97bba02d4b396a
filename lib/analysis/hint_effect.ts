/**
 * What the hint changes, pair by pair: the same instance with and without it.
 * @module
 */
import { type RecordOf, scored } from "../core/mod.ts";
import type { PlayPair } from "./environments.ts";
import { type BootstrapOptions, type Estimate, estimateMean } from "./estimate.ts";
import { groupBy } from "./group.ts";

/** What the comparison needs of a pair of plays. */
export type HintPair = Pick<
  PlayPair<Pick<RecordOf<"play">, "outcome" | "success" | "turns">>,
  "environmentId" | "plain" | "hinted"
>;

/** Pairs scored in both arms, by who succeeded. */
export interface HintEffect {
  /** Undefined: all skills. */
  skill?: string;
  /** All that are counted. */
  pairs: number;
  /** Succeeded with and without the hint. */
  both: number;
  /** Only with it. */
  hintedOnly: number;
  /** Only without it. */
  plainOnly: number;
  /** Not at all. */
  neither: number;
  /** Hinted minus plain return; clusters are environments. */
  difference: Estimate;
  /** Hinted minus plain turns, over pairs that succeeded in both arms: whether the hint makes it quicker. */
  turns: Estimate;
  /** Pairs with a side that has no score: in none of the counts. */
  missing: number;
}

/**
 * One row for all pairs and one a skill; `skills` names each environment's. Pairs of which one arm was not played
 * are not counted at all.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const play = (value: number) => ({ outcome: scored(value), success: value === 1, turns: 2 });
 * const [all] = hintEffect([
 *   { environmentId: "a", plain: play(0), hinted: play(1) },
 *   { environmentId: "b", plain: play(1), hinted: play(1) },
 * ]);
 * assert.deepEqual([all.hintedOnly, all.both, all.difference.mean], [1, 1, 0.5]);
 * ```
 */
export function hintEffect(
  pairs: readonly HintPair[],
  skills: ReadonlyMap<string, string> = new Map(),
  options: BootstrapOptions = {},
): HintEffect[] {
  const played = pairs.filter(({ plain, hinted }) => plain && hinted);
  const known = played.filter(({ environmentId }) => skills.has(environmentId));
  const bySkill = [...groupBy(known, ({ environmentId }) => skills.get(environmentId)!)]
    .sort(([a], [b]) => a < b ? -1 : 1);
  const groups: [string | undefined, HintPair[]][] = [[undefined, played], ...bySkill];
  return groups.filter(([, of]) => of.length > 0).map(([skill, of]) => effect(skill, of, options));
}

function effect(
  skill: string | undefined,
  of: readonly HintPair[],
  options: BootstrapOptions,
): HintEffect {
  const differences = [], turns = [];
  const counts = { both: 0, hintedOnly: 0, plainOnly: 0, neither: 0 };
  for (const { environmentId, plain, hinted } of of) {
    const [one, other] = [plain!.outcome, hinted!.outcome];
    if (one.kind !== "scored" || other.kind !== "scored") continue;
    differences.push({ cluster: environmentId, outcome: scored(other.value - one.value) });
    if (plain!.success && hinted!.success) {
      counts.both++;
      turns.push({ cluster: environmentId, outcome: scored(hinted!.turns - plain!.turns) });
    } else if (hinted!.success) counts.hintedOnly++;
    else if (plain!.success) counts.plainOnly++;
    else counts.neither++;
  }
  return {
    skill,
    pairs: differences.length,
    ...counts,
    difference: estimateMean(differences, options),
    turns: estimateMean(turns, options),
    missing: of.length - differences.length,
  };
}
