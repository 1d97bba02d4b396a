/**
 * Connections and SQLite's errors in our words.
 *
 * WAL with synchronous=FULL: every commit is on disk before the call returns, also after a power
 * loss. NORMAL would keep the file sound but could forget the last commits: plays that were paid
 * for, or a batch that the engine (a remote one above all) has already applied. One fsync a unit of
 * work costs .3 to 5 ms. A run that was closed properly is one plain file (journal_mode=DELETE),
 * readable from read-only media with read permission alone.
 *
 * Do not open run.sqlite by other means in the writer's process: closing such a file gives up
 * SQLite's locks on it (POSIX). Let another process copy it.
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../core/mod.ts";
import { applicationId, schemaSql } from "./schema.ts";
import { currentVersion } from "./migrate.ts";

/** What SQLite's failure means for us. */
export type Trouble = "corrupt" | "full" | "busy" | "duplicate" | "other";

/** Deno's node:sqlite gives `errcode` for statements only; `exec` gives the message alone. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (!(error instanceof Error)) return;
  const system = (error as { code?: string }).code;
  if (system === "ENOSPC" || system === "EDQUOT") return "full";
  if (system !== "ERR_SQLITE_ERROR") return;
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  const says = (text: string) => error.message.includes(text);
  if (code === 11 || code === 26 || says("malformed") || says("is not a database")) {
    return "corrupt";
  }
  if (code === 13 || says("disk is full")) return "full";
  if (code === 5 || code === 6 || says("is locked")) return "busy";
  return says("UNIQUE constraint") ? "duplicate" : "other";
}

/** Runs `action`; SQLite's errors become a {@link StoreError} with the cause kept. */
export function guarded<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw asStoreError(what, cause);
  }
}

/** SQLite's errors as a {@link StoreError}; any other error as it is. */
export function asStoreError(what: string, cause: unknown): unknown {
  const trouble = troubleOf(cause);
  if (trouble === undefined) return cause;
  const why = {
    corrupt: "run.sqlite is corrupt; close it and open it again to see which copies exist",
    full: "the disk (or the quota) is full; nothing committed is lost, the unit of work was undone",
    busy: "run.sqlite is locked by another process",
    duplicate: "a row with this id exists",
    other: (cause as Error).message,
  }[trouble];
  return new StoreError(`Cannot ${what}: ${why}`, { cause });
}

/** Opens a database; nothing is written to it before {@link beginWriting}. */
export function connect(path: string, options: { readonly?: boolean } = {}): DatabaseSync {
  return new DatabaseSync(path, { readOnly: options.readonly ?? false, timeout: 5000 });
}

/** Sets a database up for one writer: a log beside it, flushed at each commit. */
export function beginWriting(db: DatabaseSync): void {
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA synchronous = FULL");
}

/** Makes the tables of an empty database. */
export function createTables(db: DatabaseSync): void {
  db.exec("BEGIN IMMEDIATE");
  for (const sql of schemaSql()) db.exec(sql);
  db.exec(`PRAGMA application_id = ${applicationId}`);
  db.exec(`PRAGMA user_version = ${currentVersion()}`);
  db.exec("COMMIT");
}

/** Folds the log into the file and closes; with readers still there the log simply stays. */
export function closeWriter(db: DatabaseSync): void {
  try {
    db.exec("PRAGMA journal_mode = DELETE");
  } catch {
    // A reader is connected, or the disk is full: WAL stays, and is as sound.
  }
  db.close();
}

/** What is wrong with the file, or undefined. Reads every page (`PRAGMA quick_check`). */
export function problemOf(db: DatabaseSync): string | undefined {
  try {
    const id = db.prepare("PRAGMA application_id").get()?.application_id;
    if (id !== applicationId) return `it is not a run's database (application id ${id})`;
    const found = db.prepare("PRAGMA quick_check(5)").all().map((row) => String(row.quick_check));
    return found.length === 1 && found[0] === "ok" ? undefined : found.join("; ");
  } catch (error) {
    if (troubleOf(error) === undefined) throw error;
    return (error as Error).message;
  }
}
