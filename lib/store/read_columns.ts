/**
 * Columns of a table as arrays, for a million rows and more: no row objects. The rows come in the
 * order they were first written, whatever index SQLite uses.
 * @module
 */
import { StoreError, type TableName } from "../core/mod.ts";
import { aligned, decodeText } from "./codec.ts";
import { type Column, type ColumnKind, columnNamed } from "./columns.ts";
import { type Where, whereSql } from "./query.ts";
import { guarded } from "./sqlite.ts";
import { databaseOf, type Store } from "./store.ts";
import { takeRows } from "./take_rows.ts";

/**
 * One column. `values` is an Int32Array for integers (a Float64Array where one is larger), a
 * Float64Array for reals, an Int32Array or Float64Array per row for packed lists, and a plain array
 * for the other kinds and wherever a value is missing: then it holds null.
 */
export interface ColumnValues {
  /** Its name. */
  name: string;
  /** How it is stored. */
  kind: ColumnKind;
  /** A value a row. */
  values: Int32Array | Float64Array | unknown[];
}

/**
 * Reads the named columns of the rows that match, in the order of `names`. One consistent state,
 * also while another process writes.
 *
 * @throws {TypeError} where a column is unknown or cannot be filtered by
 * @throws {StoreError} where the database is damaged
 */
export function readColumns<T extends TableName>(
  store: Store,
  table: T,
  names: readonly string[],
  where: Where<T> = {},
): ColumnValues[] {
  const columns = names.map((name) => columnNamed(table, name));
  const filter = whereSql(table, where);
  const collected = columns.map((): unknown[] => []);
  const adders = columns.map((column, at) => adderOf(table, column, collected[at]));
  return guarded(`read ${table}`, () => {
    takeRows(databaseOf(store), {
      columns: names,
      from: `"${table}"${filter.sql} ORDER BY rowid`,
      values: filter.values,
    }, (row) => {
      for (let at = 0; at < adders.length; at++) adders[at](row[at]);
    });
    return columns.map(({ name, kind }, at) => ({
      name,
      kind,
      values: packed(kind, collected[at]),
    }));
  });
}

/** Runs reads that must see one state of the run, also while another process writes. */
export function readTogether<R>(store: Store, reads: () => R): R {
  const db = databaseOf(store);
  if (db.isTransaction) return reads();
  db.exec("BEGIN");
  try {
    return reads();
  } finally {
    db.exec("COMMIT");
  }
}

/** Appends one decoded value. */
function adderOf(table: TableName, column: Column, values: unknown[]): (value: unknown) => void {
  const decode = decoderOf(column);
  if (decode === undefined) return (value) => values.push(value);
  return (value) => {
    try {
      values.push(value === null ? null : decode(value));
    } catch (cause) {
      throw new StoreError(`Cannot read ${table}.${column.name} of row ${values.length + 1}`, {
        cause,
      });
    }
  };
}

function decoderOf({ kind }: Column): ((value: unknown) => unknown) | undefined {
  switch (kind) {
    case "integer":
    case "real":
      return undefined;
    case "boolean":
      return (value) => value === 1;
    case "text":
      return textDecoder();
    case "ids":
      return (value) => new Int32Array(aligned(value as Uint8Array, 4));
    case "floats":
      return (value) => new Float64Array(aligned(value as Uint8Array, 8));
    case "json":
      return jsonDecoder();
  }
}

/** Texts that repeat (arms, finishes, ids of parents) are kept once while they are few. */
function textDecoder(): (value: unknown) => string {
  const most = 1000;
  const known = new Map<string, string>();
  return (value) => {
    const text = decodeText(value as string);
    if (known.size > most) return text;
    const same = known.get(text);
    if (same === undefined) known.set(text, text);
    return same ?? text;
  };
}

/** Short values that repeat (outcomes) are parsed once while they are few; rows then share one frozen value. */
function jsonDecoder(): (value: unknown) => unknown {
  const most = 1000, longest = 200;
  const known = new Map<string, unknown>();
  return (value) => {
    const text = value as string;
    if (text.length > longest || known.size > most) return JSON.parse(decodeText(text));
    if (!known.has(text)) known.set(text, frozen(JSON.parse(decodeText(text))));
    return known.get(text);
  };
}

function frozen(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}

function packed(kind: ColumnKind, values: unknown[]): ColumnValues["values"] {
  if (kind !== "integer" && kind !== "real" || values.includes(null)) return values;
  const numbers = values as number[];
  return kind === "integer" && numbers.every((value) => (value | 0) === value)
    ? Int32Array.from(numbers)
    : Float64Array.from(numbers);
}
