/**
 * A run's records. One writer, any number of readers; every write belongs to a transaction that
 * closes one unit of work, is chained, and is on disk when `transaction` returns.
 * @module
 */
import * as fs from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type RecordOf, StoreError, type TableName } from "../core/mod.ts";
import { type ChainHead, type ChainRow, nextEntry, rowHash } from "./chain.ts";
import { decode, decodeValues, encode, type SqlValue } from "./codec.ts";
import { removable, replaceable, tables } from "./columns.ts";
import { flush, type RunPaths, runPaths } from "./folder.ts";
import { type Lock, takeLock } from "./lock.ts";
import { type Manifest, parseManifest, writeManifest } from "./manifest.ts";
import { headOf, mendProgress, openDatabase } from "./opening.ts";
import { type Loss, ProgressWriter } from "./progress.ts";
import { type Query, querySql } from "./query.ts";
import { asStoreError, closeWriter, connect, createTables, guarded, troubleOf } from "./sqlite.ts";
import { takeRows } from "./take_rows.ts";

/** The run's row without its manifest. */
export type RunRecord = Omit<RecordOf<"run">, "manifest">;

/** For this room only: the connection of a store. */
export let databaseOf: (store: Store) => DatabaseSync;

interface Parts {
  db: DatabaseSync;
  dir?: string;
  readonly?: boolean;
  lock?: Lock;
  progress?: ProgressWriter;
  lost?: Loss;
}

interface Unit {
  rows: ChainRow[];
  rollout: number;
}

/**
 * The run folder, open.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * using store = Store.memory();
 * store.transaction(() => store.replace("cursor", { id: "corpus", rollout: 0, value: { at: 3 } }));
 * assert.deepEqual(store.get("cursor", "corpus")?.value, { at: 3 });
 * ```
 */
export class Store implements Disposable {
  /** The run folder; undefined for {@link Store.memory}. */
  readonly dir: string | undefined;
  /** Whether it was opened for reading. */
  readonly readonly: boolean;
  /**
   * Transactions listed in progress.jsonl that the database no longer had at opening (see `Loss`).
   */
  readonly lost: Loss | undefined;
  #db: DatabaseSync;
  #lock: Lock | undefined;
  #progress: ProgressWriter | undefined;
  #head: ChainHead;
  #unit: Unit | undefined;
  #statements = new Map<string, StatementSync>();
  #open = true;

  private constructor(parts: Parts) {
    this.#db = parts.db;
    this.dir = parts.dir;
    this.readonly = parts.readonly ?? false;
    this.lost = parts.lost;
    this.#lock = parts.lock;
    this.#progress = parts.progress;
    this.#head = headOf(parts.db);
  }

  /**
   * Makes a run folder: the manifest, then the database with the `run` row. The folder is a run
   * from the moment run.sqlite appears; a creation cut short leaves none.
   * @throws {StoreError} where a run exists
   */
  static create(dir: string, begin: { run: RunRecord; manifest: Manifest }): Store {
    const paths = runPaths(dir);
    const manifest = parseManifest(begin.manifest);
    fs.mkdirSync(dir, { recursive: true });
    const lock = takeLock(paths.lock, `run ${dir}`);
    try {
      refuseExisting(paths);
      const path = Store.#writeFirst(paths, { ...begin.run, manifest });
      writeManifest(paths.manifest, manifest);
      fs.renameSync(path, paths.database);
      flush(dir);
      return Store.#openWriter(dir, paths, lock);
    } catch (cause) {
      lock.release();
      throw asStoreError(`create run ${dir}`, cause);
    }
  }

  /**
   * Opens a run folder. A writer takes the lock, migrates, checks every page and mends
   * progress.jsonl.
   * @throws {CorruptRunError} where run.sqlite is damaged or gone; it lists copies and losses
   * @throws {StoreError} where another process writes the run, or the schema is not ours
   */
  static open(
    dir: string,
    options: {
      /** @default false */
      readonly?: boolean;
      /** Whether a reader checks every page too. @default false */
      check?: boolean;
    } = {},
  ): Store {
    const paths = runPaths(dir);
    if (!fs.existsSync(dir)) {
      throw new StoreError(`Cannot open run ${dir}: there is no such folder`);
    }
    if (options.readonly) {
      return guarded(`open run ${dir}`, () => {
        const db = openDatabase(paths, { readonly: true, check: options.check ?? false });
        return new Store({ db, dir, readonly: true });
      });
    }
    const lock = takeLock(paths.lock, `run ${dir}`);
    try {
      return Store.#openWriter(dir, paths, lock);
    } catch (cause) {
      lock.release();
      throw asStoreError(`open run ${dir}`, cause);
    }
  }

  /** Records in memory only: tests, notebooks, audits. Needs no permission. */
  static memory(begin?: { run: RunRecord; manifest: Manifest }): Store {
    const db = new DatabaseSync(":memory:");
    createTables(db);
    const store = new Store({ db });
    if (begin !== undefined) {
      const manifest = parseManifest(begin.manifest);
      store.transaction(() => store.insert("run", { ...begin.run, manifest }));
    }
    return store;
  }

  /** A database with the `run` row, beside the place where it will be. */
  static #writeFirst(paths: RunPaths, record: RecordOf<"run">): string {
    const path = `${paths.database}.new`;
    for (const end of ["", "-wal", "-shm", "-journal"]) fs.rmSync(path + end, { force: true });
    const db = connect(path);
    try {
      createTables(db);
      using first = new Store({ db, progress: new ProgressWriter(paths.progress, 0) });
      first.transaction(() => first.insert("run", record));
    } catch (cause) {
      if (db.isOpen) db.close();
      throw cause;
    }
    return path;
  }

  static #openWriter(dir: string, paths: RunPaths, lock: Lock): Store {
    const db = openDatabase(paths, { check: true });
    try {
      const { length, lost } = mendProgress(paths, db);
      const progress = new ProgressWriter(paths.progress, length);
      return new Store({ db, dir, lock, progress, lost });
    } catch (cause) {
      db.close();
      throw cause;
    }
  }

  /** Sequence and hash of the last committed transaction. */
  get head(): ChainHead {
    return this.#head;
  }

  /**
   * One unit of work: everything `work` writes is stored, or nothing. It must not be asynchronous.
   * A unit that wrote nothing leaves no trace.
   * @throws {StoreError} where the disk is full or the database fails; the unit is undone and the
   *   store usable
   */
  transaction<R>(work: () => R): R {
    if (this.readonly) throw new TypeError("Cannot write: the store is open for reading");
    if (this.#unit !== undefined) throw new TypeError("Cannot begin a transaction: one is open");
    this.#unit = { rows: [], rollout: -1 };
    try {
      this.#run("BEGIN IMMEDIATE");
      const result = work();
      if (result instanceof Promise) {
        result.catch(() => {});
        throw new TypeError("Cannot commit: the unit of work is asynchronous, must be synchronous");
      }
      this.#commit(this.#unit);
      return result;
    } catch (cause) {
      if (this.#db.isTransaction) this.#run("ROLLBACK");
      throw asStoreError("store a unit of work", cause);
    } finally {
      this.#unit = undefined;
    }
  }

  #commit(unit: Unit): void {
    if (unit.rows.length === 0) return void this.#run("COMMIT");
    const entry = nextEntry(this.#head, unit.rollout, unit.rows);
    this.#run("INSERT INTO chain VALUES (?, ?, ?, ?)", [
      entry.sequence,
      entry.rollout,
      entry.hash,
      entry.rows,
    ]);
    this.#run("COMMIT");
    this.#head = { sequence: entry.sequence, hash: entry.hash };
    this.#progress?.append(entry);
  }

  /**
   * Inserts a record or several. Only inside {@link transaction}.
   * @throws {TypeError} where a record does not fit its table; the message names table and column
   * @throws {RangeError} where a number is not finite, a value too large, or the id stored already
   */
  insert<T extends TableName>(table: T, what: RecordOf<T> | readonly RecordOf<T>[]): void {
    for (const record of listOf<RecordOf<T>>(what)) this.#write("INSERT", table, record);
  }

  /** Inserts records or replaces those with the same id; `memory` and `cursor` only. */
  replace<T extends "memory" | "cursor">(
    table: T,
    what: RecordOf<T> | readonly RecordOf<T>[],
  ): void {
    if (!replaceable.has(table)) throw new TypeError(`Cannot replace rows of ${table}`);
    for (const record of listOf<RecordOf<T>>(what)) this.#write("INSERT OR REPLACE", table, record);
  }

  /**
   * Removes a row; `memory` only.
   * @throws {RangeError} where there is none
   */
  remove(table: "memory", id: string): void {
    const unit = this.#writing(table);
    if (!removable.has(table)) throw new TypeError(`Cannot remove rows of ${table}`);
    const { changes } = this.#run(`DELETE FROM "${table}" WHERE id = ?`, [id]);
    if (changes === 0) throw new RangeError(`Cannot remove ${table} ${id}: there is no such row`);
    unit.rows.push([table, id, null]);
  }

  #write(verb: string, table: TableName, record: RecordOf<TableName>): void {
    const unit = this.#writing(table);
    const values = encode(table, record);
    try {
      this.#run(`${verb} ${into[table]}`, values);
    } catch (cause) {
      if (troubleOf(cause) !== "duplicate") throw cause;
      throw new RangeError(`Cannot insert ${table} ${record.id}: it is stored already`, { cause });
    }
    unit.rows.push([table, record.id, rowHash(table, values)]);
    unit.rollout = Math.max(unit.rollout, record.rollout);
  }

  #writing(table: TableName): Unit {
    // SQLite itself undoes a transaction on some failures; what follows must not be written alone.
    if (this.#unit !== undefined && this.#db.isTransaction) return this.#unit;
    throw new TypeError(`Cannot write ${table}: no transaction is open`);
  }

  /** Whether a row exists. */
  has(table: TableName, id: string): boolean {
    return this.#read(`SELECT 1 FROM "${table}" WHERE id = ?`, [id]).length > 0;
  }

  /** The record with this id, or undefined. */
  get<T extends TableName>(table: T, id: string): RecordOf<T> | undefined {
    const [row] = this.#read(`SELECT * FROM "${table}" WHERE id = ?`, [id]);
    return row === undefined ? undefined : decode(table, row);
  }

  /** Every matching record, by id unless told otherwise. */
  all<T extends TableName>(table: T, query: Query<T> = {}): RecordOf<T>[] {
    const { sql, values } = querySql(table, query);
    const columns = tables[table].columns.map(({ name }) => name);
    const records: RecordOf<T>[] = [];
    guarded("read the run", () =>
      takeRows(
        this.#db,
        { columns, from: sql, values },
        (row) => records.push(decodeValues(table, row)),
        (text) => this.#prepared(text),
      ));
    return records;
  }

  /** Like {@link all}, one at a time. Do not write to the table meanwhile. */
  *iterate<T extends TableName>(table: T, query: Query<T> = {}): Generator<RecordOf<T>> {
    const { sql, values } = querySql(table, query);
    const rows = guarded(`read ${table}`, () =>
      // A statement of its own: two walks over one statement would disturb each other.
      this.#db.prepare(`SELECT * FROM ${sql}`).iterate(...values));
    for (const row of rows) yield decode(table, row);
  }

  /** How many records match. */
  count<T extends TableName>(table: T, where: Query<T>["where"] = {}): number {
    const { sql, values } = querySql(table, { where }, { ordered: false });
    return Number(this.#read(`SELECT count(*) AS n FROM ${sql}`, values)[0].n);
  }

  #read(sql: string, values: readonly SqlValue[]): Record<string, unknown>[] {
    return guarded("read the run", () => this.#prepared(sql).all(...values));
  }

  #run(sql: string, values: readonly SqlValue[] = []): { changes: number | bigint } {
    return this.#prepared(sql).run(...values);
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Closes the run; a writer folds its log into the one file and gives the lock back. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#statements.clear();
    try {
      this.#progress?.close();
      if (this.readonly) this.#db.close();
      else closeWriter(this.#db);
    } finally {
      this.#lock?.release();
    }
  }

  /** Closes it, as {@link Store.close}. */
  [Symbol.dispose](): void {
    this.close();
  }

  static {
    databaseOf = (store) => store.#db;
  }
}

/** The end of each table's INSERT statement. */
const into = Object.fromEntries(
  Object.values(tables).map(({ name, columns }) => [
    name,
    `INTO "${name}" (${columns.map((column) => `"${column.name}"`).join(", ")}) ` +
    `VALUES (${columns.map(() => "?").join(", ")})`,
  ]),
) as Record<TableName, string>;

function listOf<R>(what: R | readonly R[]): readonly R[] {
  return Array.isArray(what) ? what : [what as R];
}

function refuseExisting(paths: RunPaths): void {
  if (fs.existsSync(paths.database)) {
    throw new StoreError(
      `Cannot create run ${paths.dir}: a run exists there; resume it, or choose another name`,
    );
  }
  if (fs.existsSync(paths.checkpoints)) {
    throw new StoreError(
      `Cannot create run ${paths.dir}: run.sqlite is gone but copies of it exist; ` +
        `restore one, or choose another name`,
    );
  }
}
