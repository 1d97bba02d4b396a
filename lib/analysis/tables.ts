/**
 * The tables of one run as plain arrays: what every function of this room and of `lib/show` takes.
 * @module
 */
import type { RecordOf, TableName } from "../core/mod.ts";

/** Missing tables are empty arrays. */
export type RunTables = { readonly [K in TableName]: readonly RecordOf<K>[] };

/** The one method of a store that reading needs; the store of `lib/store` has it. */
export interface TableReader {
  all<K extends TableName>(table: K, query?: { where?: Partial<RecordOf<K>> }): RecordOf<K>[];
}

/** Tables the report reads. Replies carry their ids and log-probabilities: some 10 MB for a nano run. */
export const reportTables: readonly TableName[] = [
  "run",
  "reply",
  "environment",
  "gate",
  "active",
  "play",
  "regret",
  "sample",
  "update",
  "ledger",
  "event",
  "evaluation",
];

/** Tables that the inspector's list reads. */
export const listTables: readonly TableName[] = ["run", "environment", "gate", "play", "regret"];

export function emptyTables(): RunTables {
  return {
    run: [],
    document: [],
    reply: [],
    environment: [],
    gate: [],
    hint: [],
    active: [],
    play: [],
    turn: [],
    regret: [],
    sample: [],
    batch: [],
    update: [],
    memory: [],
    ledger: [],
    event: [],
    cursor: [],
    checkpoint: [],
    evaluation: [],
  };
}

/** Reads the named tables of a store; the others stay empty. */
export function loadRun(
  store: TableReader,
  tables: readonly TableName[] = reportTables,
): RunTables {
  const found = Object.fromEntries(tables.map((table) => [table, [...store.all(table)]]));
  return { ...emptyTables(), ...found };
}

/** Reads what is stored about one environment and nothing else; for `environmentDetail`. */
export function loadEnvironment(store: TableReader, environmentId: string): RunTables {
  const where = { environmentId };
  const play = store.all("play", { where });
  const environment = store.all("environment", { where: { id: environmentId } });
  const documentId = environment[0]?.documentId ?? null;
  // By rollout: an environment lives in a few, and turns are many.
  const rollouts = [...new Set(play.map((p) => p.rollout))];
  return {
    ...emptyTables(),
    environment,
    play,
    run: store.all("run"),
    document: documentId === null ? [] : store.all("document", { where: { id: documentId } }),
    gate: store.all("gate", { where }),
    hint: store.all("hint", { where }),
    active: store.all("active", { where }),
    turn: rollouts.flatMap((rollout) => store.all("turn", { where: { rollout } })),
    regret: store.all("regret", { where }),
  };
}
