/**
 * Evaluates a folder of weights on the test set as a run would, without a run.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { evaluate, resolveConfig } from "../loop/mod.ts";
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

/** Test-set plays, sampled and greedy. */
export async function evaluateModel(of: ModelEvaluation): Promise<RecordOf<"evaluation">[]> {
  const set = [...of.settings ?? [], `model=${JSON.stringify(of.model)}`, `seed=${of.seed}`];
  const config = resolveConfig({ preset: "nano", set }, presetFiles());
  await using session = await openSession({
    config,
    dir: of.dir,
    emit: () => {},
    clock: () => performance.now() / 1000,
    signal: new AbortController().signal,
  });
  const run = { id: "run", rollout: -1, seed: of.seed, preset: "nano", config: { ...config } };
  using store = Store.memory({ run, manifest: session.manifest });
  return await evaluate(session.loop(store), { rollout: 0, set: "test", weights: "current" });
}
