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
  /** Rollout that designed it. */
  rollout: number;
  /** Rollout whose update trains it. */
  due: number;
  /** Skill it was asked for; its signal is compared within it. */
  skill: string;
  /** The program; null where the reply held none. */
  environmentId: string | null;
  /** A program of the set, or a refused one that is penalised. */
  kind: "accepted" | "rejected";
}

/** What the next rollout begins with. */
export interface LoopState {
  /** Next rollout. */
  rollout: number;
  /** Two running means of each skill's plays (section 8), by skill. */
  trackers: Record<string, Tracker>;
  /** Running means of the environments in play, for `ema-baseline` advantages; empty under other rules. */
  baselines: Record<string, number>;
  /** Which documents are drawn already. */
  corpus: CorpusCursor;
  /** Which environments of the pool are drawn already. */
  pool: CorpusCursor;
  /** Difficulties in play of each family of the pool, under controller `window`. */
  windows: Record<string, DifficultyWindow>;
  /** Success of each environment of the pool that was played, under controller `progress`. */
  progress: Record<string, Tracker>;
  /** State of the generator that picks memory seeds. */
  memoryRandom: number;
  /** Designer samples that are not trained yet. */
  queue: QueuedSample[];
  /** Scored agent plays of the last rollout; S of the final designer-only update uses it. */
  lastAgents: number;
  /** Whether the last update and evaluation are done. */
  finished: boolean;
}

/** State before the first rollout; its generators hang from the run's seed. */
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

/** State as the last finished rollout left it; a copy. */
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
