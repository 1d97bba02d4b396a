/**
 * The few reads there are: rows equal to given columns, in a given order.
 * @module
 */
import type { RecordOf, TableName } from "../core/mod.ts";
import { encodeValue, type SqlValue } from "./codec.ts";
import { columnNamed } from "./columns.ts";

export interface Query<T extends TableName> {
  /**
   * Columns and the values they must equal; null is matched too. Packed and JSON columns cannot be
   * asked for.
   */
  where?: Partial<RecordOf<T>>;
  /** Columns to sort by, then by id. @default id alone */
  orderBy?: keyof RecordOf<T> & string | readonly (keyof RecordOf<T> & string)[];
}

/** SQL text after `SELECT … FROM` and its values. */
export function querySql<T extends TableName>(
  table: T,
  { where = {}, orderBy = [] }: Query<T>,
  options: { ordered?: boolean } = {},
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
    tests.push(`"${name}" IS ?`);
    values.push(encodeValue(column, value, `${table}.${name}`));
  }
  const order = [...(typeof orderBy === "string" ? [orderBy] : orderBy), "id"].map((name) =>
    `"${columnNamed(table, name).name}"`
  );
  const filter = tests.length > 0 ? ` WHERE ${tests.join(" AND ")}` : "";
  const sorted = options.ordered ?? true ? ` ORDER BY ${order.join(", ")}` : "";
  return { sql: `"${table}"${filter}${sorted}`, values };
}
