/**
 * Measures weights outside a run: a folder of weights on the test set, and the validity of a run's designs.
 * @module
 */
import { type RecordOf, UsageError } from "../core/mod.ts";
import {
  checkConfig,
  type Config,
  type DesignValidity,
  evaluate,
  type Loop,
  measureValidity,
  resolveConfig,
} from "../loop/mod.ts";
import { Store } from "../store/mod.ts";
import { presetFiles } from "./files.ts";
import { openSession } from "./session.ts";

export interface ModelEvaluation {
  /** Folder of weights. */
  model: string;
  /** Folder for the engine's log. */
  dir: string;
  seed: number;
  /** Further `key=value` settings of the nano preset. */
  settings?: readonly string[];
}

function open(config: Config, dir: string) {
  return openSession({
    config,
    dir,
    emit: () => {},
    clock: () => performance.now() / 1000,
    signal: new AbortController().signal,
  });
}

/** The nano preset with another folder of weights, opened without a run. */
async function withModel<T>(of: ModelEvaluation, use: (loop: Loop) => Promise<T>): Promise<T> {
  const set = [...of.settings ?? [], `model=${JSON.stringify(of.model)}`, `seed=${of.seed}`];
  const config = resolveConfig({ preset: "nano", set }, presetFiles());
  await using session = await open(config, of.dir);
  const run = { id: "run", rollout: -1, seed: of.seed, preset: "nano", config: { ...config } };
  using store = Store.memory({ run, manifest: session.manifest });
  return await use(session.loop(store));
}

/** Test-set plays, sampled and greedy. */
export function evaluateModel(of: ModelEvaluation): Promise<RecordOf<"evaluation">[]> {
  return withModel(
    of,
    (loop) => evaluate(loop, { rollout: 0, set: "test", weights: "current" }),
  );
}

/** Validity of designs to prompts without memory. */
export function designsOfModel(of: ModelEvaluation, replies: number): Promise<DesignValidity> {
  return withModel(of, (loop) => measureValidity(loop, { weights: "current", replies }));
}

/**
 * Validity of the designs of a finished run: its starting weights and its last checkpoint.
 *
 * @throws {UsageError} when the run has no checkpoint.
 */
export async function designsOfRun(
  dir: string,
  replies: number,
): Promise<{ base: DesignValidity; current: DesignValidity }> {
  using store = Store.open(dir, { readonly: true });
  const last = store.all("checkpoint", { orderBy: "rollout" }).at(-1);
  if (last === undefined) {
    throw new UsageError(`Cannot measure the designs of ${dir}: it has no checkpoint`);
  }
  await using session = await open(checkConfig(store.all("run")[0].config), dir);
  const loop = session.loop(store);
  await loop.engine.trainer.load(last.engineState);
  await loop.engine.trainer.publish();
  return {
    base: await measureValidity(loop, { weights: "base", replies }),
    current: await measureValidity(loop, { weights: "current", replies }),
  };
}
