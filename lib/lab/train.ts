/**
 * A training as something to iterate over: each step is a rollout, and between two steps everything is stored.
 *
 * Guarantees: leaving the loop (`break`, an error, `stop()`, the stop button) leaves a run that can be gone on with, by
 * iterating again or by `train({ resume })`, here or by `deno task resume`; whatever the stops, the records and weights are
 * those of a run without them.
 * @module
 */
import * as path from "node:path";
import { UsageError } from "../core/mod.ts";
import type { RolloutReport, Sandbox } from "../core/mod.ts";
import { findRun, presetFiles } from "../cli/files.ts";
import {
  isFinished,
  keptConfig,
  newRunFolder,
  type OpenTraining,
  resumeTraining,
  startTraining,
} from "../cli/open_training.ts";
import { type Config, readState, resolveConfig, train as trainSteps } from "../loop/mod.ts";
import { display, type Displayable, type Run } from "../show/mod.ts";
import { Store } from "../store/mod.ts";
import type { Policy } from "./engine.ts";
import { interruptSignal } from "./interrupt.ts";
import { openRun } from "./runs.ts";
import { openSandbox } from "./sandbox.ts";
import { seconds, setting, signalOr } from "./settings.ts";
import { shownTraining } from "./show_training.ts";
import { ProgressLine } from "./progress.ts";
import { stageNotes } from "./stage_notes.ts";

/** What the manifest says of how the run was started. */
const command = ["mod.ts", "train()"];

/** How to train. */
export interface TrainOptions {
  /** `data/presets`. @default "nano" */
  preset?: string;
  /** `data/presets/overlays`, in order. @default [] */
  overlays?: readonly string[];
  /** Further changes, `key=value`, e.g. `environments=6`. @default [] */
  set?: readonly string[];
  /** The run's seed. @default 0 */
  seed?: number;
  /** Rollouts in all. @default the preset's */
  rollouts?: number;
  /** Folder under `runs/`. @default after preset and seed, numbered */
  name?: string;
  /**
   * A run to go on with, by name or folder; the options above are then the run's own. True: `name`, where it exists
   * already; a cell that says so can be run again. @default false
   */
  resume?: string | boolean;
  /** A server, or an opened engine on which the run gets a model of its own. @default SPADE_ENGINE, else our own */
  engine?: string | Policy;
  /** Runs programs; it stays open. @default the host at SPADE_HOST, else one of the run's own */
  sandbox?: Sandbox;
  /** Stops the training, as {@link Training.stop} does, but with an error. */
  signal?: AbortSignal;
}

/** A training: iterate over it, once or again after a stop, until its last rollout. */
export interface Training extends AsyncIterable<RolloutReport>, Displayable {
  /** The run's folder; it is there from the first step on. */
  readonly dir: string;
  /** Name of the folder. */
  readonly name: string;
  /** Reports of this object's rollouts, oldest first. */
  readonly reports: readonly RolloutReport[];
  /** Warnings so far. */
  readonly warnings: readonly string[];
  /** The run, open for reading: its tables grow while it trains. */
  readonly run: Run;
  /** Whether nothing is left to do. */
  readonly finished: boolean;
  /** Stops at the next safe place; resolves when all is stored and closed. The iteration ends without an error. */
  stop(): Promise<void>;
}

/**
 * Trains a policy by self-play into `runs/NAME`, as `deno task train` does. Nothing starts before the first step.
 *
 * ```ts ignore check
 * import { train } from "@spade/spade";
 *
 * const training = train({ name: "first", rollouts: 4, resume: true });
 * for await (const report of training) {
 *   console.log(report.rollout, report.successRate, report.regretMean);
 *   if (report.rollout === 1) break; // iterate again to go on
 * }
 * console.log(training.run.regrets());
 * ```
 *
 * A notebook's stop button ends the loop with an error that says how to go on. To stop from another cell, do not await it:
 * `const going = (async () => { for await (const report of training) draw(report); })()`, later `await training.stop()`.
 *
 * @throws {UsageError} where an option is wrong or the run is not there.
 */
export function train(options: TrainOptions = {}): Training {
  const engine = options.engine === undefined ? setting("SPADE_ENGINE") : urlOf(options.engine);
  const resumed = resumedRun(options);
  const config = resumed === undefined ? configOf(options, engine) : undefined;
  const dir = resumed ?? newRunFolder(options.name, config!);
  const state: State = { dir, engine, config, reports: [], warnings: [], finished: false };
  let steps: AsyncGenerator<RolloutReport> | undefined;
  let stopping = new AbortController();
  let run: Run | undefined;
  const isOver = () => steps = undefined;
  return display(shownTraining, {
    dir,
    name: path.basename(dir),
    reports: state.reports,
    warnings: state.warnings,
    get finished() {
      return state.finished;
    },
    get run() {
      return run ??= openRun(dir);
    },
    async stop() {
      stopping.abort(new DOMException("stopped", "AbortError"));
      // between two steps it closes now, in the middle of one as soon as that has come to an end
      await steps?.return(undefined).catch(() => {});
      isOver();
    },
    [Symbol.asyncIterator]() {
      if (steps !== undefined) {
        throw new UsageError(
          `Cannot iterate over training ${path.basename(dir)}: it is running, must be stopped ` +
            "first: await training.stop()",
        );
      }
      stopping = new AbortController();
      return steps = rollouts(state, { ...options, stop: stopping.signal, isOver });
    },
  });
}

function urlOf(engine: string | Policy): string {
  const url = typeof engine === "string" ? engine : engine.url;
  if (url !== undefined) return url;
  throw new UsageError(
    "Cannot train on this engine: it has no address, must be a server or our own",
  );
}

function resumedRun({ resume = false, name }: TrainOptions): string | undefined {
  if (resume === false) return undefined;
  if (typeof resume === "string") return findRun(resume);
  if (name === undefined) {
    throw new UsageError("Cannot resume: there is no name, must be a run's: resume: NAME");
  }
  try {
    return findRun(name);
  } catch {
    return undefined;
  }
}

function configOf(options: TrainOptions, engine: string | undefined): Config {
  const { preset = "nano", overlays = [], seed, rollouts } = options;
  const set = [...options.set ?? []];
  if (seed !== undefined) set.push(`seed=${seed}`);
  if (rollouts !== undefined) set.push(`rollouts=${rollouts}`);
  if (engine !== undefined) set.push(`engine=${JSON.stringify(engine)}`);
  return resolveConfig({ preset, overlays, set }, presetFiles());
}

/** What iterations over one training share. */
interface State {
  dir: string;
  engine: string | undefined;
  /** Of a run that is to be made; then it is there. */
  config: Config | undefined;
  reports: RolloutReport[];
  warnings: string[];
  finished: boolean;
}

/** One iteration: opens everything, goes through the rollouts, closes everything. */
async function* rollouts(
  state: State,
  options: TrainOptions & { stop: AbortSignal; isOver: () => void },
): AsyncGenerator<RolloutReport> {
  const { dir, reports, warnings } = state;
  const { stop, signal, isOver } = options;
  await using stack = new AsyncDisposableStack();
  stack.defer(isOver);
  const line = stack.use(
    new ProgressLine({ title: `training ${path.basename(dir)}`, unit: "rollouts" }),
  );
  const interrupt = interruptSignal();
  const either = signalOr(signal === undefined ? stop : AbortSignal.any([stop, signal]));
  const sandbox = options.sandbox ??
    (setting("SPADE_HOST") === undefined ? undefined : stack.use(await openSandbox()));
  const told = stageNotes(line, warnings);
  const opening = { dir, emit: told, clock: seconds, signal: either, sandbox, command };
  try {
    let training: OpenTraining;
    if (state.config !== undefined) {
      training = stack.use(await startTraining({ ...opening, config: state.config }));
      state.config = undefined;
    } else {
      const store = stack.use(Store.open(dir));
      if (isFinished(store)) {
        state.finished = true;
        return;
      }
      const config = keptConfig(store, { engine: state.engine });
      training = stack.use(await resumeTraining(store, { ...opening, config }));
    }
    const { loop } = training;
    const { rollout } = readState(loop);
    line.begin(rollout, loop.config.rollouts);
    for await (const report of trainSteps(loop)) {
      reports.push(report);
      line.update({ done: report.rollout + 1 });
      line.pause();
      yield report;
      line.update();
    }
    state.finished = true;
    line.finish();
  } catch (error) {
    if (!isAbort(error)) throw error;
    if (stop.aborted) return;
    throw interrupt.aborted ? interrupted(state) : error;
  }
}

/** What the stop button's error says: how to go on. */
function interrupted({ dir, config }: State): DOMException {
  const name = path.basename(dir);
  const words = config === undefined
    ? `runs/${name} can be gone on with: train({ resume: "${name}" })`
    : "nothing had begun";
  return new DOMException(`interrupted: ${words}`, "AbortError");
}

/** Whether an error comes from an abort. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || isAbort(error.cause));
}
