/**
 * State between rollouts: everything the next rollout needs that is not a record of its own. It is one `cursor` row,
 * replaced in the transaction of the update that ends a rollout; a rollout works on a copy.
 * @module
 */
import { type CorpusCursor, createCursor } from "../corpus/mod.ts";
import { Random, seedOf } from "../core/mod.ts";
import type { DifficultyWindow, Tracker } from "../reward/mod.ts";
import type { Loop } from "./context.ts";

/** A designer sample waiting for its window; see spade.md section 10. */
export interface QueuedSample {
  /** Id of the reply, and of the sample. */
  id: string;
  rollout: number;
  due: number;
  skill: string;
  environmentId: string | null;
  kind: "accepted" | "rejected";
}

export interface LoopState {
  /** Next rollout. */
  rollout: number;
  trackers: Record<string, Tracker>;
  /** Running means of the environments in play, for `ema-baseline` advantages; empty under other rules. */
  baselines: Record<string, number>;
  corpus: CorpusCursor;
  pool: CorpusCursor;
  /** Difficulties in play of each family of the pool, under controller `window`. */
  windows: Record<string, DifficultyWindow>;
  /** Success of each environment of the pool that was played, under controller `progress`. */
  progress: Record<string, Tracker>;
  /** State of the generator that picks memory seeds. */
  memoryRandom: number;
  queue: QueuedSample[];
  /** Scored agent plays of the last rollout; S of the final designer-only update uses it. */
  lastAgents: number;
  finished: boolean;
}

export function initialState(loop: Loop): LoopState {
  const { seed } = loop.config;
  return {
    rollout: 0,
    trackers: {},
    baselines: {},
    corpus: createCursor(seedOf(seed, "corpus")),
    pool: createCursor(seedOf(seed, "pool")),
    windows: {},
    progress: {},
    memoryRandom: seedOf(seed, "memory"),
    queue: [],
    lastAgents: 0,
    finished: false,
  };
}

export function readState(loop: Loop): LoopState {
  const row = loop.store.get("cursor", "state");
  // of an older run some parts are missing: they are as at the start
  return { ...initialState(loop), ...structuredClone(row?.value ?? {}) } as LoopState;
}

/** Inside a transaction. */
export function writeState(loop: Loop, state: LoopState): void {
  loop.store.replace("cursor", {
    id: "state",
    rollout: state.rollout,
    value: { ...state },
  });
}

/** Runs `use` with the memory generator and keeps its new state. */
export function withMemoryRandom<T>(state: LoopState, use: (random: Random) => T): T {
  const random = new Random(state.memoryRandom);
  const value = use(random);
  state.memoryRandom = random.state;
  return value;
}
