/**
 * A run to look at: small, the same for everybody, trained by whoever needs it first.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { StoreError } from "../core/mod.ts";
import { root } from "../cli/files.ts";
import type { Run } from "../show/mod.ts";
import { CorruptRunError } from "../store/mod.ts";
import { withProgress } from "./progress.ts";
import { openRun } from "./runs.ts";
import { seconds, signalOr } from "./settings.ts";
import { sized } from "./sized.ts";
import { train } from "./train.ts";

/** How to open the example run. */
export interface ExampleRunOptions {
  /** Folder under `runs/`. @default "example"; "example-short" with SPADE_SHORT=1 where the former is not finished */
  name?: string;
  /** Gives up; what was trained until then is gone on with the next time. */
  signal?: AbortSignal;
}

/** Seconds that another process may take to train it, and to open what it needs before. */
const patience = { training: 600, opening: 90 };

/**
 * Opens the example run: the nano policy with seed 0 and little else than its size changed, 8 rollouts of 12 environments
 * (3 of 6 with `SPADE_SHORT=1`). Where it is not there it is trained first, in a minute or two; where it was cut it is
 * gone on with; where another process trains it, that is waited for.
 *
 * ```ts ignore check
 * import { exampleRun } from "@spade/spade";
 *
 * const run = await exampleRun(); // one of your own: openRun("NAME")
 * console.log(run, run.environments());
 * ```
 *
 * @throws {UsageError} where sandbox or engine are not set up.
 */
export async function exampleRun(options: ExampleRunOptions = {}): Promise<Run> {
  const signal = signalOr(options.signal);
  const usual = isFinished("example") ? "example" : sized("example", "example-short");
  const { name = usual } = options;
  const since = seconds();
  while (!isFinished(name)) {
    signal.throwIfAborted();
    try {
      await trainExample(name, signal);
    } catch (error) {
      if (!isAnothers(name, error) || seconds() - since > patienceFor(name)) throw error;
      await waitForOther(name, signal);
    }
  }
  return openRun(name);
}

async function trainExample(name: string, signal: AbortSignal): Promise<void> {
  const [environments, plays, rollouts] = sized([12, 8, 8], [6, 4, 3]);
  const [every, dev, test] = sized([4, 2, 2], [2, 1, 1]);
  const set = [
    ...[`environments=${environments}`, `plays=${plays}`, `evaluateEvery=${every}`],
    ...[`evaluationPlays.dev=${dev}`, `evaluationPlays.test=${test}`],
  ];
  const training = train({ name, seed: 0, rollouts, set, resume: true, signal });
  // deno-lint-ignore no-empty
  for await (const _ of training) {}
}

function folderOf(name: string): string {
  return path.join(root, "runs", name);
}

function isFinished(name: string): boolean {
  if (!fs.existsSync(path.join(folderOf(name), "run.sqlite"))) return false;
  try {
    using run = openRun(folderOf(name));
    return run.summary.finished;
  } catch (error) {
    // another process has only begun to make it; training says what else it may be
    if (error instanceof StoreError) return false;
    throw error;
  }
}

/** Whether another process is writing the run, or opening what it needs for that. */
function isAnothers(name: string, error: unknown): boolean {
  return isOpening(name) || error instanceof StoreError && !(error instanceof CorruptRunError);
}

/** Whether the folder is there and the run is not yet; or nobody is at it any more, since that one was killed. */
function isOpening(name: string): boolean {
  return fs.existsSync(folderOf(name)) && !fs.existsSync(path.join(folderOf(name), "run.sqlite"));
}

function patienceFor(name: string): number {
  return isOpening(name) ? patience.opening : patience.training;
}

function waitForOther(name: string, signal: AbortSignal): Promise<void> {
  const title = `waiting for runs/${name}, which is being trained`;
  return withProgress({ title, unit: "" }, async () => {
    const end = seconds() + 5;
    while (seconds() < end && !isFinished(name)) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  });
}
