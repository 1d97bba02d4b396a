/** How a replay compares with the play it repeats. @module */
import type { Failure } from "../core/mod.ts";

/** How the replay compares. `turn` counts from 1. */
export type ReplayOutcome =
  /** All observations and rewards are equal, and so is the end. */
  | { kind: "same"; note?: string }
  /** The first difference. */
  | { kind: "different"; turn: number; what: string }
  /** The program or the sandbox failed where the stored play did not. */
  | { kind: "failed"; turn: number; failure: Failure };

/**
 * A replay's outcome in a sentence.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const text = replayText({ kind: "different", turn: 2, what: "reward" }, 3);
 * assert.equal(text, "⚠ different from turn 2 on: reward");
 * ```
 */
export function replayText(outcome: ReplayOutcome, turns: number): string {
  if (outcome.kind === "same") {
    const note = outcome.note === undefined ? "" : `; ${outcome.note}`;
    const all = turns === 1 ? "its turn" : `all ${turns} turns`;
    return `✓ same in ${all}: observations, rewards and end${note}`;
  }
  if (outcome.kind === "different") {
    return `⚠ different from turn ${outcome.turn} on: ${outcome.what}`;
  }
  const { blame, reason, detail } = outcome.failure;
  const more = detail === undefined ? "" : `: ${detail}`;
  return `⚠ failed at turn ${outcome.turn}, stored without a failure there (${blame}, ${reason}${more})`;
}
