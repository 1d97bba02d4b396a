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
  /** Its id, the sha-256 of its source. */
  environmentId: string;
  /** Rollout that met it first. */
  rollout: number;
  /** Skill it was designed for. */
  skill: string;
  /** Name of its class. */
  className: string;
  /** One line on what it asks for. */
  description: string;
  /** Gates passed by the first reply that carried it. */
  passed: number;
  /** Gates that judged that reply. */
  gates: number;
  /** First gate that refused it; undefined where none did. */
  refusedBy?: string;
  /** Plain plays of all rollouts: mean return in [−1, 1], missing where none is scored, and the counts. */
  plain: { mean?: number } & OutcomeCounts;
  /** The same of the hinted plays. */
  hinted: { mean?: number } & OutcomeCounts;
  /** The newest measured regret. */
  regret?: RecordOf<"regret">;
  /** Whether it hung in a play. */
  hung: boolean;
}

/**
 * All programs, ordered by first rollout, then id.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { emptyTables } from "./tables.ts";
 * const environment = { id: "3f2a", rollout: 0, source: "class SumEnv: ...", className: "SumEnv",
 *   description: "Add the numbers.", skill: "Optimization", treeHash: "t", replyId: "r0", documentId: null, parents: [] };
 * const gate = { id: "g0", rollout: 0, replyId: "r0", environmentId: "3f2a", gate: "parse", verdict: "refuse" as const,
 *   reason: "no step()", evidence: {} };
 * const [row] = environmentSummaries({ ...emptyTables(), environment: [environment], gate: [gate] });
 * assert.deepEqual([row.className, row.refusedBy, row.plain.mean], ["SumEnv", "parse", undefined]);
 * ```
 */
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
export interface PlayPair<P = RecordOf<"play">> {
  /** The environment. */
  environmentId: string;
  /** Rollout of both plays. */
  rollout: number;
  /** Index of the play within environment and rollout; it sets the seed of both. */
  index: number;
  /** Without the hint. */
  plain?: P;
  /** With the hint after the first observation. */
  hinted?: P;
}

/**
 * All plays by environment, rollout and seed: the per-pair data of every regret, in that order.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const play = (arm: "plain" | "hinted", index: number) => ({ environmentId: "e", rollout: 0, index, arm });
 * const pairs = playPairs([play("hinted", 0), play("plain", 1), play("plain", 0)]);
 * assert.deepEqual(pairs.map(({ plain, hinted }) => [plain?.index, hinted?.index]), [[0, 0], [1, undefined]]);
 * ```
 */
export function playPairs<
  P extends Pick<RecordOf<"play">, "environmentId" | "rollout" | "index" | "arm">,
>(plays: readonly P[]): PlayPair<P>[] {
  const seeds = groupBy(plays, (p) => `${p.environmentId}/${p.rollout}/${p.index}`);
  return [...seeds.values()].map((of): PlayPair<P> => ({
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
  /** Its line in the list. */
  summary: EnvironmentSummary;
  /** The program and where it comes from. */
  environment: RecordOf<"environment">;
  /** Document it is grounded in; missing where it has none. */
  document?: RecordOf<"document">;
  /** Newest hint; missing where none was written or kept. */
  hint?: string;
  /** Why the newest hint was not kept; empty where it was. */
  hintReason?: string;
  /** Verdicts on the first reply that carried it, in gate order. */
  gates: RecordOf<"gate">[];
  /** Measured regrets by rollout. */
  regrets: RecordOf<"regret">[];
  /** Shrunken regrets by id of the record. */
  shrunk: Map<string, ShrunkRegret>;
  /** All plays, both arms side by side. */
  pairs: PlayPair[];
  /** Turns by play id, in order. */
  turns: Map<string, RecordOf<"turn">[]>;
  /** Advantage of each play that an update trained, by play id; see `trainedPlays`. Missing: not known. */
  trained?: ReadonlyMap<string, number>;
}

/**
 * Finds an environment by a prefix of its id. Throws {@link UsageError} when none or several match.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { emptyTables } from "./tables.ts";
 * const environment = { id: "3f2a91c0", rollout: 0, source: "", className: "SumEnv", description: "", skill: "",
 *   treeHash: "", replyId: null, documentId: null, parents: [] };
 * const tables = { ...emptyTables(), environment: [environment] };
 * assert.equal(findEnvironment(tables, "3F2A").className, "SumEnv");
 * assert.throws(() => findEnvironment(tables, "77"), /no id of this run starts with it/);
 * ```
 */
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

/**
 * Gathers what the tables hold about the environment whose id starts with `prefix`; tables that were not loaded leave
 * their part empty. Throws {@link UsageError} as {@link findEnvironment} does.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { emptyTables } from "./tables.ts";
 * const environment = { id: "3f2a91c0", rollout: 0, source: "", className: "SumEnv", description: "", skill: "",
 *   treeHash: "", replyId: null, documentId: null, parents: [] };
 * const hint = { id: "h0", rollout: 0, environmentId: "3f2a91c0", replyId: null, text: "Sort first.", reason: "" };
 * const detail = environmentDetail({ ...emptyTables(), environment: [environment], hint: [hint] }, "3f2a");
 * assert.deepEqual([detail.hint, detail.pairs], ["Sort first.", []]);
 * ```
 */
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
