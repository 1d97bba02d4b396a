/** The runs of this project, by name. @module */
import * as path from "node:path";
import { findRun, root } from "../cli/files.ts";
import {
  listRuns as listFolder,
  openRun as openFolder,
  type Run,
  type RunTable,
} from "../show/mod.ts";

/**
 * Opens a run for reading, by its name under `runs/` or by its folder; another process may be writing it. Close it, or
 * declare it with `using`.
 *
 * ```ts ignore check
 * import { openRun } from "@spade/spade";
 *
 * using run = openRun("nano");
 * console.log(run, run.environments());
 * ```
 *
 * @throws {UsageError} where there is no such run: it names those there are.
 * @throws {StoreError} when the run's database is damaged or of another version.
 */
export function openRun(run: string): Run {
  return openFolder(findRun(run));
}

/**
 * The runs of this project, or of another `folder`: name, preset, seed, rollouts, win rate, state.
 *
 * ```ts ignore
 * import { listRuns } from "@spade/spade";
 *
 * console.log(listRuns());
 * ```
 */
export function listRuns(folder: string = path.join(root, "runs")): RunTable {
  return listFolder(folder);
}
