/**
 * What a run cost, from the table `ledger`.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { groupBy } from "./group.ts";

export interface Cost {
  role: string;
  stage: string;
  promptTokens: number;
  completionTokens: number;
  calls: number;
  /** Sum of the stages' own seconds; stages overlap, so it can exceed wall time. */
  seconds: number;
}

/** Totals by role and stage, dearest first, and over everything. */
export function costTotals(
  ledger: readonly RecordOf<"ledger">[],
): { byStage: Cost[]; total: Cost } {
  const byStage = [...groupBy(ledger, (l) => `${l.role}/${l.stage}`).values()]
    .map((rows) => sum(rows[0].role, rows[0].stage, rows))
    .sort((a, b) => b.seconds - a.seconds || b.completionTokens - a.completionTokens);
  return { byStage, total: sum("all", "all", ledger) };
}

function sum(role: string, stage: string, rows: readonly RecordOf<"ledger">[]): Cost {
  const cost: Cost = { role, stage, promptTokens: 0, completionTokens: 0, calls: 0, seconds: 0 };
  for (const row of rows) {
    cost.promptTokens += row.promptTokens;
    cost.completionTokens += row.completionTokens;
    cost.calls += row.calls;
    cost.seconds += row.seconds;
  }
  return cost;
}
