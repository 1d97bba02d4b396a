/**
 * Held-out performance of two runs, or of two ways to train over several seeds, compared pair by pair.
 * @module
 */
import { type Outcome, scored, skipped } from "../core/mod.ts";
import { type Estimate, estimateMean } from "./estimate.ts";
import { type Evaluation, type HeldoutOptions, pairedRise, type Rise } from "./learning.ts";

/**
 * Last evaluation of the second run less that of the first, over pairs of the same held-out environment and play
 * index; `base` is the first run, `final` the second. The interval is over environments: it is about these two
 * runs, not about two ways to train, for which one seed is one case ({@link differenceOverSeeds}). Empty where one
 * has no evaluation.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * import type { Evaluation } from "./learning.ts";
 * const run = (...returns: number[]) => returns.map((value, i): Evaluation =>
 *   ({ id: `${i}`, rollout: 10, set: "dev", weights: "current", mode: "greedy", environmentId: `e${i}`,
 *     family: "sums", seen: true, index: 0, seed: i, outcome: scored(value), success: value === 1, turns: 1 }));
 * const [difference] = differenceBetween(run(0, 0, 1, 0), run(1, 0, 1, 1));
 * assert.deepEqual([difference.mode, difference.part, difference.mean], ["greedy", "all", 0.5]);
 * ```
 */
export function differenceBetween(
  first: readonly Evaluation[],
  second: readonly Evaluation[],
  options: HeldoutOptions = {},
): Rise[] {
  const { set = "dev" } = options;
  const base = lastOf(first, set).map((row) => ({ ...row, weights: "base" as const }));
  const final = lastOf(second, set)
    .map((row) => ({ ...row, weights: "current" as const, rollout: Math.max(1, row.rollout) }));
  return pairedRise([...base, ...final], options);
}

/** Difference of one mode and part over seeds. */
export interface SeedDifference extends Estimate {
  /** Held-out set. */
  set: Rise["set"];
  /** How answers were drawn. */
  mode: Rise["mode"];
  /** Families seen in training, unseen, or all. */
  part: Rise["part"];
  /** Mean difference of each seed, in the order given; undefined where it could not be told. */
  bySeed: (number | undefined)[];
}

/**
 * Second less first way to train: each seed's {@link differenceBetween}, its mean over seeds and a 95 % bootstrap
 * interval in which seeds are drawn. `runs` holds the evaluations of both ways for each seed. No interval below
 * four seeds.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * import type { Evaluation } from "./learning.ts";
 * const run = (value: number): Evaluation[] =>
 *   [{ id: "0", rollout: 10, set: "dev", weights: "current", mode: "greedy", environmentId: "e",
 *     family: "sums", seen: true, index: 0, seed: 0, outcome: scored(value), success: value === 1, turns: 1 }];
 * const [all] = differenceOverSeeds([{ first: run(0), second: run(1) }, { first: run(0), second: run(0) }]);
 * assert.deepEqual([all.bySeed, all.mean], [[1, 0], 0.5]);
 * assert.equal(all.interval, "none: 2 seeds, needs 4");
 * ```
 */
export function differenceOverSeeds(
  runs: readonly { first: readonly Evaluation[]; second: readonly Evaluation[] }[],
  options: HeldoutOptions = {},
): SeedDifference[] {
  // The inner intervals are not shown.
  const inner = { ...options, draws: 0 };
  const rises = runs.map(({ first, second }) => differenceBetween(first, second, inner));
  const kinds = new Map(rises.flat().map((rise) => [`${rise.mode}/${rise.part}`, rise]));
  return [...kinds.values()].map(({ set, mode, part }) => {
    const bySeed = rises.map((of) =>
      of.find((rise) => rise.mode === mode && rise.part === part)?.mean
    );
    const outcome = (mean: number | undefined): Outcome =>
      mean === undefined ? skipped("no pairs") : scored(mean);
    const estimate = estimateMean(
      bySeed.map((mean, i) => ({ cluster: `seed ${i}`, outcome: outcome(mean) })),
      options,
    );
    const interval = estimate.interval.replace("environments", "seeds");
    return { set, mode, part, bySeed, ...estimate, interval };
  });
}

/** Rows of the newest weights evaluated. */
function lastOf(rows: readonly Evaluation[], set: Rise["set"]): Evaluation[] {
  const updates = (row: Evaluation) => row.weights === "base" ? 0 : row.rollout;
  const own = rows.filter((row) => row.set === set);
  const last = own.reduce((most, row) => Math.max(most, updates(row)), 0);
  return own.filter((row) => updates(row) === last);
}
