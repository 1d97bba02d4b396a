/**
 * Held-out performance: the learning curve and the paired rise, from the table `evaluation`.
 *
 * `updates` is the number of rollouts done when the weights were evaluated, 0 for the starting weights. The number of a play is its return (spade.md section 1).
 * @module
 */
import { type Outcome, type RecordOf, scored, skipped } from "../core/mod.ts";
import { type BootstrapOptions, type Estimate, estimateMean } from "./estimate.ts";
import { groupBy } from "./group.ts";

/** One held-out play, a record of the table `evaluation`. */
export type Evaluation = RecordOf<"evaluation">;
/** Held-out set: `dev` to choose by, `test` to report. */
export type EvaluationSet = Evaluation["set"];
/** How answers were drawn: at temperature 1, or the likeliest token each time. */
export type Mode = Evaluation["mode"];
/** Families the nano corpus knew, families it never saw, or both. */
export type Part = "all" | "seen" | "unseen";

/** All modes, in the order of tables. */
export const modes: readonly Mode[] = ["sampled", "greedy"];
/** All parts, in the order of tables. */
export const parts: readonly Part[] = ["all", "seen", "unseen"];

/** Which held-out set, and how its intervals are drawn. */
export interface HeldoutOptions extends BootstrapOptions {
  /** Held-out set. @default "dev" */
  set?: EvaluationSet;
}

/** Mean return of one evaluation: which weights, how sampled, on which part. */
export interface CurvePoint extends Estimate {
  /** Held-out set. */
  set: EvaluationSet;
  /** How answers were drawn. */
  mode: Mode;
  /** Families it is over. */
  part: Part;
  /** Rollouts done when the weights were evaluated; 0 for the starting weights. */
  updates: number;
}

/**
 * Points ordered by mode, part and updates; parts and modes without records are left out.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const row = (rollout: number, index: number, value: number): Evaluation =>
 *   ({ id: `${rollout}/${index}`, rollout, set: "dev", weights: rollout === 0 ? "base" : "current", mode: "greedy",
 *     environmentId: `e${index}`, family: "sums", seen: true, index, seed: index, outcome: scored(value),
 *     success: value === 1, turns: 1 });
 * const curve = learningCurve([row(0, 0, 0), row(0, 1, 0), row(12, 0, 0), row(12, 1, 1)]);
 * const all = curve.filter(({ part }) => part === "all");
 * assert.deepEqual(all.map(({ updates, mean }) => [updates, mean]), [[0, 0], [12, 0.5]]);
 * ```
 */
export function learningCurve(
  evaluation: readonly Evaluation[],
  options: HeldoutOptions = {},
): CurvePoint[] {
  const { set = "dev" } = options;
  const points: CurvePoint[] = [];
  for (const mode of modes) {
    for (const part of parts) {
      const rows = evaluation.filter((r) => r.set === set && r.mode === mode && isIn(r, part));
      for (const [updates, of] of groupBy(rows, updatesOf)) {
        const items = of.map((r) => ({ cluster: r.environmentId, outcome: r.outcome }));
        points.push({ set, mode, part, updates, ...estimateMean(items, options) });
      }
    }
  }
  return points;
}

/** Base and final mean and their difference over pairs of the same environment and play index. */
export interface Rise extends Estimate {
  /** Held-out set. */
  set: EvaluationSet;
  /** How answers were drawn. */
  mode: Mode;
  /** Families it is over. */
  part: Part;
  /** Family name, in tables by family. */
  family?: string;
  /** Rollouts done when the final weights were evaluated. */
  updates: number;
  /** Mean return of the starting weights. */
  base: Estimate;
  /** Mean return of the last weights evaluated. */
  final: Estimate;
}

/**
 * Paired rise from the starting weights to the last evaluated ones. A pair is scored when both plays are; a play
 * without partner makes a skipped pair. Empty without an evaluation of both.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const row = (rollout: number, index: number, value: number): Evaluation =>
 *   ({ id: `${rollout}/${index}`, rollout, set: "dev", weights: rollout === 0 ? "base" : "current", mode: "greedy",
 *     environmentId: `e${index}`, family: "sums", seen: true, index, seed: index, outcome: scored(value),
 *     success: value === 1, turns: 1 });
 * // The second play of the last weights has no partner: it is skipped, not counted as a rise from 0.
 * const [rise] = pairedRise([row(0, 0, 0), row(12, 0, 1), row(12, 1, 1)]);
 * assert.deepEqual([rise.mean, rise.scored, rise.skipped, rise.updates], [1, 1, 1, 12]);
 * ```
 */
export function pairedRise(
  evaluation: readonly Evaluation[],
  options: HeldoutOptions = {},
): Rise[] {
  const { set = "dev" } = options;
  return modes.flatMap((mode) =>
    parts.flatMap((part) => {
      const rows = evaluation.filter((r) => r.set === set && r.mode === mode && isIn(r, part));
      const found = rise(rows, options);
      return found ? [{ set, mode, part, ...found }] : [];
    })
  );
}

/**
 * The same rise for each family, temperature 1 and greedy; families in alphabetical order.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const row = (rollout: number, family: string, value: number): Evaluation =>
 *   ({ id: `${rollout}/${family}`, rollout, set: "dev", weights: rollout === 0 ? "base" : "current", mode: "greedy",
 *     environmentId: family, family, seen: family === "sums", index: 0, seed: 0, outcome: scored(value),
 *     success: value === 1, turns: 1 });
 * const rows = riseByFamily([row(0, "sums", 0), row(9, "sums", 1), row(0, "mazes", 0), row(9, "mazes", 0)]);
 * assert.deepEqual(rows.map(({ family, part, mean }) => [family, part, mean]),
 *   [["mazes", "unseen", 0], ["sums", "seen", 1]]);
 * ```
 */
export function riseByFamily(
  evaluation: readonly Evaluation[],
  options: HeldoutOptions = {},
): Rise[] {
  const { set = "dev" } = options;
  const rows = evaluation.filter((r) => r.set === set);
  const families = [...groupBy(rows, (r) => r.family)].sort(([a], [b]) => (a < b ? -1 : 1));
  return families.flatMap(([family, of]) =>
    modes.flatMap((mode) => {
      const found = rise(of.filter((r) => r.mode === mode), options);
      const part: Part = of[0].seen ? "seen" : "unseen";
      return found ? [{ set, mode, part, family, ...found }] : [];
    })
  );
}

type Difference = Omit<Rise, "set" | "mode" | "part" | "family">;

function rise(rows: readonly Evaluation[], options: BootstrapOptions): Difference | undefined {
  const last = rows.reduce((most, r) => Math.max(most, updatesOf(r)), 0);
  const base = rows.filter((r) => updatesOf(r) === 0);
  if (base.length === 0 || last === 0) return undefined;
  const final = rows.filter((r) => updatesOf(r) === last);
  const before = new Map(base.map((r) => [pairKey(r), r.outcome]));
  const after = new Map(final.map((r) => [pairKey(r), r.outcome]));
  const named = new Map([...base, ...final].map((r) => [pairKey(r), r.environmentId]));
  const pairs = [...named].map(([key, cluster]) => ({
    cluster,
    outcome: difference(before.get(key), after.get(key)),
  }));
  const plays = (of: Evaluation[]) =>
    estimateMean(of.map((r) => ({ cluster: r.environmentId, outcome: r.outcome })), options);
  return {
    updates: last,
    base: plays(base),
    final: plays(final),
    ...estimateMean(pairs, options),
  };
}

function difference(before: Outcome | undefined, after: Outcome | undefined): Outcome {
  if (!before || !after) return skipped("no partner");
  if (before.kind === "scored" && after.kind === "scored") {
    return scored(after.value - before.value);
  }
  return before.kind === "failed" ? before : after.kind === "failed" ? after : skipped("unscored");
}

function pairKey(row: Evaluation): string {
  return `${row.environmentId}/${row.index}`;
}

function updatesOf(row: Evaluation): number {
  return row.weights === "base" ? 0 : row.rollout;
}

function isIn(row: Evaluation, part: Part): boolean {
  return part === "all" || row.seen === (part === "seen");
}
