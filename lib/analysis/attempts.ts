/**
 * The acceptance funnel by attempt: does asking again help, and where do second tries fail?
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { type Share, shareOf } from "./estimate.ts";
import { groupBy } from "./group.ts";
import { acceptanceFunnel, type FunnelStep } from "./validity.ts";

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

/** Verdicts on programs whose reply is unknown are left out. */
export function funnelByAttempt(
  replies: readonly Pick<RecordOf<"reply">, "id" | "role" | "attempt" | "accepted">[],
  gates: readonly RecordOf<"gate">[],
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
