/**
 * Groups: the plays of one environment in one rollout and one arm, with different seeds. Anything else in one group
 * raises. From groups to the agent's units of the loss.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { type AdvantageRule, agentAdvantages, type GroupAdvantages } from "./advantages.ts";

/** The fields of a `play` record that matter here. */
export type GroupPlay = Pick<
  RecordOf<"play">,
  "id" | "rollout" | "environmentId" | "arm" | "index" | "seed" | "outcome" | "truncated"
>;

/** Plays of one environment, rollout and arm, in order of index. */
export interface Group {
  /** The environment played. */
  environmentId: string;
  /** When it was played. */
  rollout: number;
  /** In which arm. */
  arm: GroupPlay["arm"];
  /** In order of index, at least one. */
  plays: GroupPlay[];
}

/**
 * One group of plays.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const play = (index: number, arm: "plain" | "hinted" = "plain") => ({
 *   ...{ id: `${arm}${index}`, rollout: 0, environmentId: "a", arm, index, seed: index },
 *   ...{ outcome: scored(index), truncated: false },
 * });
 * assert.deepEqual(createGroup([play(1), play(0)]).plays.map(({ index }) => index), [0, 1]);
 * assert.throws(() => createGroup([play(0), play(1, "hinted")]), /arm of play hinted1 is hinted/);
 * ```
 *
 * @throws {TypeError} when environments, rollouts or arms are mixed, or a seed or id occurs twice.
 */
export function createGroup(plays: readonly GroupPlay[]): Group {
  if (plays.length === 0) {
    throw new TypeError("Cannot create a group: there is no play, must be at least one");
  }
  const [{ environmentId, rollout, arm }] = plays;
  for (const play of plays) {
    const key = { environmentId, rollout, arm };
    for (const name of ["environmentId", "rollout", "arm"] as const) {
      if (play[name] !== key[name]) {
        throw new TypeError(
          `Cannot create a group: ${name} of play ${play.id} is ${play[name]}, must be ${
            key[name]
          }`,
        );
      }
    }
  }
  for (const name of ["seed", "id"] as const) {
    const seen = new Set<number | string>();
    for (const play of plays) {
      if (seen.has(play[name])) {
        throw new TypeError(
          `Cannot create a group: ${name} ${play[name]} occurs twice, must differ within a group`,
        );
      }
      seen.add(play[name]);
    }
  }
  const ordered = [...plays].sort((a, b) => a.index - b.index || compare(a.id, b.id));
  return { environmentId, rollout, arm, plays: ordered };
}

/**
 * All plays by group, groups in order of environment id, rollout and arm, whatever order the plays came in.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const plays = ["b", "a", "b"].map((environmentId, index) => ({
 *   ...{ id: String(index), rollout: 0, environmentId, arm: "plain" as const, index, seed: index },
 *   ...{ outcome: scored(0), truncated: false },
 * }));
 * const sizes = groupPlays(plays).map((group) => [group.environmentId, group.plays.length]);
 * assert.deepEqual(sizes, [["a", 1], ["b", 2]]);
 * ```
 */
export function groupPlays(plays: readonly GroupPlay[]): Group[] {
  const byKey = new Map<string, GroupPlay[]>();
  for (const play of plays) {
    const key = JSON.stringify([play.environmentId, play.rollout, play.arm]);
    byKey.set(key, [...byKey.get(key) ?? [], play]);
  }
  return [...byKey.values()].map(createGroup).sort((a, b) =>
    compare(a.environmentId, b.environmentId) || a.rollout - b.rollout || compare(a.arm, b.arm)
  );
}

/** How groups become units. */
export interface AgentOptions {
  /** How returns become advantages. @default "grpo" */
  rule?: AdvantageRule;
  /** μ of each environment under `ema-baseline`. */
  baselines?: Readonly<Record<string, number>>;
  /** Zero-spread groups leave the batch and U. @default false, as published */
  dropDeadGroups?: boolean;
  /** Truncated plays count in their group's mean and spread, their units leave U. @default false */
  maskTruncated?: boolean;
  /** Plays a full group has; fewer scored ones make it short. @default 0 */
  plays?: number;
  /** Published: a failed play counts -1 and is trained, groups of one are kept. @default false */
  parity?: boolean;
}

/** One play as a unit of the loss. */
export interface AgentUnit {
  /** Id of the play. */
  id: string;
  /** Environment of its group. */
  environmentId: string;
  /** The same for every trained token of the play. */
  advantage: number;
}

/** The agent's part of a batch, with everything that left it counted. */
export interface AgentUnits {
  /** In order of groups and plays. */
  units: AgentUnit[];
  /** Groups with at least one play given. */
  groups: number;
  /** Groups kept for training. */
  kept: number;
  /** Zero-spread groups, kept or not; `allZero` and `allOne` are those with every return 0 or 1. */
  deadGroups: number;
  /** Groups with every return 0: too hard. */
  allZero: number;
  /** Groups with every return 1: too easy. */
  allOne: number;
  /** Trained with fewer plays than asked for. */
  shortGroups: number;
  /** Fewer than 2 scored plays: not trained. */
  droppedGroups: number;
  /** Failed or skipped plays: in no mean, in no unit [D14]. */
  unscored: number;
  /** Units left out by `maskTruncated`. */
  maskedTruncated: number;
  /** Mean scored return of each group with at least 2 scored plays, by environment; moves `ema-baseline`. */
  means: Record<string, number>;
  /** What the user should know, one sentence each. */
  warnings: string[];
}

/**
 * Share of zero-spread groups [D17] among those with at least 2 scored plays; undefined without any.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const plays = [["a", 0], ["a", 0], ["b", 0], ["b", 1]].map(([environmentId, value], index) => ({
 *   ...{ id: String(index), rollout: 0, environmentId: String(environmentId), index, seed: index },
 *   ...{ arm: "plain" as const, outcome: scored(Number(value)), truncated: false },
 * }));
 * assert.equal(deadShare(agentUnits(groupPlays(plays))), 0.5);
 * ```
 */
export function deadShare(counts: AgentUnits): number | undefined {
  const compared = counts.groups - counts.droppedGroups;
  return compared > 0 ? counts.deadGroups / compared : undefined;
}

/**
 * Units of all plain groups. A group with fewer than 2 scored plays is dropped and counted [D18]; nothing is cut or
 * padded.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { failed, scored } from "../core/mod.ts";
 * const outcomes = [scored(1), scored(0), failed("host", "crash")];
 * const plays = outcomes.map((outcome, index) => ({
 *   ...{ id: String(index), rollout: 0, environmentId: "a", arm: "plain" as const, index },
 *   ...{ seed: index, outcome, truncated: false },
 * }));
 * const { units, unscored } = agentUnits(groupPlays(plays), { rule: "mean-only" });
 * assert.deepEqual(units.map(({ advantage }) => advantage), [0.5, -0.5]);
 * assert.equal(unscored, 1);
 * ```
 *
 * @throws {TypeError} for a hinted group: hinted plays are never trained.
 */
export function agentUnits(groups: readonly Group[], options: AgentOptions = {}): AgentUnits {
  const result: AgentUnits = {
    units: [],
    ...{ groups: groups.length, kept: 0, deadGroups: 0, allZero: 0, allOne: 0 },
    ...{ shortGroups: 0, droppedGroups: 0, unscored: 0, maskedTruncated: 0 },
    means: {},
    warnings: [],
  };
  for (const group of groups) addGroup(result, group, options);
  return result;
}

function addGroup(result: AgentUnits, group: Group, options: AgentOptions): void {
  if (group.arm === "hinted") {
    throw new TypeError(
      `Cannot train a group: arm of environment ${group.environmentId} is hinted, must be plain`,
    );
  }
  const scored = scoredPlays(group, options.parity ?? false);
  result.unscored += group.plays.length - scored.length;
  if (scored.length < 2 && !options.parity || scored.length === 0) {
    result.droppedGroups++;
    result.warnings.push(
      `environment ${group.environmentId}: ${scored.length} scored plays, group not trained`,
    );
    return;
  }
  const returns = scored.map((item) => item.value);
  const { advantages, mean, dead, warning }: GroupAdvantages = agentAdvantages(returns, {
    rule: options.rule,
    baseline: options.baselines?.[group.environmentId] ?? null,
  });
  result.means[group.environmentId] = mean;
  if (warning) result.warnings.push(`environment ${group.environmentId}: ${warning}`);
  if (dead) {
    result.deadGroups++;
    if (returns[0] === 0) result.allZero++;
    if (returns[0] === 1) result.allOne++;
    if (options.dropDeadGroups) return;
  }
  result.kept++;
  if (scored.length < (options.plays ?? 0)) result.shortGroups++;
  scored.forEach(({ play }, i) => {
    if (options.maskTruncated && play.truncated) result.maskedTruncated++;
    else {
      const { id, environmentId } = play;
      result.units.push({ id, environmentId, advantage: advantages[i] });
    }
  });
}

function scoredPlays(group: Group, parity: boolean): { play: GroupPlay; value: number }[] {
  return group.plays.flatMap((play) => {
    if (play.outcome.kind === "scored") return [{ play, value: play.outcome.value }];
    return parity && play.outcome.kind === "failed" ? [{ play, value: -1 }] : [];
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
