/**
 * Making the copy of the database that belongs to a checkpoint; see copies.ts for what makes one
 * complete.
 * @module
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { backup } from "node:sqlite";
import { StoreError } from "../core/mod.ts";
import type { ChainHead } from "./chain.ts";
import { checkName, type Copy, describedCopies, fingerprint, partial, readCopy } from "./copies.ts";
import { flush, makeAside, runPaths, writeAside } from "./folder.ts";
import { asStoreError, closeWriter, connect, troubleOf } from "./sqlite.ts";
import { databaseOf, type Store } from "./store.ts";

/**
 * Copies the database to `checkpoints/NAME/run.sqlite` and removes complete copies older than the
 * newest `keep`. Call it after the transaction that stores the `checkpoint` record. Where a
 * complete copy of that name with the same last transaction exists it is returned; any other of
 * that name goes to `aside/N`. The folder belongs to the store: keep the engine's state elsewhere.
 * @throws {StoreError} where the disk is full (the run itself is untouched)
 */
export async function checkpointCopy(
  store: Store,
  name: string,
  options: {
    /** @default 2 */
    keep?: number;
  } = {},
): Promise<Copy> {
  const { dir } = store;
  if (dir === undefined) throw new TypeError("Cannot copy a run that lives in memory");
  const keep = options.keep ?? 2;
  if (!(keep >= 1)) throw new RangeError(`Cannot keep ${keep} copies: must be >= 1`);
  checkName(name);
  const paths = runPaths(dir);
  const target = join(paths.checkpoints, name);
  const existing = readCopy(dir, name);
  if (existing?.hash === store.head.hash) return existing;
  const aside = target + partial;
  try {
    fs.rmSync(aside, { recursive: true, force: true });
    fs.mkdirSync(aside, { recursive: true });
    const path = join(aside, "run.sqlite");
    await backup(databaseOf(store), path);
    const end = settle(path);
    flush(path);
    const facts = { name, ...end, ...fingerprint(path) };
    writeAside(join(aside, "copy.json"), JSON.stringify(facts) + "\n");
    if (fs.existsSync(target)) fs.renameSync(target, join(makeAside(paths), name));
    fs.renameSync(aside, target);
    flush(paths.checkpoints);
    dropOld(dir, keep);
    return { ...facts, path: join(target, "run.sqlite") };
  } catch (cause) {
    fs.rmSync(aside, { recursive: true, force: true });
    throw troubleOf(cause) === "full"
      ? new StoreError(`Cannot copy the run to ${target}: the disk is full; the run is untouched`, {
        cause,
      })
      : asStoreError(`copy the run to ${target}`, cause);
  }
}

/** Makes the copy one plain file and reads where it ends. */
function settle(path: string): ChainHead & { rollout: number } {
  const db = connect(path);
  try {
    const sql = "SELECT sequence, hash FROM chain ORDER BY sequence DESC LIMIT 1";
    const head = db.prepare(sql).get() as unknown as ChainHead;
    const { rollout } = db.prepare("SELECT max(rollout) AS rollout FROM chain").get()!;
    return { ...head, rollout: Number(rollout) };
  } finally {
    closeWriter(db);
  }
}

/** Only complete ones count, and only complete ones are removed. */
function dropOld(dir: string, keep: number): void {
  const { checkpoints } = runPaths(dir);
  for (const copy of describedCopies(dir).slice(0, -keep)) {
    fs.rmSync(join(checkpoints, copy.name), { recursive: true });
  }
}
