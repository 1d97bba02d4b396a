/**
 * One writer a run: a write transaction held open on a tiny second database. The operating system
 * drops the lock when the process ends, however it ends, so there is nothing stale to detect.
 * Readers are never locked out.
 * @module
 */
import { pid } from "node:process";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../core/mod.ts";
import { asStoreError, troubleOf } from "./sqlite.ts";

/** A lock that is held. */
export interface Lock extends Disposable {
  /** Gives it back; more than once does nothing. */
  release(): void;
}

/**
 * Takes the writer's lock.
 * @throws {StoreError} where another process (or another store of this one) has it
 */
export function takeLock(path: string, what: string): Lock {
  const db = new DatabaseSync(path);
  try {
    db.exec("BEGIN IMMEDIATE");
    db.exec("CREATE TABLE IF NOT EXISTS writer (pid INTEGER); DELETE FROM writer");
    db.prepare("INSERT INTO writer VALUES (?)").run(pid);
    db.exec("COMMIT"); // so that others can read the number
    db.exec("BEGIN IMMEDIATE");
  } catch (cause) {
    const holder = troubleOf(cause) === "busy" ? holderOf(db) : undefined;
    db.close();
    if (troubleOf(cause) !== "busy") throw asStoreError(`lock ${what}`, cause);
    throw new StoreError(
      `Cannot open ${what} for writing: process ${holder ?? "?"} is writing it; ` +
        `open it for reading, or end that process`,
      { cause },
    );
  }
  let held = true;
  const release = () => {
    if (held) db.close();
    held = false;
  };
  return { release, [Symbol.dispose]: release };
}

function holderOf(db: DatabaseSync): unknown {
  try {
    return db.prepare("SELECT pid FROM writer").get()?.pid;
  } catch {
    return undefined;
  }
}
