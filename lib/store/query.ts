/**
 * The few reads there are: rows equal to given columns, in a given order.
 * @module
 */
import type { RecordOf, TableName } from "../core/mod.ts";
import { encodeValue, type SqlValue } from "./codec.ts";
import { type Column, columnNamed } from "./columns.ts";

/**
 * Columns and the value each must equal, or a list of values of which one must; null is matched too.
 * Packed and JSON columns cannot be asked for, and real ones by no list.
 */
export type Where<T extends TableName> = {
  readonly [K in keyof RecordOf<T>]?: RecordOf<T>[K] | readonly RecordOf<T>[K][];
};

/** Which rows, and in which order. */
export interface Query<T extends TableName> {
  /** Which rows. @default all rows */
  where?: Where<T>;
  /** Columns to sort by, then by id. @default id alone */
  orderBy?: keyof RecordOf<T> & string | readonly (keyof RecordOf<T> & string)[];
}

/** SQL text of a filter, ` WHERE …` or nothing, and its values. */
export function whereSql<T extends TableName>(
  table: T,
  where: Where<T>,
): { sql: string; values: SqlValue[] } {
  const tests: string[] = [];
  const values: SqlValue[] = [];
  for (const [name, value] of Object.entries(where)) {
    if (value === undefined) throw new TypeError(`Cannot read ${table}: "${name}" is undefined`);
    const column = columnNamed(table, name);
    if (column.kind === "ids" || column.kind === "floats" || column.kind === "json") {
      throw new TypeError(
        `Cannot read ${table} by "${name}": it is ${column.kind}, must be scalar`,
      );
    }
    const encode = (one: unknown) => encodeValue(column, one, `${table}.${name}`);
    if (!Array.isArray(value)) {
      tests.push(`"${name}" IS ?`);
      values.push(encode(value));
      continue;
    }
    tests.push(listSql(table, column, value.includes(null)));
    // One value however long the list is: SQLite caps the number of values.
    values.push(JSON.stringify(value.filter((one) => one !== null).map(encode)));
  }
  return { sql: tests.length > 0 ? ` WHERE ${tests.join(" AND ")}` : "", values };
}

function listSql(table: TableName, column: Column, orNull: boolean): string {
  if (column.kind === "real") {
    throw new TypeError(
      `Cannot read ${table} by a list of "${column.name}": real numbers would not compare exactly`,
    );
  }
  const among = `"${column.name}" IN (SELECT value FROM json_each(?))`;
  return orNull ? `(${among} OR "${column.name}" IS NULL)` : among;
}

/** SQL text after `SELECT … FROM` and its values. */
export function querySql<T extends TableName>(
  table: T,
  { where = {}, orderBy = [] }: Query<T>,
  options: { ordered?: boolean } = {},
): { sql: string; values: SqlValue[] } {
  const filter = whereSql(table, where);
  const order = [...(typeof orderBy === "string" ? [orderBy] : orderBy), "id"].map((name) =>
    `"${columnNamed(table, name).name}"`
  );
  const sorted = options.ordered ?? true ? ` ORDER BY ${order.join(", ")}` : "";
  return { sql: `"${table}"${filter.sql}${sorted}`, values: filter.values };
}
