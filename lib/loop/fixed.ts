/**
 * Runs without a designer: which environments of the pool make the next set, and what a rollout's plays teach about
 * that. Everything a controller knows is in the loop's state, so a resumed run draws what an unbroken one would have.
 *
 * - `none`: without replacement, pass after pass.
 * - `window`: families without replacement; the difficulty from the family's window, which climbs with success.
 * - `progress`: half of the set the environments whose success is changing most, half any others.
 * @module
 */
import { createCorpus, drawDocuments } from "../corpus/mod.ts";
import { Random, seedOf } from "../core/mod.ts";
import {
  createProgressTracker,
  createWindow,
  type DifficultyWindow,
  drawDifficulty,
  pickByProgress,
  updateTracker,
  updateWindow,
} from "../reward/mod.ts";
import type { ActiveEnvironment, FolderProgram, Loop } from "./context.ts";
import type { PlayedEnvironment } from "./set.ts";
import type { LoopState } from "./state.ts";

type Pool = Pick<Loop, "config" | "pool">;

/** The set of an epoch; the cursor of `state` moves on. */
export function drawFixed(loop: Pool, state: LoopState, rollout: number): ActiveEnvironment[] {
  const draw = { none: drawAny, window: drawInWindows, progress: drawChanging };
  return draw[loop.config.controller](loop, state, rollout).map((program, slot) => {
    const { id, source, skill } = program;
    return { slot, id, source, skill, origin: "folder", replyId: null, hint: null };
  });
}

/** Takes the plays of a rollout into account. Returns what is worth telling. */
export function steer(loop: Pool, state: LoopState, set: readonly PlayedEnvironment[]): string[] {
  if (loop.config.controller === "window") return moveWindows(loop, state, set);
  if (loop.config.controller === "progress") trackProgress(state, set);
  return [];
}

function drawAny({ config, pool }: Pool, state: LoopState): FolderProgram[] {
  const programs = new Map(pool.map((program) => [program.id, program]));
  const size = Math.min(config.environments, programs.size);
  const drawn = new Set<FolderProgram>();
  while (drawn.size < size) drawn.add(programs.get(nextOf([...programs.keys()], state))!);
  return [...drawn];
}

function drawInWindows({ config, pool }: Pool, state: LoopState, rollout: number): FolderProgram[] {
  const random = new Random(seedOf(config.seed, "difficulty", rollout));
  const families = Map.groupBy(pool, ({ family }) => family);
  const windows = new Map(
    [...families.keys()].map((family) => [family, state.windows[family] ?? createWindow()]),
  );
  const inside = pool.filter(({ family, difficulty = 0 }) => {
    const { low, high } = windows.get(family)!;
    return difficulty >= low && difficulty <= high;
  });
  const size = Math.min(config.environments, new Set(inside.map(({ id }) => id)).size);
  const drawn = new Map<string, FolderProgram>();
  while (drawn.size < size) {
    const family = nextOf([...families.keys()], state);
    const drawnDifficulty = drawDifficulty(windows.get(family)!, random);
    const program = families.get(family)!
      .find(({ difficulty = 0 }) => difficulty === drawnDifficulty);
    if (program !== undefined) drawn.set(program.id, program);
  }
  return [...drawn.values()];
}

function drawChanging({ config, pool }: Pool, state: LoopState, rollout: number): FolderProgram[] {
  const programs = new Map(pool.map((program) => [program.id, program]));
  const random = new Random(seedOf(config.seed, "progress", rollout));
  return pickByProgress([...programs.keys()], state.progress, config.environments, random)
    .map((id) => programs.get(id)!);
}

/** The next name without replacement, as documents are drawn. */
function nextOf(names: readonly string[], state: LoopState): string {
  const lines = names.map((id) => ({ id, text: "", skill: "", origin: id, licence: "" }));
  const { documents, cursor } = drawDocuments(createCorpus(lines), state.pool, [""]);
  state.pool = cursor;
  return documents[0].origin;
}

/** Scored plain plays in order of id: the order does not hang from arrivals. */
function scoredPlays(set: readonly PlayedEnvironment[]) {
  return set.flatMap(({ environment, plain }) => plain.map((play) => ({ environment, play })))
    .filter(({ play }) => play.outcome.kind === "scored")
    .sort((a, b) => a.play.id < b.play.id ? -1 : 1);
}

function moveWindows(
  { config, pool }: Pool,
  state: LoopState,
  set: readonly PlayedEnvironment[],
): string[] {
  const programs = new Map(pool.map((program) => [program.id, program]));
  const highest: Record<string, number> = {};
  for (const { family, difficulty = 0 } of pool) {
    highest[family] = Math.max(highest[family] ?? 0, difficulty);
  }
  const before = state.windows;
  const after: Record<string, DifficultyWindow> = { ...before };
  for (const { environment, play } of scoredPlays(set)) {
    const program = programs.get(environment.id);
    if (program === undefined) continue; // the folder lost a file since the set was drawn
    const { family, difficulty = 0 } = program;
    after[family] = updateWindow(
      after[family] ?? createWindow(),
      { difficulty, success: play.success },
      { ...config.window, max: highest[family] },
    );
  }
  state.windows = after;
  return Object.keys(after).sort()
    .filter((family) => after[family].high !== (before[family]?.high ?? 0))
    .map((family) => `${family} climbs: difficulty ${after[family].low} to ${after[family].high}`);
}

function trackProgress(state: LoopState, set: readonly PlayedEnvironment[]): void {
  const progress = { ...state.progress };
  const plays = Map.groupBy(scoredPlays(set), ({ environment }) => environment.id);
  for (const [id, own] of plays) {
    const successes = own.filter(({ play }) => play.success).length;
    const tracker = Object.hasOwn(progress, id) ? progress[id] : createProgressTracker();
    progress[id] = updateTracker(tracker, successes / own.length);
  }
  state.progress = progress;
}
