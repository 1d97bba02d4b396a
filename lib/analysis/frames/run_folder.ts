/**
 * Run folders as a reader sees them: opening one, listing many, and the few figures that tell them apart.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { StoreError, sumOf } from "../../core/mod.ts";
import { Store } from "../../store/mod.ts";
import { readTable } from "./read_table.ts";

/** How far a run has come. */
export interface RunSummary {
  /** Name of its preset. */
  preset: string | null;
  /** The seed that all others are derived from. */
  seed: number | null;
  /** Rollouts done. */
  rollouts: number;
  /** Rollouts to do; null where the run does not say. */
  planned: number | null;
  /** Whether it came to its end; if not it is running or was stopped. */
  finished: boolean;
  /** Mean return of the scored plain plays of the last rollout done; null without one. */
  winRate: number | null;
  /** Plays that the win rate is the mean of. */
  scored: number;
  /** Plain plays of that rollout without a score. */
  unscored: number;
}

/**
 * Opens a run folder for reading. Another process may be writing it.
 *
 * ```ts ignore
 * import { openFolder } from "@spade/spade";
 *
 * using store = openFolder("runs/nano");
 * console.log(store.count("play"), "plays");
 * ```
 *
 * @throws CorruptRunError when run.sqlite is damaged, or gone from a folder that has copies of it
 * @throws StoreError when there is no such folder, it is no run's, or its schema is not this version's
 */
export function openFolder(dir: string): Store {
  if (fs.existsSync(dir)) {
    if (!fs.statSync(dir).isDirectory()) {
      throw new StoreError(`Cannot open run ${dir}: it is a file, must be a run's folder`);
    }
    if (!["run.sqlite", "checkpoints"].some((name) => fs.existsSync(path.join(dir, name)))) {
      throw new StoreError(`Cannot open run ${dir}: it has no run.sqlite, must be a run's folder`);
    }
  }
  return Store.open(dir, { readonly: true });
}

/**
 * Folders in `folder` that hold a run, or what is left of one, by name. A missing folder has none.
 *
 * ```ts ignore
 * import { runFolders } from "@spade/spade";
 *
 * console.log(runFolders("runs")); // ["runs/nano", "runs/nano-2"]
 * ```
 */
export function runFolders(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  const isRun = (name: string) =>
    ["run.sqlite", "manifest.json"].some((file) => fs.existsSync(path.join(folder, name, file)));
  return fs.readdirSync(folder).filter(isRun).sort().map((name) => path.join(folder, name));
}

/**
 * Reads what is needed of a run and no more: quick however long it is.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Store } from "../../store/mod.ts";
 *
 * using store = Store.memory();
 * const config = { rollouts: 72 };
 * store.transaction(() => store.insert("run", [{ id: "r", rollout: -1, seed: 7, preset: "nano", config, manifest: {} }]));
 * const { preset, rollouts, planned, winRate } = summariseRun(store);
 * // Nothing was played: the win rate is missing, not 0.
 * assert.deepEqual([preset, rollouts, planned, winRate], ["nano", 0, 72, null]);
 * ```
 */
export function summariseRun(store: Store): RunSummary {
  const run = store.all("run")[0];
  const state = store.get("cursor", "state")?.value ?? {};
  const rollouts = typeof state.rollout === "number" ? state.rollout : store.count("update");
  const planned = run?.config.rollouts;
  const plays = readTable(store, "play", {
    columns: ["value"],
    where: { rollout: rollouts - 1, arm: "plain" },
  }).array("value") as (number | null)[];
  const values = plays.filter((value) => value !== null);
  return {
    preset: run?.preset ?? null,
    seed: run?.seed ?? null,
    rollouts,
    planned: typeof planned === "number" ? planned : null,
    finished: state.finished === true,
    winRate: values.length > 0 ? sumOf(values) / values.length : null,
    scored: values.length,
    unscored: plays.length - values.length,
  };
}
