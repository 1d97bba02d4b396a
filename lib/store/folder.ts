/**
 * Where things lie in a run folder, and the two habits that keep it sound: write aside and rename;
 * flush what must survive.
 *
 * ```text
 * runs/NAME/run.sqlite            every record, and the chain
 *           run.sqlite-wal, -shm  while a writer is open, or after it was killed
 *           manifest.json         written once
 *           amendments.jsonl      what was different at each resume
 *           progress.jsonl        one line per transaction: what would be lost
 *           lock.sqlite           held by the one writer
 *           checkpoints/NAME/     run.sqlite and copy.json
 *           aside/N/              damaged files, moved by restoreFromCopy; never deleted
 * ```
 * @module
 */
import * as fs from "node:fs";
import { join } from "node:path";

/** Paths of a run folder, see above. */
export interface RunPaths {
  /** The folder itself. */
  dir: string;
  /** run.sqlite. */
  database: string;
  /** manifest.json. */
  manifest: string;
  /** amendments.jsonl. */
  amendments: string;
  /** progress.jsonl. */
  progress: string;
  /** lock.sqlite. */
  lock: string;
  /** Folder of the copies. */
  checkpoints: string;
  /** Folder of damaged files. */
  aside: string;
}

/** Paths in `dir`; nothing is looked up. */
export function runPaths(dir: string): RunPaths {
  return {
    dir,
    database: join(dir, "run.sqlite"),
    manifest: join(dir, "manifest.json"),
    amendments: join(dir, "amendments.jsonl"),
    progress: join(dir, "progress.jsonl"),
    lock: join(dir, "lock.sqlite"),
    checkpoints: join(dir, "checkpoints"),
    aside: join(dir, "aside"),
  };
}

/** Flushes a file or folder to disk. */
export function flush(path: string): void {
  const file = fs.openSync(path, "r");
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Writes a whole file so that it is there entirely or not at all. */
export function writeAside(path: string, text: string): void {
  fs.writeFileSync(`${path}.new`, text);
  flush(`${path}.new`);
  fs.renameSync(`${path}.new`, path);
  flush(join(path, ".."));
}

/** A new folder `aside/1`, `aside/2`, … for damaged files. */
export function makeAside(paths: RunPaths): string {
  fs.mkdirSync(paths.aside, { recursive: true });
  const folder = join(paths.aside, String(fs.readdirSync(paths.aside).length + 1));
  fs.mkdirSync(folder);
  return folder;
}

/** What a JSONL file holds. */
export interface Lines {
  /** Its whole lines, parsed. */
  values: unknown[];
  /** Bytes up to the end of the last whole line. */
  length: number;
  /** Whether something follows that is not a whole line of JSON. */
  torn: boolean;
}

/**
 * Whole lines of a JSONL file; what follows the first torn one is left out. A missing file has
 * none.
 */
export function readLines(path: string): Lines {
  const bytes = fs.existsSync(path) ? fs.readFileSync(path) : new Uint8Array();
  const decoder = new TextDecoder();
  const values: unknown[] = [];
  let length = 0;
  for (;;) {
    const end = bytes.indexOf(10, length);
    if (end < 0) break;
    try {
      values.push(JSON.parse(decoder.decode(bytes.subarray(length, end))));
    } catch {
      break;
    }
    length = end + 1;
  }
  return { values, length, torn: length < bytes.length };
}

/** Appends a line to a JSONL file and flushes it; a torn tail is cut first. */
export function appendLine(path: string, value: unknown): void {
  const { torn, length } = readLines(path);
  if (torn) fs.truncateSync(path, length);
  fs.appendFileSync(path, JSON.stringify(value) + "\n");
  flush(path);
}
