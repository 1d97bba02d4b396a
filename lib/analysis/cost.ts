/**
 * What a run cost, from the table `ledger`.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { groupBy } from "./group.ts";

/** What one role spent in one stage, or all of them together. */
export interface Cost {
  /** Who spent it: agent, designer, hint, trainer, evaluation or gates; `all` in the total. */
  role: string;
  /** What it was spent on, such as sample or update; `all` in the total. */
  stage: string;
  /** Tokens read. */
  promptTokens: number;
  /** Tokens sampled. */
  completionTokens: number;
  /** Requests made. */
  calls: number;
  /** Sum of the stages' own seconds; stages overlap, so it can exceed wall time. */
  seconds: number;
}

/** What a total needs of a line of the ledger. */
export type LedgerLine = Omit<RecordOf<"ledger">, "id" | "rollout">;

/**
 * Totals by role and stage, dearest first, and over everything.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const line = { stage: "sample", promptTokens: 100, completionTokens: 20, calls: 1 };
 * const { byStage, total } = costTotals([
 *   { ...line, role: "agent", seconds: 1 },
 *   { ...line, role: "designer", seconds: 3 },
 *   { ...line, role: "agent", seconds: 1 },
 * ]);
 * assert.deepEqual(byStage.map(({ role, seconds }) => [role, seconds]), [["designer", 3], ["agent", 2]]);
 * assert.equal(total.promptTokens, 300);
 * ```
 */
export function costTotals(
  ledger: readonly LedgerLine[],
): { byStage: Cost[]; total: Cost } {
  const byStage = [...groupBy(ledger, (l) => `${l.role}/${l.stage}`).values()]
    .map((rows) => sum(rows[0].role, rows[0].stage, rows))
    .sort((a, b) => b.seconds - a.seconds || b.completionTokens - a.completionTokens);
  return { byStage, total: sum("all", "all", ledger) };
}

function sum(role: string, stage: string, rows: readonly LedgerLine[]): Cost {
  const cost: Cost = { role, stage, promptTokens: 0, completionTokens: 0, calls: 0, seconds: 0 };
  for (const row of rows) {
    cost.promptTokens += row.promptTokens;
    cost.completionTokens += row.completionTokens;
    cost.calls += row.calls;
    cost.seconds += row.seconds;
  }
  return cost;
}
