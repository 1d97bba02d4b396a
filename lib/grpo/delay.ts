/**
 * The delay queue (spade.md section 10): samples designed in rollout g enter the update of rollout g + delay, when
 * their window is complete, whether or not that rollout generates. Pure functions; the samples are the stored records.
 * @module
 */
import { UsageError } from "../core/mod.ts";

/** What the queue needs of a `sample` record. */
export interface Waiting {
  /** Id of the sample. */
  id: string;
  /** Rollout that designed it. */
  rollout: number;
  /** Rollout whose update trains it. */
  due: number;
}

/** Length of an epoch and delay, in rollouts. */
export interface DelayPlan {
  /** Rollouts that share one set of environments. */
  epochLength: number;
  /** 0 trains at generation on that rollout's plays only. */
  delay: number;
}

/**
 * The plan, with the delay defaulting to the epoch length.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(planDelay({ epochLength: 4 }), { epochLength: 4, delay: 4 });
 * assert.throws(() => planDelay({ epochLength: 4, delay: 6 }), /multiple of the epoch length/);
 * ```
 *
 * @throws {UsageError} when the delay is not a multiple of the epoch length: a window would be cut [D20].
 */
export function planDelay(plan: { epochLength: number; delay?: number }): DelayPlan {
  const { epochLength, delay = plan.epochLength } = plan;
  if (!Number.isInteger(epochLength) || epochLength < 1) {
    throw new UsageError(
      `Cannot plan the delay: epoch length is ${epochLength}, must be a whole number >= 1`,
    );
  }
  if (!Number.isInteger(delay) || delay < 0 || delay % epochLength !== 0) {
    throw new UsageError(
      `Cannot plan the delay: delay is ${delay}, must be a multiple of the epoch length ${epochLength}`,
    );
  }
  return { epochLength, delay };
}

/**
 * Rollout whose update trains a sample designed in `rollout`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(dueRollout(8, { epochLength: 4, delay: 4 }), 12);
 * ```
 */
export function dueRollout(rollout: number, plan: DelayPlan): number {
  return rollout + plan.delay;
}

/**
 * Last rollout whose plays belong to the window of a sample designed in `rollout`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(windowEnd(8, { epochLength: 4, delay: 4 }), 11);
 * assert.equal(windowEnd(8, { epochLength: 4, delay: 0 }), 8);
 * ```
 */
export function windowEnd(rollout: number, plan: DelayPlan): number {
  return plan.delay === 0 ? rollout : rollout + plan.epochLength - 1;
}

/**
 * Samples that enter the update of `rollout`, in order of id, and those that still wait.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const queue = [{ id: "b", rollout: 4, due: 8 }, { id: "a", rollout: 0, due: 4 }];
 * const { due, waiting } = drainDue(queue, 4);
 * assert.deepEqual([due[0].id, waiting[0].id], ["a", "b"]);
 * ```
 */
export function drainDue<T extends Waiting>(
  queue: readonly T[],
  rollout: number,
): { due: T[]; waiting: T[] } {
  return {
    due: sortById(queue.filter((sample) => sample.due <= rollout)),
    waiting: sortById(queue.filter((sample) => sample.due > rollout)),
  };
}

/**
 * After the last rollout's own update: what still waits goes into one extra designer-only update if its window is
 * complete, else it is dropped and counted [D20]. S of that update uses the last rollout's agent count.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const queue = [{ id: "a", rollout: 4, due: 8 }, { id: "b", rollout: 8, due: 12 }];
 * // the run ends with rollout 9: the window 4 to 7 is complete, 8 to 11 is not
 * const { extra, dropped } = flushQueue(queue, 9, { epochLength: 4, delay: 4 });
 * assert.deepEqual([extra[0].id, dropped[0].id], ["a", "b"]);
 * ```
 */
export function flushQueue<T extends Waiting>(
  queue: readonly T[],
  lastRollout: number,
  plan: DelayPlan,
): { extra: T[]; dropped: T[] } {
  const complete = (sample: T) => windowEnd(sample.rollout, plan) <= lastRollout;
  return {
    extra: sortById(queue.filter(complete)),
    dropped: sortById(queue.filter((sample) => !complete(sample))),
  };
}

function sortById<T extends Waiting>(samples: readonly T[]): T[] {
  return [...samples].sort((a, b) => a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
