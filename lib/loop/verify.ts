/**
 * Verifying a run from its records alone: ids from sources, seeds from labels, returns from rewards, regrets from plays, raw signals and advantages from
 * windows, batches from turns and replies, and the hash chain over all of it. No engine, no sandbox.
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { environmentId, type RecordOf } from "../core/mod.ts";
import { type Store, verifyChain } from "../store/mod.ts";
import { episodeReturn, type Tracker } from "../reward/mod.ts";
import { checkConfig, configAt } from "./config.ts";
import { environmentSeed } from "./context.ts";
import { designerBatch } from "./designers.ts";
import type { Config } from "./options.ts";
import type { QueuedSample } from "./state.ts";
import { agentBatch, makeBatch } from "./update.ts";
import { regretOf } from "./windows.ts";

/** A stored value that its own records contradict. */
export interface Mismatch {
  /** Table of the row; `chain` where the hash chain is broken. */
  table: string;
  /** Id of the row. */
  id: string;
  /** Column of the value. */
  column: string;
  /** What is stored. */
  stored: unknown;
  /** What follows from the other records. */
  recomputed: unknown;
}

/** What was recomputed, and the first difference. */
export interface Verification {
  /** First difference, or none. */
  mismatch: Mismatch | null;
  /** Plays whose seed, return, success and turns were recomputed. */
  plays: number;
  /** Regrets recomputed from their plays. */
  regrets: number;
  /** Designer samples whose raw reward and advantage were recomputed. */
  samples: number;
  /** Batches made again from turns and replies. */
  batches: number;
  /** Transactions in the chain. */
  transactions: number;
}

type Row = Record<string, unknown> & { id: string };

const tolerance = 1e-9;

function same(a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number") {
    return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => same(item, b[i]));
  }
  if (typeof a === "object" && a !== null && typeof b === "object" && b !== null) {
    const keys = Object.keys(a);
    return isDeepStrictEqual(keys.toSorted(), Object.keys(b).toSorted()) &&
      keys.every((key) => same((a as Row)[key], (b as Row)[key]));
  }
  return Object.is(a, b);
}

function compare(table: string, stored: object, recomputed: object): Mismatch | null {
  const id = String((stored as Row).id);
  for (const [column, value] of Object.entries(recomputed)) {
    const kept = (stored as Row)[column];
    if (!same(kept, value)) return { table, id, column, stored: kept, recomputed: value };
  }
  return null;
}

function* checkEnvironments(store: Store): Generator<Mismatch | null> {
  for (const row of store.iterate("environment")) {
    yield compare("environment", row, { id: environmentId(row.source) });
  }
}

function* checkPlays(store: Store, config: Config): Generator<Mismatch | null> {
  const turns = Map.groupBy(
    store.all("turn", { orderBy: ["playId", "index"] }),
    (turn) => turn.playId,
  );
  for (const play of store.iterate("play")) {
    const own = turns.get(play.id) ?? [];
    const bad = own.find((turn) => turn.ids.length !== turn.logps.length);
    if (bad) {
      const { id, ids, logps } = bad;
      yield { table: "turn", id, column: "logps", stored: logps.length, recomputed: ids.length };
    }
    const { environmentId, rollout, index } = play;
    const seed = environmentSeed({ config }, environmentId, rollout, index);
    if (play.outcome.kind !== "scored") {
      yield compare("play", play, { seed });
      continue;
    }
    const rewards = own.flatMap(({ reward }) => reward === null ? [] : [reward]);
    const value = episodeReturn(rewards, play.terminated, { rule: config.returns });
    yield compare("play", play, {
      seed,
      outcome: { kind: "scored", value },
      success: play.terminated && value >= 1 - 1e-9,
      turns: own.length,
    });
  }
}

function* checkRegrets(store: Store, config: Config): Generator<Mismatch | null> {
  for (const row of store.iterate("regret")) {
    const plays = store.all("play", {
      where: { environmentId: row.environmentId, rollout: row.rollout },
    });
    const arms = {
      plain: plays.filter((play) => play.arm === "plain"),
      hinted: plays.filter((play) => play.arm === "hinted"),
    };
    yield compare("regret", row, regretOf({ store, config }, row.environmentId, row.rollout, arms));
  }
}

/** Plays of the rollout's set in the order the batch was made from. */
function plainPlays(store: Store, rollout: number): RecordOf<"play">[] {
  return store.all("play", { where: { rollout, arm: "plain" } });
}

function* checkBatches(
  store: Store,
  config: Config,
): Generator<{ table: "batch" | "sample"; mismatch: Mismatch | null }> {
  let trackers: Record<string, Tracker> = {};
  let baselines: Record<string, number> = {};
  let lastAgents = 0;
  for (const batch of store.all("batch", { orderBy: "rollout" })) {
    const { rollout } = batch;
    const samples = store.all("sample", { where: { due: rollout } })
      .filter((sample) => sample.state !== "dropped" || rollout >= config.rollouts);
    const due = samples.filter((sample) => sample.state !== "dropped").map((
      { id, rollout, due, skill, environmentId, kind },
    ): QueuedSample => ({ id, rollout, due, skill, environmentId, kind }));
    const agents = agentBatch({ store, config }, plainPlays(store, rollout), rollout, baselines);
    baselines = agents.baselines;
    const agentCount = rollout < config.rollouts ? agents.units.length : lastAgents;
    const designers = designerBatch({ store, config: configAt(config, rollout) }, due, {
      rollout,
      agents: agentCount,
      trackers,
    });
    lastAgents = agents.units.length;
    trackers = designers.trackers;
    for (const sample of designers.samples) {
      const stored = samples.find(({ id }) => id === sample.id)!;
      yield { table: "sample", mismatch: compare("sample", stored, sample) };
    }
    const again = makeBatch([...agents.units, ...designers.units], {
      rollout,
      scale: designers.scale,
    });
    yield { table: "batch", mismatch: compare("batch", batch, again) };
  }
}

/**
 * Recomputes everything that follows from stored facts; stops at the first difference.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Store } from "../store/mod.ts";
 * const config = {
 *   preset: "mine", model: "data/nano", kind: "compact", skills: ["Optimization"], environments: 4, plays: 8, epoch: 2,
 *   delay: 2, rollouts: 8, tokens: { designer: 400, agent: 8, hint: 24 }, context: 1024, maxTurns: 12, corpus: null,
 *   heldout: null,
 * };
 * const environment = { id: "of another program", rollout: 0, source: "class SumEnv: ...\n", className: "SumEnv", description: "",
 *   skill: "Optimization", treeHash: "t", replyId: null, documentId: null, parents: [] };
 * using store = Store.memory();
 * store.transaction(() => {
 *   store.insert("run", { id: "r", rollout: -1, seed: 0, preset: "mine", config, manifest: {} });
 *   store.insert("environment", environment);
 * });
 * assert.equal(verify(store).mismatch?.stored, "of another program");
 * ```
 */
export function verify(store: Store): Verification {
  const config = checkConfig(store.all("run")[0].config);
  const chain = verifyChain(store);
  const result: Verification = {
    mismatch: null,
    plays: 0,
    regrets: 0,
    samples: 0,
    batches: 0,
    transactions: store.head.sequence,
  };
  const { difference } = chain;
  if (difference !== undefined) {
    const { table = "chain", id = "", what } = difference;
    result.mismatch = { table, id, column: "hash", stored: what, recomputed: null };
    return result;
  }
  for (const mismatch of checkEnvironments(store)) {
    if (mismatch) return { ...result, mismatch };
  }
  for (const mismatch of checkPlays(store, config)) {
    result.plays += 1;
    if (mismatch) return { ...result, mismatch };
  }
  for (const mismatch of checkRegrets(store, config)) {
    result.regrets += 1;
    if (mismatch) return { ...result, mismatch };
  }
  for (const { table, mismatch } of checkBatches(store, config)) {
    if (table === "batch") result.batches += 1;
    else result.samples += 1;
    if (mismatch) return { ...result, mismatch };
  }
  return result;
}
