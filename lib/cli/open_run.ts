/**
 * Opening a run folder that may be damaged: what is lost, and how its newest copy is put in place.
 * @module
 */
import * as path from "node:path";
import { UsageError } from "../core/mod.ts";
import { CorruptRunError, restoreFromCopy, Store } from "../store/mod.ts";

/** Opens a run to go on with; a damaged one is named together with the way out. */
export function openRun(dir: string): Store {
  try {
    return Store.open(dir);
  } catch (error) {
    if (error instanceof CorruptRunError && error.copies.length > 0) {
      console.error(
        `the newest complete copy can be put in place: deno task resume ${path.basename(dir)} ` +
          "--from-copy",
      );
    }
    throw error;
  }
}

/** Puts the newest complete copy in the place of a damaged database; a sound one stays. */
export function restoreNewestCopy(dir: string): void {
  let copies: CorruptRunError["copies"] = [];
  try {
    Store.open(dir).close();
    console.error("the database is sound: no copy is needed");
    return;
  } catch (error) {
    if (!(error instanceof CorruptRunError)) throw error;
    copies = error.copies;
  }
  const newest = copies.at(-1);
  if (newest === undefined) {
    throw new UsageError(`Cannot restore ${dir}: there is no complete copy`);
  }
  const { lost, aside } = restoreFromCopy(dir, newest.name);
  console.error(
    `put copy ${newest.name} in place; lost ${lost.transactions} transactions since; ` +
      `the damaged file is in ${path.relative(dir, aside)}`,
  );
}
