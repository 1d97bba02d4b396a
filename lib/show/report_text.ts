/**
 * The report for a terminal: what changed on held-out environments, validity, groups, costs.
 * @module
 */
import type { RunTables } from "../analysis/mod.ts";
import {
  costHeadings,
  costRows,
  healthRows,
  heldoutHeadings,
  heldoutRises,
  heldoutRows,
  validityRows,
} from "./report_rows.ts";
import { textTable } from "./text_table.ts";

/**
 * The report of a run's tables, in lines of at most `width` characters (120 unless given).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { emptyTables } from "../analysis/mod.ts";
 * assert.ok(reportText(emptyTables()).startsWith("No held-out rise"));
 * ```
 */
export function reportText(tables: RunTables, options: { width?: number } = {}): string {
  const { width = 120 } = options;
  const rises = heldoutRises(tables);
  const parts: string[] = [];
  if (rises.length > 0) {
    parts.push(textTable(heldoutHeadings, heldoutRows(rises), { width }));
    parts.push("95 % cluster bootstrap over environments; one seed, no control\n");
  } else parts.push("No held-out rise: base and later weights were not both evaluated.\n");
  parts.push("\n" + textTable(["designer", "share", "95 %"], validityRows(tables), { width }));
  parts.push("\n" + textTable(["groups and regret", "value"], healthRows(tables), { width }));
  if (tables.ledger.length > 0) {
    parts.push("\n" + textTable(costHeadings, costRows(tables), { width }));
  }
  return parts.join("");
}
