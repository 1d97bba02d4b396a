/**
 * Columns of every table, derived once from the zod shapes of `records`.
 *
 * | zod | kind | SQL |
 * |---|---|---|
 * | `number().int()` | integer | INTEGER |
 * | `number()` | real | REAL |
 * | `string()`, `enum()` | text | TEXT |
 * | `boolean()` | boolean | INTEGER, 0 or 1 |
 * | array registered as `packed: "ids"` | ids | BLOB, little-endian int32 |
 * | array registered as `packed: "floats"` | floats | BLOB, little-endian float64 |
 * | everything else | json | TEXT |
 *
 * `nullable()` takes NOT NULL away.
 * @module
 */
import { z } from "zod";
import { columns as registry, records, type TableName } from "../core/mod.ts";

/** What the values of a column are: see the table above; `ids` and `floats` are packed lists of numbers. */
export type ColumnKind = "integer" | "real" | "text" | "boolean" | "ids" | "floats" | "json";

/** A column of a table. */
export interface Column {
  /** Its name, that of the record's field. */
  name: string;
  /** What its values are. */
  kind: ColumnKind;
  /** Type in SQLite. */
  sql: "INTEGER" | "REAL" | "TEXT" | "BLOB";
  /** Whether a value may be null. */
  nullable: boolean;
  /** Times, costs, hardware: covered by the chain, not compared between runs. */
  measured: boolean;
}

/** A table of the run's database. */
export interface Table {
  /** Its name. */
  name: TableName;
  /** All its columns, in order; `id` is the primary key. */
  columns: readonly Column[];
  /** Columns with an index of their own, besides the primary key `id`. */
  indices: readonly string[];
}

const sqlOf = {
  integer: "INTEGER",
  real: "REAL",
  text: "TEXT",
  boolean: "INTEGER",
  ids: "BLOB",
  floats: "BLOB",
  json: "TEXT",
} as const;

const indexed = ["rollout", "environmentId", "playId"];

/** Tables whose rows may be replaced; all others are written once. */
export const replaceable: ReadonlySet<TableName> = new Set<TableName>(["memory", "cursor"]);
/** Tables whose rows may be removed. */
export const removable: ReadonlySet<TableName> = new Set<TableName>(["memory"]);

function columnOf(name: string, schema: z.ZodType): Column {
  const nullable = schema instanceof z.ZodNullable;
  const inner = (nullable ? schema.unwrap() : schema) as z.ZodType;
  const notes = { ...registry.get(inner), ...registry.get(schema) };
  const kind = notes.packed ?? kindOf(inner);
  return { name, kind, sql: sqlOf[kind], nullable, measured: notes.measured ?? false };
}

function kindOf(schema: z.ZodType): ColumnKind {
  if (schema instanceof z.ZodNumber) return schema.isInt ? "integer" : "real";
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return "text";
  if (schema instanceof z.ZodBoolean) return "boolean";
  return "json";
}

function tableOf(name: TableName): Table {
  const shape = records[name].shape as Record<string, z.ZodType>;
  const list = Object.entries(shape).map(([key, schema]) => columnOf(key, schema));
  const names = list.map((column) => column.name);
  return { name, columns: list, indices: indexed.filter((column) => names.includes(column)) };
}

/** All tables, in the order of `records`. */
export const tables: Readonly<Record<TableName, Table>> = Object.fromEntries(
  (Object.keys(records) as TableName[]).map((name) => [name, tableOf(name)]),
) as Record<TableName, Table>;

/** The column of a table; a {@link TypeError} where there is none. */
export function columnNamed(table: TableName, name: string): Column {
  const found = tables[table].columns.find((column) => column.name === name);
  if (found === undefined) {
    throw new TypeError(`Cannot use column "${table}.${name}": no such column`);
  }
  return found;
}
