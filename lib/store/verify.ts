/**
 * Recomputes the chain from what is stored.
 *
 * 1. Links: every entry's hash follows from the one before it.
 * 2. Rows: the last hash recorded for a row is the hash of the row that is there; a removed row is
 *    not there.
 * 3. No row is there that no entry covers.
 * 4. progress.jsonl and manifest.json, where there is a folder, say the same.
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { StoreError, type TableName } from "../core/mod.ts";
import { type ChainEntry, type ChainHead, type ChainRow, emptyHead, linkHash } from "./chain.ts";
import { storedRowHash } from "./chain.ts";
import { replaceable, tables } from "./columns.ts";
import { runPaths } from "./folder.ts";
import { differencesOf, readManifest } from "./manifest.ts";
import { compareProgress, readProgress } from "./progress.ts";
import { databaseOf, type Store } from "./store.ts";
import { guarded } from "./sqlite.ts";

/** Where records and chain disagree. */
export interface ChainDifference {
  /** Transaction that tells otherwise; undefined for a row that none covers. */
  sequence: number | undefined;
  /** Where the row lies; undefined where the chain itself is broken. */
  table: TableName | undefined;
  /** Its id; undefined where the chain itself is broken. */
  id: string | undefined;
  /** What is wrong, in words. */
  what: string;
}

/** How far the chain was followed, and what was found. */
export interface ChainReport extends ChainHead {
  /** Rows covered. */
  rows: number;
  /** The first difference found; undefined: all is as it was committed. */
  difference: ChainDifference | undefined;
}

/**
 * Verifies a run. Damage is a value, not an error; only an unreadable database throws a {@link
 * StoreError}.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Store } from "./store.ts";
 * using store = Store.memory();
 * const event = { id: "e0", rollout: 0, kind: "note", message: "hello", data: {} };
 * store.transaction(() => store.insert("event", event));
 * const { sequence, rows, difference } = verifyChain(store);
 * assert.deepEqual([sequence, rows, difference], [1, 1, undefined]);
 * ```
 */
export function verifyChain(store: Store): ChainReport {
  return guarded("verify the chain", () => {
    const walk = walkChain(store);
    const difference = walk.difference ?? uncovered(store, walk.covered) ??
      besides(store, walk.head);
    const rows = [...walk.covered.values()].reduce((sum, n) => sum + n, 0);
    return { ...walk.head, rows, difference };
  });
}

interface Walk {
  head: ChainHead;
  /** Rows that must be there, by table. */
  covered: Map<TableName, number>;
  difference: ChainDifference | undefined;
}

/** Insert-only rows are compared as they come; for replaced ones the last word counts. */
function walkChain(store: Store): Walk {
  const db = databaseOf(store);
  const covered = new Map<TableName, number>();
  const wrongRow = rowChecker(db);
  const last = new Map<string, { sequence: number; row: ChainRow }>();
  let head = emptyHead;
  const found = (difference: ChainDifference): Walk => ({ head, covered, difference });
  for (const raw of db.prepare("SELECT * FROM chain ORDER BY sequence").iterate()) {
    const entry = raw as unknown as ChainEntry;
    const broken = brokenLink(head, entry);
    if (broken !== undefined) return found({ ...nowhere, sequence: entry.sequence, what: broken });
    for (const row of JSON.parse(entry.rows) as ChainRow[]) {
      if (replaceable.has(row[0])) {
        last.set(`${row[0]}\n${row[1]}`, { sequence: entry.sequence, row });
        continue;
      }
      const what = wrongRow(row);
      if (what !== undefined) return found(at(entry.sequence, row, what));
      covered.set(row[0], (covered.get(row[0]) ?? 0) + 1);
    }
    head = { sequence: entry.sequence, hash: entry.hash };
  }
  for (const { sequence, row } of last.values()) {
    const what = wrongRow(row);
    if (what !== undefined) return found(at(sequence, row, what));
    if (row[2] !== null) covered.set(row[0], (covered.get(row[0]) ?? 0) + 1);
  }
  return { head, covered, difference: undefined };
}

const nowhere = { table: undefined, id: undefined };

function at(sequence: number | undefined, [table, id]: ChainRow, what: string): ChainDifference {
  return { sequence, table, id, what };
}

function brokenLink(head: ChainHead, entry: ChainEntry): string | undefined {
  if (entry.sequence !== head.sequence + 1) {
    return `transaction ${head.sequence + 1} is missing from the chain`;
  }
  const hash = linkHash(head.hash, entry.sequence, entry.rollout, entry.rows);
  return hash === entry.hash ? undefined : "the chain's entry was changed";
}

/** A function that says what is wrong with a row that the chain covers. */
function rowChecker(db: DatabaseSync): (row: ChainRow) => string | undefined {
  const statements = Object.fromEntries(
    Object.keys(tables).map((table) => [
      table,
      db.prepare(`SELECT * FROM "${table}" WHERE id = ?`),
    ]),
  );
  return ([table, id, hash]) => {
    if (!(table in tables)) return "the chain names an unknown table";
    const row = statements[table].get(id);
    if (row === undefined) return hash === null ? undefined : "the row is missing";
    if (hash === null) return "the row was removed, yet it is there";
    return storedRowHash(table, row) === hash ? undefined : "the row was changed";
  };
}

/** Counts first; only where they differ the ids are compared. */
function uncovered(
  store: Store,
  covered: ReadonlyMap<TableName, number>,
): ChainDifference | undefined {
  for (const table of Object.keys(tables) as TableName[]) {
    if (store.count(table) === (covered.get(table) ?? 0)) continue;
    const ids = coveredIds(store, table);
    for (
      const { id } of databaseOf(store).prepare(`SELECT id FROM "${table}" ORDER BY id`).iterate()
    ) {
      if (!ids.has(String(id))) {
        return at(undefined, [table, String(id), null], "no transaction covers the row");
      }
    }
    return { sequence: undefined, table, id: undefined, what: "the chain covers a row twice" };
  }
}

function coveredIds(store: Store, table: TableName): Set<string> {
  const ids = new Set<string>();
  for (const { rows } of databaseOf(store).prepare("SELECT rows FROM chain").iterate()) {
    for (const [name, id] of JSON.parse(String(rows)) as ChainRow[]) {
      if (name === table) ids.add(id);
    }
  }
  return ids;
}

/** The files beside the database. */
function besides(store: Store, head: ChainHead): ChainDifference | undefined {
  if (store.dir === undefined) return;
  const hashes = databaseOf(store).prepare("SELECT hash FROM chain WHERE sequence = ?");
  const { lines } = readProgress(runPaths(store.dir).progress);
  const { ahead, differs } = compareProgress(
    lines,
    head,
    (sequence) => hashes.get(sequence)?.hash as string | undefined,
  );
  if (differs !== undefined) {
    return { ...nowhere, sequence: differs, what: "progress.jsonl has another hash" };
  }
  if (ahead.transactions > 0) {
    const what = `progress.jsonl lists ${ahead.transactions} transactions more`;
    return { ...nowhere, sequence: head.sequence + 1, what };
  }
  const [run] = store.all("run");
  try {
    const [first] = differencesOf(run.manifest, readManifest(store.dir).manifest);
    if (first === undefined) return;
    return { sequence: 1, table: "run", id: run.id, what: `manifest.json: ${first.path} differs` };
  } catch (error) {
    if (!(error instanceof StoreError || error instanceof TypeError)) throw error;
    return { sequence: 1, table: "run", id: run.id, what: error.message };
  }
}
