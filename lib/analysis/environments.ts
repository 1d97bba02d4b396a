/**
 * Environments of a run as the inspector shows them: one line each, or one in full.
 * @module
 */
import { meanScored, type OutcomeCounts, type RecordOf, UsageError } from "../core/mod.ts";
import { gateOrder } from "./validity.ts";
import { epochLength } from "./band.ts";
import { groupBy } from "./group.ts";
import { type ShrunkRegret, shrunkRegrets } from "./shrunk.ts";
import type { RunTables } from "./tables.ts";

/** One program met in a run, played or refused. */
export interface EnvironmentSummary {
  environmentId: string;
  /** Rollout that met it first. */
  rollout: number;
  skill: string;
  className: string;
  description: string;
  passed: number;
  gates: number;
  /** First gate that refused it; undefined where none did. */
  refusedBy?: string;
  plain: { mean?: number } & OutcomeCounts;
  hinted: { mean?: number } & OutcomeCounts;
  /** The newest measured regret. */
  regret?: RecordOf<"regret">;
  hung: boolean;
}

/** All programs, ordered by first rollout, then id. */
export function environmentSummaries(tables: RunTables): EnvironmentSummary[] {
  const gates = groupBy(tables.gate, (g) => g.environmentId);
  const plays = groupBy(tables.play, (p) => p.environmentId);
  const regrets = groupBy(tables.regret, (r) => r.environmentId);
  return [...tables.environment]
    .sort((a, b) => a.rollout - b.rollout || (a.id < b.id ? -1 : 1))
    .map((e) => {
      const judged = firstVerdicts(gates.get(e.id) ?? []);
      const played = plays.get(e.id) ?? [];
      const mean = (arm: "plain" | "hinted") =>
        meanScored(played.filter((p) => p.arm === arm).map((p) => p.outcome));
      return {
        environmentId: e.id,
        rollout: e.rollout,
        skill: e.skill,
        className: e.className,
        description: e.description,
        passed: judged.filter((g) => g.verdict === "pass").length,
        gates: judged.length,
        refusedBy: judged.find((g) => g.verdict === "refuse")?.gate,
        plain: mean("plain"),
        hinted: mean("hinted"),
        regret: newest(regrets.get(e.id) ?? []),
        hung: played.some((p) => p.hung),
      };
    });
}

/** The plays of one seed in both arms; a side is missing where that arm was not played. */
export interface PlayPair {
  environmentId: string;
  rollout: number;
  index: number;
  plain?: RecordOf<"play">;
  hinted?: RecordOf<"play">;
}

/** All plays by environment, rollout and seed: the per-pair data of every regret, in that order. */
export function playPairs(plays: readonly RecordOf<"play">[]): PlayPair[] {
  const seeds = groupBy(plays, (p) => `${p.environmentId}/${p.rollout}/${p.index}`);
  return [...seeds.values()].map((of): PlayPair => ({
    environmentId: of[0].environmentId,
    rollout: of[0].rollout,
    index: of[0].index,
    plain: of.find((p) => p.arm === "plain"),
    hinted: of.find((p) => p.arm === "hinted"),
  })).sort((a, b) =>
    a.environmentId < b.environmentId
      ? -1
      : a.environmentId > b.environmentId
      ? 1
      : a.rollout - b.rollout || a.index - b.index
  );
}

/** Everything stored about one environment. */
export interface EnvironmentDetail {
  summary: EnvironmentSummary;
  environment: RecordOf<"environment">;
  document?: RecordOf<"document">;
  hint?: string;
  hintReason?: string;
  gates: RecordOf<"gate">[];
  regrets: RecordOf<"regret">[];
  /** Shrunken regrets by id of the record. */
  shrunk: Map<string, ShrunkRegret>;
  pairs: PlayPair[];
  /** Turns by play id, in order. */
  turns: Map<string, RecordOf<"turn">[]>;
}

/** Finds an environment by a prefix of its id. Throws {@link UsageError} when none or several match. */
export function findEnvironment(tables: RunTables, prefix: string): RecordOf<"environment"> {
  const found = tables.environment.filter((e) => e.id.startsWith(prefix.toLowerCase()));
  if (found.length === 1) return found[0];
  if (found.length === 0) {
    throw new UsageError(`Cannot find environment ${prefix}: no id of this run starts with it`);
  }
  throw new UsageError(
    `Cannot choose environment ${prefix}: ${found.length} ids start with it, give more digits`,
  );
}

export function environmentDetail(tables: RunTables, prefix: string): EnvironmentDetail {
  const environment = findEnvironment(tables, prefix);
  const is = (row: { environmentId: string | null }) => row.environmentId === environment.id;
  const only = { ...tables, environment: [environment] };
  const plays = tables.play.filter(is);
  const ids = new Set(plays.map((p) => p.id));
  const turns = groupBy(tables.turn.filter((t) => ids.has(t.playId)), (t) => t.playId);
  for (const of of turns.values()) of.sort((a, b) => a.index - b.index);
  const hint = newest(tables.hint.filter(is));
  const active = newest(tables.active.filter(is));
  const regrets = tables.regret.filter(is).sort((a, b) => a.rollout - b.rollout);
  return {
    summary: environmentSummaries(only)[0],
    environment,
    document: tables.document.find((d) => d.id === environment.documentId),
    hint: hint?.text ?? active?.hint ?? undefined,
    hintReason: hint?.reason,
    gates: firstVerdicts(tables.gate.filter(is)),
    regrets,
    shrunk: shrunkRegrets(regrets, plays, { every: epochLength(tables.run[0]) }),
    pairs: playPairs(plays),
    turns,
  };
}

/** Verdicts of the first reply that carried the program (they are cached by id), in gate order. */
function firstVerdicts(gates: readonly RecordOf<"gate">[]): RecordOf<"gate">[] {
  const first = gates.reduce<RecordOf<"gate"> | undefined>(
    (a, b) => a === undefined || b.rollout < a.rollout ? b : a,
    undefined,
  );
  const order = (g: RecordOf<"gate">) => (gateOrder.indexOf(g.gate) + 100) % 100;
  return gates.filter((g) => g.replyId === first?.replyId).sort((a, b) => order(a) - order(b));
}

function newest<T extends { rollout: number }>(rows: readonly T[]): T | undefined {
  return rows.reduce<T | undefined>((a, b) => !a || b.rollout >= a.rollout ? b : a, undefined);
}
