/**
 * Checkpoints and resuming. A checkpoint is the engine's weights and optimiser (written aside and renamed by the engine),
 * a `checkpoint` row, and a copy of the database, in this order; engine state without its row is not used.
 * @module
 */
import { StoreError } from "../core/mod.ts";
import { checkpointCopy, describedCopy } from "../store/mod.ts";
import { countStage, type Loop, tell } from "./context.ts";
import { applyBatch } from "./update.ts";

/** Keeps the engine's state and the records after `rollout` rollouts. */
export async function saveCheckpoint(loop: Loop, rollout: number): Promise<void> {
  const { store, engine, config, signal } = loop;
  const name = `rollout-${String(rollout).padStart(4, "0")}`;
  const keep = config.checkpointsKept;
  const isCopied = () => store.dir === undefined || describedCopy(store.dir, name) !== undefined;
  if (store.has("checkpoint", name)) {
    // The run was stopped between the row and its copy: the copy is made up for.
    if (!isCopied()) await checkpointCopy(store, name, { keep });
    return;
  }
  const engineState = await engine.trainer.save(`${loop.name}-${name}`, { signal });
  const state = await engine.trainer.state({ signal });
  store.transaction(() =>
    store.insert("checkpoint", {
      id: name,
      rollout: rollout - 1,
      engineState,
      weightsVersion: state.weightsVersion,
      step: state.step,
      // The engine's ids begin with the run's name; runs are compared under any name.
      batchId: state.lastBatchId?.split("/").at(-1) ?? null,
    })
  );
  if (!isCopied()) await checkpointCopy(store, name, { keep });
  const newest = store.all("checkpoint", { orderBy: "rollout" }).slice(-keep);
  await engine.keepOnly?.(newest.map((row) => row.engineState));
}

/**
 * Brings the engine to where the records are: the newest checkpoint it can load, then the stored batches after it, in
 * order, without sampling. A batch must give the loss it gave the first time.
 *
 * ```ts ignore check
 * import { type Loop, restore, trainSteps } from "@spade/spade";
 *
 * declare const loop: Loop; // an opened run
 * const { checkpoint, applied } = await restore(loop);
 * for await (const report of trainSteps(loop)) console.log(report.rollout);
 * ```
 *
 * @throws {StoreError} when a re-applied batch gives another loss: weights or engine are not those of the run.
 */
export async function restore(loop: Loop): Promise<{ checkpoint: string | null; applied: number }> {
  const { store, engine, signal } = loop;
  const found = store.all("checkpoint", { orderBy: "rollout" }).reverse();
  let from: string | null = null;
  let after = -1;
  for (const row of found) {
    try {
      await engine.trainer.load(row.engineState, { signal });
      from = row.id;
      after = row.rollout;
      break;
    } catch (cause) {
      signal.throwIfAborted();
      tell(
        loop,
        row.rollout,
        "warning",
        `checkpoint ${row.id} cannot be loaded (${(cause as Error).message}); trying an older one`,
      );
    }
  }
  const updates = store.all("update", { orderBy: "rollout" })
    .filter((update) => update.rollout > after);
  const { rollouts } = loop.config;
  const step = countStage(loop, rollouts, "apply stored batches", updates.length);
  for (const update of updates) {
    const batch = store.get("batch", update.batchId)!;
    const { weighted, gradNorm } = await applyBatch(loop, batch);
    step();
    const again: [string, number | null, number | null][] = [
      ["loss", update.loss, weighted.loss],
      ["gradient norm", update.gradNorm, gradNorm],
      ["mean |p0 - q|", update.meanDifference, weighted.statistics.meanDifference],
    ];
    for (const [name, before, now] of again) {
      if (Math.abs((now ?? 0) - (before ?? 0)) <= 1e-6 * Math.max(1, Math.abs(before ?? 0))) {
        continue;
      }
      throw new StoreError(
        `Cannot resume: batch ${batch.id} had ${name} ${before} and now has ${now}; ` +
          "the engine or its starting weights are not those of this run",
      );
    }
  }
  return { checkpoint: from, applied: updates.length };
}
