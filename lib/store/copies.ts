/**
 * Copies of the database at checkpoints. A copy is made in `checkpoints/NAME.partial`, flushed,
 * described by copy.json (written last) and renamed. It counts as complete only if copy.json is
 * there and the file has the size and sha-256 that it says, so a copy cut anywhere is never taken.
 * @module
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Same } from "../core/mod.ts";
import { runPaths } from "./folder.ts";

const copyFile = z.object({
  name: z.string(),
  sequence: z.number().int(),
  hash: z.string(),
  rollout: z.number().int(),
  bytes: z.number().int(),
  sha256: z.string(),
});
true satisfies Same<z.infer<typeof copyFile>, Omit<Copy, "path">>;

/** A complete copy of the database. */
export interface Copy {
  /** Name of its folder, that of the checkpoint. */
  name: string;
  /** Last transaction in it. */
  sequence: number;
  /** Hash of that transaction. */
  hash: string;
  /** Newest rollout up to it. */
  rollout: number;
  /** Size of the database file. */
  bytes: number;
  /** Sha-256 of the database file, as hexadecimal digits. */
  sha256: string;
  /** The database file. */
  path: string;
}

/** End of the name of a copy that is being made. */
export const partial = ".partial";

/** Complete copies of a run, oldest first. Reads them whole. */
export function listCopies(dir: string): Copy[] {
  return describedCopies(dir).filter((copy) => readCopy(dir, copy.name) !== undefined);
}

/** A copy, or undefined unless it is complete. Reads the whole file. */
export function readCopy(dir: string, name: string): Copy | undefined {
  const copy = describedCopy(dir, name);
  if (copy === undefined) return undefined;
  const found = fingerprint(copy.path);
  return found.bytes === copy.bytes && found.sha256 === copy.sha256 ? copy : undefined;
}

/** A copy as copy.json describes it and with the size it says; the content is not read. */
export function describedCopy(dir: string, name: string): Copy | undefined {
  const folder = join(runPaths(dir).checkpoints, name);
  const path = join(folder, "run.sqlite");
  try {
    const copy = copyFile.parse(JSON.parse(fs.readFileSync(join(folder, "copy.json"), "utf8")));
    return fs.statSync(path).size === copy.bytes ? { ...copy, path } : undefined;
  } catch {
    return undefined;
  }
}

/** Copies that are described and have their size, whatever their content; oldest first. */
export function describedCopies(dir: string): Copy[] {
  const { checkpoints } = runPaths(dir);
  if (!fs.existsSync(checkpoints)) return [];
  return fs.readdirSync(checkpoints)
    .filter((name) => !name.endsWith(partial))
    .map((name) => describedCopy(dir, name))
    .filter((copy) => copy !== undefined)
    .sort((a, b) => a.sequence - b.sequence);
}

/** Only names that stay inside the folder. */
export function checkName(name: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) || name.endsWith(partial)) {
    throw new RangeError(
      `Cannot use "${name}" as a copy's name: must be letters, digits, ".", "_", "-"`,
    );
  }
}

/** Size and sha-256 of a file, read in pieces. */
export function fingerprint(path: string): { bytes: number; sha256: string } {
  const hash = createHash("sha256");
  const buffer = new Uint8Array(1 << 20);
  const file = fs.openSync(path, "r");
  let bytes = 0;
  try {
    for (;;) {
      const n = fs.readSync(file, buffer, 0, buffer.length, bytes);
      if (n === 0) break;
      hash.update(buffer.subarray(0, n));
      bytes += n;
    }
  } finally {
    fs.closeSync(file);
  }
  return { bytes, sha256: hash.digest("hex") };
}
