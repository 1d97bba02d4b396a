/**
 * What happens before a run's database is trusted.
 * @module
 */
import * as fs from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type ChainEntry, type ChainHead, emptyHead } from "./chain.ts";
import { type Copy, listCopies } from "./copies.ts";
import { CorruptRunError } from "./corrupt.ts";
import { makeAside, type RunPaths } from "./folder.ts";
import { migrate } from "./migrate.ts";
import { compareProgress, lossAfter, lossText, ProgressWriter, readProgress } from "./progress.ts";
import type { Loss } from "./progress.ts";
import { checkSchema } from "./schema.ts";
import { beginWriting, connect, problemOf, troubleOf } from "./sqlite.ts";

/** Sequence and hash of the last transaction. */
export function headOf(db: DatabaseSync): ChainHead {
  const row = db.prepare("SELECT sequence, hash FROM chain ORDER BY sequence DESC LIMIT 1").get();
  return row === undefined ? emptyHead : { ...row } as unknown as ChainHead;
}

/** Opens run.sqlite; corruption becomes a {@link CorruptRunError} that says what can be done. */
export function openDatabase(
  paths: RunPaths,
  options: { readonly?: boolean; check: boolean },
): DatabaseSync {
  if (!fs.existsSync(paths.database)) throw corruptRun(paths, "run.sqlite is missing");
  let db: DatabaseSync | undefined;
  try {
    db = connect(paths.database, options);
    const problem = options.check ? problemOf(db) : undefined;
    if (problem !== undefined) throw corruptRun(paths, `run.sqlite is damaged: ${problem}`);
    migrate(db, `run ${paths.dir}`, options);
    checkSchema(db, `run ${paths.dir}`);
    headOf(db);
    if (!options.readonly) beginWriting(db);
    return db;
  } catch (cause) {
    db?.close();
    if (troubleOf(cause) !== "corrupt") throw cause;
    throw corruptRun(paths, `run.sqlite is damaged: ${(cause as Error).message}`, cause);
  }
}

/**
 * The error for a run that cannot be used, with its complete copies and what lies after the newest.
 */
export function corruptRun(paths: RunPaths, problem: string, cause?: unknown): CorruptRunError {
  const copies = listCopies(paths.dir);
  const newest: Copy | undefined = copies.at(-1);
  const lost = lossAfter(readProgress(paths.progress).lines, newest?.sequence ?? 0);
  const remedy = newest === undefined
    ? "There is no complete copy."
    : `Complete copies: ${
      copies.map((copy) => `${copy.name} (rollout ${copy.rollout})`).join(", ")
    }. ` +
      `Lost since ${newest.name}: ${lossText(lost)}. Restore it with restoreFromCopy.`;
  return new CorruptRunError(`Cannot open run ${paths.dir}: ${problem}. ${remedy}`, {
    problem,
    copies,
    lost,
    cause,
  });
}

/**
 * Makes progress.jsonl agree with the database: cuts a torn tail, adds lines that were not written,
 * sets lines aside whose transactions the database does not have. Returns its length, and what
 * those transactions were.
 * @throws {CorruptRunError} where both tell different histories
 */
export function mendProgress(
  paths: RunPaths,
  db: DatabaseSync,
): { length: number; lost: Loss | undefined } {
  const head = headOf(db);
  const entryAt = db.prepare("SELECT * FROM chain WHERE sequence = ?");
  const hashAt = (sequence: number) => entryAt.get(sequence)?.hash as string | undefined;
  let { lines, length } = readProgress(paths.progress);
  const { ahead, differs } = compareProgress(lines, head, hashAt);
  if (differs !== undefined) {
    throw corruptRun(
      paths,
      `run.sqlite and progress.jsonl tell different histories from transaction ${differs} on`,
    );
  }
  if (ahead.transactions > 0) {
    fs.copyFileSync(paths.progress, join(makeAside(paths), "progress.jsonl"));
    lines = lines.slice(0, head.sequence);
    length = new TextEncoder().encode(lines.map((line) => JSON.stringify(line) + "\n").join(""))
      .length;
  }
  const writer = new ProgressWriter(paths.progress, length);
  for (let sequence = lines.length + 1; sequence <= head.sequence; sequence++) {
    writer.append(entryAt.get(sequence) as unknown as ChainEntry);
  }
  writer.close();
  return {
    length: fs.statSync(paths.progress).size,
    lost: ahead.transactions > 0 ? ahead : undefined,
  };
}
