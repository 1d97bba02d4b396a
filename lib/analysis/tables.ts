/**
 * The tables of one run as plain arrays: what every function of this room and of `lib/show` takes.
 * @module
 */
import type { RecordOf, TableName } from "../core/mod.ts";

/** Missing tables are empty arrays. */
export type RunTables = { readonly [K in TableName]: readonly RecordOf<K>[] };

/** The one method of a store that reading needs; the store of `lib/store` has it. */
export interface TableReader {
  /** Records of a table in the order they were written; with `where` only those with these values. */
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

/**
 * All tables without a record: what is given to a function that needs a few of them.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const tables = { ...emptyTables(), document: [{ id: "d", rollout: 0, text: "", skill: "", origin: "", licence: "" }] };
 * assert.deepEqual([tables.document.length, tables.play.length], [1, 0]);
 * ```
 */
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

/**
 * Reads the named tables of a store; the others stay empty.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Store } from "../store/mod.ts";
 * using store = Store.memory();
 * const event = { id: "e", rollout: 0, kind: "note", message: "hello", data: {} };
 * store.transaction(() => store.insert("event", [event]));
 * const tables = loadRun(store, ["event"]);
 * assert.deepEqual([tables.event, tables.play], [[event], []]);
 * ```
 */
export function loadRun(
  store: TableReader,
  tables: readonly TableName[] = reportTables,
): RunTables {
  const found = Object.fromEntries(tables.map((table) => [table, [...store.all(table)]]));
  return { ...emptyTables(), ...found };
}

/**
 * Reads what is stored about one environment and nothing else; for `environmentDetail`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Store } from "../store/mod.ts";
 * using store = Store.memory();
 * const hint = (environmentId: string) =>
 *   ({ id: `h/${environmentId}`, rollout: 0, environmentId, replyId: null, text: "Sort first.", reason: "" });
 * store.transaction(() => store.insert("hint", [hint("a"), hint("b")]));
 * assert.deepEqual(loadEnvironment(store, "a").hint, [hint("a")]);
 * ```
 */
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
