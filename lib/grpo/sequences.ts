/** From what was sampled to training sequences: token in, token out, nothing is encoded again. @module */
import type { Sequence } from "./batch.ts";

/** What a sequence needs of a turn or a designer's reply; records of the tables `turn` and `reply` fit. */
export interface SampledReply {
  /** Ids appended before the reply; all of the conversation where it was `rerendered`. */
  prompt: readonly number[];
  /** Sampled ids, the stop id included. */
  ids: readonly number[];
  /** Natural log-probability of each sampled id under the sampler. */
  logps: readonly number[];
  /** True: the conversation was rendered anew, so that the turn is a sequence of its own. */
  rerendered?: boolean | null;
}

/**
 * Sequences of one play's turns, in order, or of one designer reply: sampled ids are trained, prompts and observations
 * are masked. One sequence a play, unless the template rewrites earlier replies: then one from each such turn on.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const turns = [
 *   { prompt: [5, 6], ids: [7], logps: [-0.5] },
 *   { prompt: [8], ids: [9], logps: [-0.1] },
 * ];
 * assert.deepEqual(sequencesOf(turns), [
 *   { ids: [5, 6, 7, 8, 9], logps: [0, 0, -0.5, 0, -0.1], mask: [0, 0, 1, 0, 1] },
 * ]);
 * ```
 */
export function sequencesOf(turns: readonly SampledReply[]): Sequence[] {
  const parts: SampledReply[][] = [];
  for (const turn of turns) {
    if (parts.length === 0 || turn.rerendered) parts.push([turn]);
    else parts.at(-1)!.push(turn);
  }
  return parts.map((part) => ({
    ids: part.flatMap((turn) => [...turn.prompt, ...turn.ids]),
    logps: part.flatMap((turn) => [...turn.prompt.map(() => 0), ...turn.logps]),
    mask: part.flatMap((turn) => [...turn.prompt.map(() => 0), ...turn.ids.map(() => 1)]),
  }));
}
