import * as fs from "node:fs";
import { basename, join } from "node:path";
import { StoreError } from "../core/mod.ts";
import { checkName, describedCopies, readCopy } from "./copies.ts";
import { flush, makeAside, runPaths } from "./folder.ts";
import { takeLock } from "./lock.ts";
import { type Loss, lossAfter, readProgress } from "./progress.ts";

/**
 * Puts a complete copy in the place of run.sqlite. The damaged file, its log and progress.jsonl go
 * to `aside/N`, and so do copies newer than this one. Nothing is deleted. Cut short anywhere, it
 * can be repeated.
 * @returns what is lost by it, and where the damaged files are
 * @throws {StoreError} where the copy is not complete or the run is being written
 */
export function restoreFromCopy(dir: string, name: string): { lost: Loss; aside: string } {
  checkName(name);
  const paths = runPaths(dir);
  using _lock = takeLock(paths.lock, `run ${dir}`);
  const copy = readCopy(dir, name);
  if (copy === undefined) {
    throw new StoreError(`Cannot restore run ${dir} from ${name}: there is no complete copy of it`);
  }
  const fresh = `${paths.database}.new`;
  fs.copyFileSync(copy.path, fresh);
  flush(fresh);
  const { lines } = readProgress(paths.progress);
  const aside = makeAside(paths);
  if (fs.existsSync(paths.progress)) {
    fs.copyFileSync(paths.progress, join(aside, "progress.jsonl"));
  }
  for (const end of ["-wal", "-shm", "-journal", ""]) {
    const path = paths.database + end;
    if (fs.existsSync(path)) fs.renameSync(path, join(aside, basename(path)));
  }
  for (const later of describedCopies(dir).filter((other) => other.sequence > copy.sequence)) {
    fs.renameSync(join(paths.checkpoints, later.name), join(aside, later.name));
  }
  fs.renameSync(fresh, paths.database);
  flush(dir);
  fs.rmSync(paths.progress, { force: true }); // opening writes it anew from the chain
  return { lost: lossAfter(lines, copy.sequence), aside };
}
