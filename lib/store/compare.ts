/**
 * Equality of runs (spade.md section 14): rows compared by id, in all columns but the `measured`
 * ones; events and the chain are not compared. Numbers must be equal to the bit, JSON up to the
 * order of keys.
 * @module
 */
import { Buffer } from "node:buffer";
import type { TableName } from "../core/mod.ts";
import { decodeValue } from "./codec.ts";
import { type Column, tables } from "./columns.ts";
import { guarded } from "./sqlite.ts";
import { databaseOf, type Store } from "./store.ts";

/** Tables left out as a whole. */
export const uncompared: ReadonlySet<TableName> = new Set<TableName>(["event"]);

/** How one table of two runs differs. */
export interface RunDifference {
  /** The table. */
  table: TableName;
  /** First row, by id, that differs. */
  id: string;
  /** First column that differs; undefined where one run has no such row. */
  column: string | undefined;
  /** Stored value in the first run (packed columns as numbers); undefined where the row is missing. */
  a: unknown;
  /** The same in the second run. */
  b: unknown;
  /** Rows of the table that differ or are missing in one run. */
  rows: number;
}

/**
 * The first difference of every table in which two runs differ; none: they are equal.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Store } from "./store.ts";
 * using a = Store.memory(), b = Store.memory();
 * const hint = { id: "h", rollout: 0, environmentId: "e", replyId: null, text: "Sort first.", reason: "" };
 * a.transaction(() => a.insert("hint", hint));
 * b.transaction(() => b.insert("hint", { ...hint, text: "Count first." }));
 * const [{ table, id, column }] = compareRuns(a, b);
 * assert.deepEqual([table, id, column], ["hint", "h", "text"]);
 * ```
 */
export function compareRuns(a: Store, b: Store): RunDifference[] {
  return (Object.keys(tables) as TableName[])
    .filter((table) => !uncompared.has(table))
    .map((table) => guarded(`compare ${table}`, () => compareTable(table, a, b)))
    .filter((difference) => difference !== undefined);
}

type Row = Record<string, unknown>;

function compareTable(table: TableName, a: Store, b: Store): RunDifference | undefined {
  const columns = tables[table].columns.filter((column) => !column.measured);
  let first: RunDifference | undefined;
  for (const [rowA, rowB] of pairs(rowsOf(a, table), rowsOf(b, table))) {
    const column = rowA && rowB &&
      columns.find((one) => !same(one, rowA[one.name], rowB[one.name]));
    if (rowA && rowB && column === undefined) continue;
    first ??= {
      table,
      id: String((rowA ?? rowB)!.id),
      column: column?.name,
      a: column ? decodeValue(column, rowA![column.name]) : rowA && "present",
      b: column ? decodeValue(column, rowB![column.name]) : rowB && "present",
      rows: 0,
    };
    first.rows += 1;
  }
  return first;
}

function rowsOf(store: Store, table: TableName): Iterator<Row> {
  return databaseOf(store).prepare(`SELECT * FROM "${table}" ORDER BY id`).iterate();
}

/** Merges two walks in order of id. Ids are compared as SQLite does, by their UTF-8 bytes. */
function* pairs(a: Iterator<Row>, b: Iterator<Row>): Generator<[Row | undefined, Row | undefined]> {
  let nextA = a.next().value as Row | undefined;
  let nextB = b.next().value as Row | undefined;
  while (nextA || nextB) {
    const order = !nextA ? 1 : !nextB ? -1 : compareIds(String(nextA.id), String(nextB.id));
    yield [order <= 0 ? nextA : undefined, order >= 0 ? nextB : undefined];
    const [stepA, stepB] = [order <= 0, order >= 0];
    if (stepA) nextA = a.next().value as Row | undefined;
    if (stepB) nextB = b.next().value as Row | undefined;
  }
}

function compareIds(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function same(column: Column, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  if (column.kind !== "json" || a === null || b === null) return false;
  return canonical(decodeValue(column, a)) === canonical(decodeValue(column, b));
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => a < b ? -1 : 1));
  });
}
