/**
 * What a report says of the longest tables without reading them whole: token lengths counted by SQLite, and single
 * columns of batches and turns.
 * @module
 */
import type { RecordOf, TableName } from "../../core/mod.ts";
import { countLengths, readColumns, type Store } from "../../store/mod.ts";
import { type AdvantageTails, advantageTails } from "../advantages.ts";
import { constantWins } from "../audit/constant_wins.ts";
import { earlyWins, shortestSolutions } from "../audit/early_wins.ts";
import type { HackFinding } from "../audit/finding.ts";
import { type Sampled, type TokenLengths, tokenLengths } from "../lengths.ts";

/** What was read. */
export interface LongTables {
  /** Of turns and replies. */
  tokens: TokenLengths[];
  /** Of the batches. */
  advantages: AdvantageTails[];
  /** Of the audits that need no replay: early wins and constant answers. */
  findings: HackFinding[];
}

/**
 * Reads a run's longest tables for its report.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Store } from "../../store/mod.ts";
 *
 * using store = Store.memory();
 * assert.deepEqual(readLongTables(store), { tokens: [], advantages: [], findings: [] });
 * ```
 *
 * @throws StoreError when the database is damaged
 */
export function readLongTables(store: Store): LongTables {
  const plays = readRows(store, "play", [
    "id",
    "environmentId",
    "seed",
    "outcome",
    "success",
    "turns",
  ]);
  const shortest = shortestSolutions(
    readRows(store, "gate", ["environmentId", "gate", "evidence"]),
  );
  return {
    tokens: tokenLengths(sampled(store)),
    advantages: advantageTails(readRows(store, "batch", ["rollout", "sequences"])),
    findings: [
      ...earlyWins(plays, { shortest }),
      ...constantWins(plays, readRows(store, "turn", ["playId", "index", "action"])),
    ],
  };
}

function* sampled(store: Store): Generator<Sampled> {
  const turns = countLengths(store, "turn", "ids", ["rollout", "finish"]);
  const replies = countLengths(store, "reply", "ids", ["rollout", "finish", "role"]);
  for (const { length, rows, by } of [...turns, ...replies]) {
    const one = { ...by, ids: { length } } as unknown as Sampled;
    for (let i = 0; i < rows; i++) yield one;
  }
}

/**
 * Rows with the named fields only: for figures of a long run, a third of the time of whole records.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Store } from "../../store/mod.ts";
 *
 * using store = Store.memory();
 * assert.deepEqual(readRows(store, "play", ["rollout", "environmentId", "arm", "outcome"]), []);
 * ```
 *
 * @throws StoreError when the database is damaged
 */
export function readRows<T extends TableName, K extends keyof RecordOf<T> & string>(
  store: Store,
  table: T,
  names: readonly K[],
): Pick<RecordOf<T>, K>[] {
  const columns = readColumns(store, table, names);
  const rows = Array.from(columns[0].values, (): Record<string, unknown> => ({}));
  for (const { name, values } of columns) {
    for (let i = 0; i < rows.length; i++) rows[i][name] = values[i];
  }
  return rows as Pick<RecordOf<T>, K>[];
}
