/** Scores all environments of one batch and moves the skills' trackers. @module */
import type { Outcome } from "../core/mod.ts";
import { scoreWindow, type SignalContext, type SignalName } from "./signals.ts";
import { type Tracker, updateTrackers } from "./tracker.ts";
import { type EnvironmentWindow, returnsBySkill } from "./window.ts";

/** What {@link scoreWindows} needs beside the windows. */
export interface ScoreOptions extends Omit<SignalContext, "tracker"> {
  /** Which signal. */
  signal: SignalName;
  /** Trackers by skill; those of no window stay as they are. */
  trackers: Readonly<Record<string, Tracker>>;
  /**
   * Returns of this rollout's plays by skill, for the trackers at generation. Default: those of the windows, only
   * skills with a play.
   */
  returns?: Readonly<Record<string, readonly number[]>>;
  /** False leaves the trackers as they are. @default true */
  update?: boolean;
}

/**
 * Raw reward of each window, in the order given, and the trackers afterwards. At generation a signal sees the tracker
 * as it was and the update follows, whatever the signal; delayed, only `learning-potential` moves the trackers: all
 * plays of a skill's windows enter as one update, then the signal sees the result [P].
 *
 * A rollout that generates nothing still moves the trackers of immediate signals: call {@link updateTrackers}.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored, skipped } from "../core/mod.ts";
 * const windows = [[1, 0], [1, 1]].map((returns, i) => ({
 *   environmentId: String(i),
 *   skill: "Optimization",
 *   offsets: [{ offset: 0, returns }],
 *   successes: i + 1,
 *   hinted: [],
 *   regret: skipped("no hint"),
 * }));
 * const { raws } = scoreWindows(windows, { signal: "solve-rate", moment: "delayed", trackers: {} });
 * assert.deepEqual(raws, [scored(1), scored(0)]);
 * ```
 */
export function scoreWindows(
  windows: readonly EnvironmentWindow[],
  options: ScoreOptions,
): { raws: Outcome[]; trackers: Record<string, Tracker> } {
  const { signal, trackers, returns, update = true, ...context } = options;
  const score = (states: Readonly<Record<string, Tracker>>) =>
    windows.map((window) => {
      const tracker = Object.hasOwn(states, window.skill) ? states[window.skill] : undefined;
      return scoreWindow(signal, window, { ...context, tracker });
    });
  const moves = update && (context.moment === "generation" || signal === "learning-potential");
  if (!moves) return { raws: score(trackers), trackers: { ...trackers } };
  const pooled = context.moment === "generation" && returns ? returns : returnsBySkill(windows);
  const next = updateTrackers(trackers, pooled, { parity: context.parity });
  return { raws: score(context.moment === "generation" ? trackers : next), trackers: next };
}
