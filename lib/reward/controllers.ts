/**
 * Difficulty controllers of the baselines with fixed environments: which difficulty, or which environments, come next.
 * Pure functions; their states are plain records to be kept with the run.
 *
 * - {@link updateWindow}, {@link drawDifficulty}: a window of difficulties that climbs with success, for environments
 *   with a difficulty parameter.
 * - {@link pickByProgress}: the environments whose success is changing, for a pool without one.
 * @module
 */
import type { Random } from "../core/mod.ts";
import { createTracker, potentialOf, type Tracker } from "./tracker.ts";

/** Difficulties low..high, both inside, and what was seen at `high` since the window last moved or was judged. */
export interface DifficultyWindow {
  /** Easiest difficulty in play. */
  low: number;
  /** Hardest difficulty in play; only plays here are counted. */
  high: number;
  /** Successes at `high` so far. */
  successes: number;
  /** Scored plays at `high` so far. */
  attempts: number;
}

/** When the window climbs, and how wide it is. */
export interface WindowOptions {
  /** Largest difficulty. @default Infinity */
  max?: number;
  /** Plays at `high` after which it is judged. @default 8 */
  attempts?: number;
  /** Share of successes that it takes. @default 0.9 */
  ratio?: number;
  /** Difficulties in the window at most. @default 4 */
  width?: number;
}

/**
 * A window of difficulty 0 only.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(createWindow(), { low: 0, high: 0, successes: 0, attempts: 0 });
 * ```
 */
export function createWindow(): DifficultyWindow {
  return { low: 0, high: 0, successes: 0, attempts: 0 };
}

/**
 * The window after one scored play. Only plays at `high` count. After 8 of them both counters start anew; where at
 * least .9 succeeded and `high` is below the maximum, `high` rises by 1 and `low` to at least high - 4 + 1.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * let window = createWindow();
 * for (let i = 0; i < 8; i++) window = updateWindow(window, { difficulty: 0, success: true });
 * assert.deepEqual([window.low, window.high, window.attempts], [0, 1, 0]);
 * ```
 *
 * @throws {RangeError} when the difficulty is not a whole number >= 0.
 */
export function updateWindow(
  window: DifficultyWindow,
  play: { difficulty: number; success: boolean },
  options: WindowOptions = {},
): DifficultyWindow {
  const { max = Infinity, attempts: needed = 8, ratio = 0.9, width = 4 } = options;
  if (!Number.isInteger(play.difficulty) || play.difficulty < 0) {
    throw new RangeError(
      `Cannot update the window: difficulty is ${play.difficulty}, must be a whole number >= 0`,
    );
  }
  if (play.difficulty !== window.high) return window;
  const attempts = window.attempts + 1;
  const successes = window.successes + (play.success ? 1 : 0);
  if (attempts < needed) return { ...window, successes, attempts };
  const judged = { ...window, successes: 0, attempts: 0 };
  if (successes / attempts < ratio || window.high >= max) return judged;
  const high = window.high + 1;
  return { ...judged, high, low: Math.max(window.low, high - width + 1) };
}

/**
 * A difficulty of the window, each as likely.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Random } from "../core/mod.ts";
 * const window = { ...createWindow(), low: 2, high: 5 };
 * const drawn = drawDifficulty(window, new Random(0));
 * assert.ok(drawn >= 2 && drawn <= 5);
 * ```
 */
export function drawDifficulty(window: DifficultyWindow, random: Random): number {
  return window.low + random.integer(window.high - window.low + 1);
}

/**
 * Tracker of one environment under learning progress: .35 and .15.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { gammaFast, gammaSlow } = createProgressTracker();
 * assert.deepEqual([gammaFast, gammaSlow], [0.35, 0.15]);
 * ```
 */
export function createProgressTracker(): Tracker {
  return createTracker({ gammaFast: 0.35, gammaSlow: 0.15 });
}

/**
 * `count` different environments: half of them (rounded up) with the largest |signal| of their tracker, ties by id, the
 * rest drawn evenly from the others. An environment without tracker or data has signal 0. The result depends on the
 * ids as a set. All ids where there are no more than `count`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Random } from "../core/mod.ts";
 * import { updateTracker } from "./tracker.ts";
 * const still = updateTracker(createProgressTracker(), 0);
 * const trackers = { still, moving: updateTracker(still, 1) };
 * assert.deepEqual(pickByProgress(["still", "moving"], trackers, 1, new Random(0)), ["moving"]);
 * ```
 *
 * @throws {RangeError} when count is not a whole number >= 0.
 */
export function pickByProgress(
  ids: readonly string[],
  trackers: Readonly<Record<string, Tracker>>,
  count: number,
  random: Random,
): string[] {
  if (!Number.isInteger(count) || count < 0) {
    throw new RangeError(`Cannot pick: count is ${count}, must be a whole number >= 0`);
  }
  const signal = (id: string) => Object.hasOwn(trackers, id) ? potentialOf(trackers[id]) : 0;
  const ordered = [...new Set(ids)].sort()
    .map((id) => ({ id, signal: signal(id) }))
    .sort((a, b) => b.signal - a.signal) // stable: ties stay by id
    .map(({ id }) => id);
  const first = Math.ceil(count / 2);
  const rest = random.shuffle(ordered.slice(first)).slice(0, count - Math.min(first, count));
  return [...ordered.slice(0, first), ...rest];
}
