/**
 * A stored table as an arquero table: columns, no row objects.
 * @module
 */
import { ColumnTable } from "arquero";
import type { Outcome, TableName } from "../../core/mod.ts";
import { type ColumnValues, readColumns, type Store, type Where } from "../../store/mod.ts";
import {
  chooseColumns,
  type FrameColumn,
  type FrameColumnInfo,
  type OutcomeColumn,
  spreadOutcome,
} from "./columns.ts";
import { type ColumnLike, withKind } from "./kinds.ts";

/** What of a table is read. */
export interface TableOptions<T extends TableName> {
  /** Columns to read. @default all but token ids and log-probabilities */
  columns?: readonly FrameColumn<T>[];
  /**
   * Only rows with these values: `{ rollout: 3 }`, or one of a list: `{ rollout: [3, 4] }`. Not by JSON or packed
   * columns, so not by an outcome. @default all rows
   */
  where?: Where<T>;
}

/**
 * Reads a table: a row a record in the order they were written, a column a field. Integers and reals are typed arrays;
 * booleans, texts, JSON values and columns with something missing are plain arrays. Missing is null, never 0; an
 * `outcome` becomes the columns of {@link OutcomeColumn}.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Store } from "../../store/mod.ts";
 *
 * using store = Store.memory();
 * const play = { rollout: 0, environmentId: "e", arm: "plain" as const, seed: 1, success: false,
 *   terminated: true, truncated: false, turns: 2, versionFirst: 0, versionLast: 0, hung: false, attempts: 1 };
 * store.transaction(() => store.insert("play", [
 *   { ...play, id: "a", index: 0, outcome: { kind: "scored", value: 0.5 } },
 *   { ...play, id: "b", index: 1, outcome: { kind: "failed", blame: "host", reason: "deadline" } },
 * ]));
 * const plays = readTable(store, "play", { columns: ["index", "value", "blame"] });
 * assert.deepEqual(plays.objects(), [
 *   { index: 0, value: 0.5, blame: null },
 *   { index: 1, value: null, blame: "host" },
 * ]);
 * ```
 *
 * @throws UsageError when a column does not exist
 * @throws TypeError when the rows cannot be filtered by a column
 * @throws StoreError when the database is damaged
 */
export function readTable<T extends TableName>(
  store: Store,
  table: T,
  options: TableOptions<T> = {},
): ColumnTable {
  const chosen = chooseColumns(table, options.columns);
  const from = [...new Set(chosen.map((column) => column.from))];
  const stored = new Map(
    readColumns(store, table, from, options.where).map((column) => [column.name, column]),
  );
  const columns = chosen.map((column): [string, ColumnLike] => [
    column.name,
    withKind(valuesOf(column, stored.get(column.from)!), column.kind),
  ]);
  return new ColumnTable(Object.fromEntries(columns) as never, columns.map(([name]) => name));
}

function valuesOf(column: FrameColumnInfo, stored: ColumnValues): ColumnLike {
  if (column.from !== "outcome") return stored.values;
  const values = spreadOutcome(stored.values as Outcome[], column.name as OutcomeColumn);
  const isWhole = column.kind === "real" && !values.includes(null);
  return isWhole ? Float64Array.from(values as number[]) : values;
}
