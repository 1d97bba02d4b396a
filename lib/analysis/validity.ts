/**
 * Do the designer's programs run, are they accepted, and if not, why: validity rates of spade.md section 3 and the
 * acceptance funnel, from the tables `reply` and `gate`.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { type Share, shareOf } from "./estimate.ts";
import { groupBy } from "./group.ts";

type Reply = RecordOf<"reply">;

/** A request is one slot of one rollout; its replies are the attempts. Wilson intervals. */
export interface Validity {
  replies: number;
  requests: number;
  /** Of all replies; a reply that was not judged is in no share but in `unjudged`. */
  runsAsEmitted: Share;
  runsExtracted: Share;
  accepted: Share;
  /** Of all requests: the first reply passed every gate. */
  acceptedFirst: Share;
  filled: Share;
  meanAttempts?: number;
  unjudged: number;
}

export function validityRates(replies: readonly Reply[]): Validity {
  const designs = replies.filter((r) => r.role === "designer");
  const requests = [...groupBy(designs, (r) => `${r.rollout}/${r.slot}`).values()];
  const firsts = requests.map((of) => of.reduce((a, b) => b.attempt < a.attempt ? b : a));
  const share = (of: readonly Reply[], is: (r: Reply) => boolean | null) => {
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

/** Of all programs that the screen was asked about: those on which it gave no opinion, neither at once nor when asked again. */
export function screensSkipped(gates: readonly RecordOf<"gate">[]): Share {
  const screens = gates.filter(({ gate }) => gate === "screen");
  return shareOf(screens.filter(({ evidence }) => !("opinion" in evidence)).length, screens.length);
}

/** One line a rollout that asked the designer. */
export function validityByRollout(
  replies: readonly Reply[],
): (Validity & { rollout: number })[] {
  const designs = replies.filter((r) => r.role === "designer");
  return [...groupBy(designs, (r) => r.rollout)]
    .map(([rollout, of]) => ({ rollout, ...validityRates(of) }));
}

/** Change of a share between the first and the last quarter of the rollouts that asked the designer. */
export interface ValidityChange {
  first: Share;
  last: Share;
  change?: number;
  /** Newcombe's 95 % interval of the difference of two independent shares. */
  low?: number;
  high?: number;
  rollouts: number;
}

/** Runs after extraction, last quarter minus first quarter; undefined below two rollouts. */
export function validityChange(replies: readonly Reply[]): ValidityChange | undefined {
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
  gate: string;
  entered: number;
  passed: number;
  refused: number;
  skipped: number;
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

/** Reasons that differ only in numbers or quoted text are one reason. */
export function acceptanceFunnel(gates: readonly RecordOf<"gate">[]): FunnelStep[] {
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
