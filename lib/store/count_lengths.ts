/**
 * How long packed lists are, counted by SQLite: for a million rows no list is unpacked.
 * @module
 */
import type { TableName } from "../core/mod.ts";
import { columnNamed } from "./columns.ts";
import { guarded } from "./sqlite.ts";
import { databaseOf, type Store } from "./store.ts";

/** Rows of equal length and equal values of the other columns. */
export interface LengthCount {
  /** Entries of the list. */
  length: number;
  /** Rows that have so many. */
  rows: number;
  /** The other columns, by name. */
  by: Record<string, string | number | null>;
}

const bytes = { ids: 4, floats: 8 };

/**
 * Counts the rows of a table by the length of a packed list and by other columns (integers or texts).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Store } from "./store.ts";
 *
 * using store = Store.memory();
 * assert.deepEqual(countLengths(store, "turn", "ids", ["rollout"]), []);
 * ```
 *
 * @throws {TypeError} where a column is unknown, or `list` is no packed list
 * @throws {StoreError} where the database is damaged
 */
export function countLengths(
  store: Store,
  table: TableName,
  list: string,
  by: readonly string[],
): LengthCount[] {
  const { kind } = columnNamed(table, list);
  if (kind !== "ids" && kind !== "floats") {
    throw new TypeError(`Cannot count lengths of ${table}.${list}: it is ${kind}, must be a list`);
  }
  const names = by.map((name) => `"${columnNamed(table, name).name}"`);
  const keys = [...names, `length("${list}") / ${bytes[kind]}`];
  const positions = keys.map((_, i) => i + 1).join(", ");
  const sql = `SELECT ${keys.join(", ")} AS "length", count(*) AS "rows" FROM "${table}" ` +
    `GROUP BY ${positions} ORDER BY ${positions}`;
  return guarded(`read ${table}`, () => {
    const found = databaseOf(store).prepare(sql).all() as Record<string, string | number | null>[];
    return found.map(({ length, rows, ...rest }) => ({
      length: Number(length),
      rows: Number(rows),
      by: rest,
    }));
  });
}
