/**
 * Do the designer's programs run, are they accepted, and if not, why: validity rates of spade.md section 3 and the
 * acceptance funnel, from the tables `reply` and `gate`.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { type Share, shareOf } from "./estimate.ts";
import { groupBy } from "./group.ts";

/** What validity needs of a reply. */
export type JudgedReply = Pick<
  RecordOf<"reply">,
  "role" | "rollout" | "slot" | "attempt" | "runsAsEmitted" | "runsExtracted" | "accepted"
>;

/** What the funnel needs of a gate's verdict. */
export type FunnelVerdict = Pick<RecordOf<"gate">, "gate" | "verdict" | "reason">;

/** A request is one slot of one rollout; its replies are the attempts. Wilson intervals. */
export interface Validity {
  /** Designer replies. */
  replies: number;
  /** Requests: slots of a rollout in which the designer was asked. */
  requests: number;
  /** Of all replies; a reply that was not judged is in no share but in `unjudged`. */
  runsAsEmitted: Share;
  /** Of all replies: the program taken out of it passes the gates parse and contract. */
  runsExtracted: Share;
  /** Of all replies: passed every gate. */
  accepted: Share;
  /** Of all requests: the first reply passed every gate. */
  acceptedFirst: Share;
  /** Of all requests: one of the attempts was accepted. */
  filled: Share;
  /** Replies a request; missing without a request. */
  meanAttempts?: number;
  /** Designer replies that were not judged. */
  unjudged: number;
}

/**
 * Validity of the designer's replies among those given; filter by rollout or skill before.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const first = { role: "designer" as const, rollout: 0, slot: 0, attempt: 0, runsAsEmitted: false, runsExtracted: true,
 *   accepted: false };
 * const second = { ...first, attempt: 1, runsAsEmitted: true, accepted: true };
 * const rates = validityRates([first, second]);
 * assert.deepEqual([rates.requests, rates.accepted.share, rates.acceptedFirst.share, rates.filled.share], [1, 0.5, 0, 1]);
 * ```
 */
export function validityRates(replies: readonly JudgedReply[]): Validity {
  const designs = replies.filter((r) => r.role === "designer");
  const requests = [...groupBy(designs, (r) => `${r.rollout}/${r.slot}`).values()];
  const firsts = requests.map((of) => of.reduce((a, b) => b.attempt < a.attempt ? b : a));
  const share = (of: readonly JudgedReply[], is: (r: JudgedReply) => boolean | null) => {
    const judged = of.map(is).filter((x) => x !== null);
    return shareOf(judged.filter(Boolean).length, judged.length);
  };
  return {
    replies: designs.length,
    requests: requests.length,
    runsAsEmitted: share(designs, (r) => r.runsAsEmitted),
    runsExtracted: share(designs, (r) => r.runsExtracted),
    accepted: share(designs, (r) => r.accepted),
    acceptedFirst: share(firsts, (r) => r.accepted),
    filled: shareOf(requests.filter((of) => of.some((r) => r.accepted)).length, requests.length),
    meanAttempts: requests.length > 0 ? designs.length / requests.length : undefined,
    unjudged: designs.filter((r) => r.runsExtracted === null).length,
  };
}

/**
 * Of all programs that the screen was asked about: those on which it gave no opinion, neither at once nor when asked again.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { count, of } = screensSkipped([
 *   { gate: "screen", evidence: { opinion: "good" } },
 *   { gate: "screen", evidence: {} },
 *   { gate: "leak", evidence: {} },
 * ]);
 * assert.deepEqual([count, of], [1, 2]);
 * ```
 */
export function screensSkipped(
  gates: readonly Pick<RecordOf<"gate">, "gate" | "evidence">[],
): Share {
  const screens = gates.filter(({ gate }) => gate === "screen");
  return shareOf(screens.filter(({ evidence }) => !("opinion" in evidence)).length, screens.length);
}

/**
 * One line a rollout that asked the designer.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const reply = (rollout: number, accepted: boolean) => ({ role: "designer" as const, rollout, slot: 0, attempt: 0,
 *   runsAsEmitted: accepted, runsExtracted: accepted, accepted });
 * const rows = validityByRollout([reply(0, false), reply(2, true)]);
 * assert.deepEqual(rows.map(({ rollout, accepted }) => [rollout, accepted.share]), [[0, 0], [2, 1]]);
 * ```
 */
export function validityByRollout(
  replies: readonly JudgedReply[],
): (Validity & { rollout: number })[] {
  const designs = replies.filter((r) => r.role === "designer");
  return [...groupBy(designs, (r) => r.rollout)]
    .map(([rollout, of]) => ({ rollout, ...validityRates(of) }));
}

/** Change of a share between the first and the last quarter of the rollouts that asked the designer. */
export interface ValidityChange {
  /** Share in the first quarter. */
  first: Share;
  /** Share in the last quarter. */
  last: Share;
  /** Last less first, in [−1, 1]; missing where a quarter has no judged reply. */
  change?: number;
  /** Newcombe's 95 % interval of the difference of two independent shares. */
  low?: number;
  /** Upper end. */
  high?: number;
  /** Rollouts in each quarter. */
  rollouts: number;
}

/**
 * Runs after extraction, last quarter minus first quarter; undefined below two rollouts.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const reply = (rollout: number, runs: boolean) => ({ role: "designer" as const, rollout, slot: 0, attempt: 0,
 *   runsAsEmitted: runs, runsExtracted: runs, accepted: runs });
 * const change = validityChange([reply(0, false), reply(2, true)])!;
 * assert.equal(change.change, 1);
 * // One reply on either side proves nothing.
 * assert.ok(change.low! < 0);
 * ```
 */
export function validityChange(replies: readonly JudgedReply[]): ValidityChange | undefined {
  const by = validityByRollout(replies);
  if (by.length < 2) return undefined;
  const rollouts = Math.max(1, Math.floor(by.length / 4));
  const pool = (of: typeof by) =>
    shareOf(
      of.reduce((sum, v) => sum + v.runsExtracted.count, 0),
      of.reduce((sum, v) => sum + v.runsExtracted.of, 0),
    );
  const first = pool(by.slice(0, rollouts)), last = pool(by.slice(-rollouts));
  if (first.share === undefined || last.share === undefined) return { first, last, rollouts };
  const change = last.share - first.share;
  const low = change - Math.hypot(last.share - last.low!, first.high! - first.share);
  const high = change + Math.hypot(last.high! - last.share, first.share - first.low!);
  return { first, last, change, low, high, rollouts };
}

/** One gate: how many programs reached it, what it said, its commonest reasons for refusal. */
export interface FunnelStep {
  /** Name of the gate. */
  gate: string;
  /** Programs that reached it. */
  entered: number;
  /** Of them: let through. */
  passed: number;
  /** Of them: refused. */
  refused: number;
  /** Of them: not judged, for lack of what the gate needs. */
  skipped: number;
  /** Reasons for refusal with their counts, the commonest first. */
  reasons: { reason: string; count: number }[];
}

/** Order of spade.md section 5; gates it does not name come last, in order of appearance. */
export const gateOrder: readonly string[] = [
  "parse",
  "contract",
  "determinism",
  "presolved",
  "floor",
  "oracle",
  "leak",
  "duplicate",
  "screen",
];

/**
 * Reasons that differ only in numbers or quoted text are one reason.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const refuse = (reason: string) => ({ gate: "parse", verdict: "refuse" as const, reason });
 * const [parse] = acceptanceFunnel([refuse("line 3: invalid syntax"), refuse("line 41: invalid syntax")]);
 * assert.deepEqual(parse.reasons, [{ reason: "line #: invalid syntax", count: 2 }]);
 * ```
 */
export function acceptanceFunnel(gates: readonly FunnelVerdict[]): FunnelStep[] {
  const by = groupBy(gates, (g) => g.gate);
  const named = gateOrder.filter((name) => by.has(name));
  const other = [...by.keys()].filter((name) => !gateOrder.includes(name));
  return [...named, ...other].map((gate) => {
    const rows = by.get(gate)!;
    const refused = rows.filter((g) => g.verdict === "refuse");
    const reasons = [...groupBy(refused, (g) => generalReason(g.reason))]
      .map(([reason, of]) => ({ reason, count: of.length }))
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
    return {
      gate,
      entered: rows.length,
      passed: rows.filter((g) => g.verdict === "pass").length,
      refused: refused.length,
      skipped: rows.filter((g) => g.verdict === "skipped").length,
      reasons,
    };
  });
}

function generalReason(reason: string): string {
  const first = reason.split("\n")[0].slice(0, 200);
  return first.replaceAll(/'[^']*'|"[^"]*"|\b(?=[a-f]*\d)[0-9a-f]{6,}\b/g, "…").replaceAll(
    /-?\d+(\.\d+)?/g,
    "#",
  ).trim() ||
    "no reason given";
}
