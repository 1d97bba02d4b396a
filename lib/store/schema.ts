/**
 * The SQL of a run's database: one STRICT table a record kind, and the `chain` table.
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { sha256, StoreError } from "../core/mod.ts";
import { type Table, tables } from "./columns.ts";

/** `PRAGMA application_id` of every run: the bytes of "SPDE". */
export const applicationId = 0x53504445;

const chainSql = `CREATE TABLE "chain" (
  "sequence" INTEGER PRIMARY KEY,
  "rollout" INTEGER NOT NULL,
  "hash" TEXT NOT NULL,
  "rows" TEXT NOT NULL
) STRICT`;

function tableSql(table: Table): string[] {
  const lines = table.columns.map((column) => {
    const key = column.name === "id" ? " PRIMARY KEY" : "";
    return `  "${column.name}" ${column.sql}${column.nullable ? "" : " NOT NULL"}${key}`;
  });
  return [
    `CREATE TABLE "${table.name}" (\n${lines.join(",\n")}\n) STRICT`,
    ...table.indices.map((column) =>
      `CREATE INDEX "${table.name}_${column}" ON "${table.name}" ("${column}")`
    ),
  ];
}

/** Every statement that makes an empty run of the current schema. */
export function schemaSql(): string[] {
  return [...Object.values(tables).flatMap(tableSql), chainSql];
}

/** Hash of the schema; it changes exactly when a migration is due. */
export function schemaFingerprint(): string {
  return sha256(schemaSql().join(";\n")).slice(0, 16);
}

/** Throws a {@link StoreError} naming the first table or column that is not as the schema says. */
export function checkSchema(db: DatabaseSync, what: string): void {
  for (const table of Object.values(tables)) {
    const info = db.prepare(`PRAGMA table_info("${table.name}")`).all();
    const found = new Map(info.map((row) => [row.name, row]));
    for (const column of table.columns) {
      const row = found.get(column.name);
      found.delete(column.name);
      const nullable = row?.notnull === 0;
      if (row?.type !== column.sql || nullable !== column.nullable) {
        const is = row === undefined ? "missing" : `${row.type}${nullable ? "" : " NOT NULL"}`;
        const must = `${column.sql}${column.nullable ? "" : " NOT NULL"}`;
        throw new StoreError(
          `Cannot open ${what}: column "${table.name}.${column.name}" is ${is}, must be ${must}`,
        );
      }
    }
    for (const name of found.keys()) {
      throw new StoreError(
        `Cannot open ${what}: column "${table.name}.${name}" is not in this version's schema`,
      );
    }
  }
}
