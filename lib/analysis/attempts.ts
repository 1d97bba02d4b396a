/**
 * The acceptance funnel by attempt: does asking again help, and where do second tries fail?
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { type Share, shareOf } from "./estimate.ts";
import { groupBy } from "./group.ts";
import { acceptanceFunnel, type FunnelStep, type FunnelVerdict } from "./validity.ts";

/** Attempt 0 is the first reply to a request. */
export interface AttemptFunnel {
  /** 0 for the first reply to a request. */
  attempt: number;
  /** Replies at this attempt. */
  replies: number;
  /** Of them: passed every gate. */
  accepted: Share;
  /** Verdicts on them, gate by gate. */
  steps: FunnelStep[];
}

/**
 * Verdicts on programs whose reply is unknown are left out.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const reply = { role: "designer" as const, accepted: false };
 * const replies = [{ ...reply, id: "a", attempt: 0 }, { ...reply, id: "b", attempt: 1, accepted: true }];
 * const verdict = { gate: "parse", verdict: "refuse" as const, reason: "no class" };
 * const rows = funnelByAttempt(replies, [{ ...verdict, replyId: "a" }]);
 * assert.deepEqual(rows.map((row) => row.accepted.share), [0, 1]);
 * assert.equal(rows[0].steps[0].refused, 1);
 * ```
 */
export function funnelByAttempt(
  replies: readonly Pick<RecordOf<"reply">, "id" | "role" | "attempt" | "accepted">[],
  gates: readonly (FunnelVerdict & Pick<RecordOf<"gate">, "replyId">)[],
): AttemptFunnel[] {
  const verdicts = groupBy(gates, ({ replyId }) => replyId);
  const designs = replies.filter(({ role }) => role === "designer");
  return [...groupBy(designs, ({ attempt }) => attempt)].map(([attempt, of]) => ({
    attempt,
    replies: of.length,
    accepted: shareOf(of.filter(({ accepted }) => accepted).length, of.length),
    steps: acceptanceFunnel(of.flatMap(({ id }) => verdicts.get(id) ?? [])),
  }));
}
