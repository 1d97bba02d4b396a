/**
 * Schema versions. `PRAGMA user_version` holds the version a run was written with; opening it for
 * writing brings it up to date, one transaction a step. A migration may add tables, indices and
 * **nullable** columns, and nothing else: row hashes leave null columns out, so every hash recorded
 * before stays true.
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../core/mod.ts";

/** One step from a version to the next. */
export interface Migration {
  /** Version after it. */
  to: number;
  /** Statements, run in one transaction. */
  sql: readonly string[];
}

/** One entry per published change of `records`, oldest first. */
export const migrations: readonly Migration[] = [
  // Also: `reply.role` may be `screen`, which an older toolkit cannot read.
  { to: 2, sql: ['ALTER TABLE "turn" ADD COLUMN "rerendered" INTEGER'] },
];

/** Version of the first published schema. */
export const firstVersion = 1;

/** Version that this toolkit writes. */
export function currentVersion(list: readonly Migration[] = migrations): number {
  return list.at(-1)?.to ?? firstVersion;
}

/** Version a database was written with. */
export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare("PRAGMA user_version").get()?.user_version ?? 0);
}

/**
 * Brings a database to the newest version. `readonly` databases must have its tables already.
 * @throws {StoreError} for a version this toolkit does not know, or an old one that may not be
 *   written
 */
export function migrate(
  db: DatabaseSync,
  what: string,
  options: { readonly?: boolean; list?: readonly Migration[] } = {},
): void {
  const list = options.list ?? migrations;
  const newest = currentVersion(list);
  const version = versionOf(db);
  if (version > newest || version < firstVersion) {
    const why = version > newest ? "a newer toolkit wrote it" : "it is no run's database";
    throw new StoreError(
      `Cannot open ${what}: its schema version is ${version}, must be ${firstVersion} to ` +
        `${newest} (${why})`,
    );
  }
  const due = list.filter(({ to }) => to > version);
  if (options.readonly) {
    if (due.every(({ sql }) => sql.length === 0)) return;
    throw new StoreError(
      `Cannot open ${what} for reading: its schema version is ${version}, must be ${newest}; ` +
        `open it once for writing to migrate it (deno task resume does)`,
    );
  }
  for (const step of due) {
    db.exec("BEGIN IMMEDIATE");
    try {
      for (const sql of step.sql) db.exec(sql);
      db.exec(`PRAGMA user_version = ${step.to}`);
      db.exec("COMMIT");
    } catch (cause) {
      db.exec("ROLLBACK");
      throw new StoreError(`Cannot migrate ${what} to schema version ${step.to}`, { cause });
    }
  }
}
