/**
 * The training loop (spade.md section 2), readable in one sitting: make or replay the set, play it, update once, keep
 * everything. Each rollout ends in one transaction; what a rollout needs of the past is in the store.
 *
 * Guarantees: same seed, same embedded run, whatever the order of arrivals; a run stopped anywhere goes on from what is
 * stored and ends with the same records and weights. Not guaranteed: the same bits on another kind of machine.
 * @module
 */
import type { RecordOf, RolloutReport } from "../core/mod.ts";
import { drainDue, flushQueue } from "../grpo/mod.ts";
import { saveCheckpoint } from "./checkpoint.ts";
import { configAt } from "./config.ts";
import { countStage, idOf, type Loop, tell } from "./context.ts";
import { delayPlan, designerBatch, droppedSamples, queueSamples } from "./designers.ts";
import { evaluate, successRateOf } from "./evaluate.ts";
import { steer } from "./fixed.ts";
import { remember } from "./memory.ts";
import { withPublished } from "./published.ts";
import { ledgerRows, measureRollout } from "./report.ts";
import { makeSet, type PlayedEnvironment, playSet } from "./set.ts";
import { type LoopState, readState, writeState } from "./state.ts";
import { agentBatch, applyBatch, makeBatch, turnsOf, updateRecord } from "./update.ts";
import { regretOf } from "./windows.ts";

/**
 * Trains until the configured number of rollouts is done; yields one report a rollout.
 *
 * ```ts ignore check
 * import { type Loop, trainSteps } from "@spade/spade"; // the room's own name is train
 *
 * declare const loop: Loop; // an opened run; breaking off leaves one that can be resumed
 * for await (const report of trainSteps(loop)) console.log(report.rollout, report.plainMean);
 * ```
 */
export async function* train(run: Loop): AsyncGenerator<RolloutReport> {
  const loop = await withPublished(run);
  const { config } = loop;
  let state = readState(loop);
  // What a run stopped between an update and its checkpoint or evaluation still owes.
  await closeRollout(loop, state.rollout);
  while (state.rollout < config.rollouts) {
    const report = await runRollout(loop, state);
    state = readState(loop);
    report.evaluation = await closeRollout(loop, state.rollout);
    loop.emit({ kind: "report", report });
    yield report;
  }
  if (!state.finished) await finish(loop, state);
}

/** The checkpoint and the evaluation due after `done` rollouts; what is stored already is not made again. */
async function closeRollout(loop: Loop, done: number): Promise<RolloutReport["evaluation"]> {
  const { checkpointEvery, evaluateEvery, rollouts } = loop.config;
  const isLast = done === rollouts;
  if (done > 0 && (isLast || done % checkpointEvery === 0)) await saveCheckpoint(loop, done);
  return isLast || done % evaluateEvery === 0 ? await evaluateDev(loop, done) : undefined;
}

/** One rollout: plays, batch, update. Commits at its end. */
async function runRollout(run: Loop, committed: LoopState): Promise<RolloutReport> {
  const loop = { ...run, config: configAt(run.config, committed.rollout) };
  const { store } = loop;
  const started = loop.clock();
  const state = structuredClone(committed);
  const { rollout } = state;
  const generates = rollout % loop.config.epoch === 0;
  const set = generates ? await makeSet(loop, state, rollout) : await playSet(loop, rollout);
  if (generates) state.queue.push(...queueSamples(loop, rollout));

  const regrets = generates ? regretsOf(loop, set, rollout) : new Map();
  const plain = set.flatMap((played) => played.plain);
  const turns = turnsOf(loop, rollout);
  const agents = agentBatch(loop, plain, rollout, state.baselines, turns);
  const { due, waiting } = drainDue(state.queue, rollout);
  const designers = designerBatch(loop, due, {
    rollout,
    agents: agents.units.length,
    trackers: state.trackers,
  });
  const batch = makeBatch([...agents.units, ...designers.units], {
    rollout,
    scale: designers.scale,
  });
  const updated = countStage(loop, rollout, "update", 1);
  const applied = await applyBatch(loop, batch);
  updated();

  state.rollout = rollout + 1;
  state.queue = waiting;
  state.trackers = designers.trackers;
  state.baselines = agents.baselines;
  state.lastAgents = agents.units.length;
  const steered = steer(loop, state, set);
  const seconds = loop.clock() - started;
  const ledger = ledgerRows(loop, rollout, turns, seconds);
  const report = measureRollout(loop, {
    rollout,
    set,
    regrets,
    counts: agents.counts,
    designers,
    applied,
    ledger,
    seconds,
  });
  store.transaction(() => {
    store.insert("regret", [...regrets.values()]);
    store.insert("sample", designers.samples);
    store.insert("batch", batch);
    store.insert("update", updateRecord(loop, batch, applied, agents.counts, { ...report }));
    store.insert("ledger", ledger);
    remember(loop, set, regrets, rollout);
    writeState(loop, state);
  });
  for (const message of agents.counts.warnings) tell(loop, rollout, "warning", message);
  for (const message of steered) tell(loop, rollout, "note", `rollout ${rollout}: ${message}`);
  return report;
}

function regretsOf(
  loop: Loop,
  set: readonly PlayedEnvironment[],
  rollout: number,
): Map<string, RecordOf<"regret">> {
  return new Map(
    set.filter(({ environment }) => environment.origin !== "folder").map((played) => [
      played.environment.id,
      regretOf(loop, played.environment.id, rollout, played),
    ]),
  );
}

async function evaluateDev(loop: Loop, rollout: number): Promise<RolloutReport["evaluation"]> {
  if (loop.heldout.dev.length === 0) return undefined;
  const rows = await evaluate(loop, { rollout, set: "dev", weights: "current" });
  const sampled = successRateOf(rows, "sampled");
  const greedy = successRateOf(rows, "greedy");
  if (sampled === undefined || greedy === undefined) return undefined;
  return { sampled, greedy, n: rows.length / 2 };
}

/** The designer-only update of what still waits [D20], the test set, once, and the last checkpoint. */
async function finish(run: Loop, committed: LoopState): Promise<void> {
  const loop = { ...run, config: configAt(run.config, run.config.rollouts) };
  const { config, store } = loop;
  const state = structuredClone(committed);
  const last = config.rollouts - 1;
  const { extra, dropped } = flushQueue(state.queue, last, delayPlan(config));
  if (extra.length > 0 || dropped.length > 0) {
    const rollout = config.rollouts;
    const designers = designerBatch(loop, extra, {
      rollout,
      agents: state.lastAgents,
      trackers: state.trackers,
    });
    const batch = makeBatch(designers.units, { rollout, scale: designers.scale });
    const applied = await applyBatch(loop, batch);
    const counts = { deadGroups: 0, shortGroups: 0 };
    state.queue = [];
    state.trackers = designers.trackers;
    store.transaction(() => {
      store.insert("sample", [...designers.samples, ...droppedSamples(dropped)]);
      store.insert("batch", batch);
      store.insert("update", updateRecord(loop, batch, applied, counts, {}));
      writeState(loop, state);
    });
  }
  if (store.has("batch", idOf.batch(config.rollouts))) {
    await saveCheckpoint(loop, config.rollouts + 1);
  }
  if (loop.heldout.test.length > 0) {
    for (const weights of ["base", "current"] as const) {
      await evaluate(loop, { rollout: config.rollouts, set: "test", weights });
    }
  }
  store.transaction(() => writeState(loop, { ...state, finished: true }));
}
