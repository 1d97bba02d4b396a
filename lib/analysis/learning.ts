/**
 * Held-out performance: the learning curve and the paired rise, from the table `evaluation`.
 *
 * `updates` is the number of rollouts done when the weights were evaluated, 0 for the starting weights. The number of a play is its return (spade.md section 1).
 * @module
 */
import { type Outcome, type RecordOf, scored, skipped } from "../core/mod.ts";
import { type BootstrapOptions, type Estimate, estimateMean } from "./estimate.ts";
import { groupBy } from "./group.ts";

export type Evaluation = RecordOf<"evaluation">;
export type EvaluationSet = Evaluation["set"];
export type Mode = Evaluation["mode"];
/** Families the nano corpus knew, families it never saw, or both. */
export type Part = "all" | "seen" | "unseen";

export const modes: readonly Mode[] = ["sampled", "greedy"];
export const parts: readonly Part[] = ["all", "seen", "unseen"];

export interface HeldoutOptions extends BootstrapOptions {
  /** @default "dev" */
  set?: EvaluationSet;
}

/** Mean return of one evaluation: which weights, how sampled, on which part. */
export interface CurvePoint extends Estimate {
  set: EvaluationSet;
  mode: Mode;
  part: Part;
  updates: number;
}

/** Points ordered by mode, part and updates; parts and modes without records are left out. */
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
  set: EvaluationSet;
  mode: Mode;
  part: Part;
  /** Family name, in tables by family. */
  family?: string;
  updates: number;
  base: Estimate;
  final: Estimate;
}

/**
 * Paired rise from the starting weights to the last evaluated ones. A pair is scored when both plays are; a play
 * without partner makes a skipped pair. Empty without an evaluation of both.
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

/** The same rise for each family, temperature 1 and greedy; families in alphabetical order. */
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
