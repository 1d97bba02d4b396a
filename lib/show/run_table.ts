import { ColumnTable } from "arquero";
import {
  denoInspect,
  display,
  type Displayable,
  jupyterDisplay,
  type MimeBundle,
  mimeBundle,
} from "./display.ts";
import { tableRows } from "./table_rows.ts";

/**
 * An arquero table that shows itself: the first rows, counts, and a ⚠ line for what was filtered out or is missing. All
 * verbs of arquero (`filter`, `derive`, `groupby`, `rollup`, `join`, …) work and give such tables again.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const plays = new RunTable({ arm: ["plain", "hinted", "plain"], value: [0, 1, null] } as never);
 * assert.match(Deno.inspect(plays), /3 rows × 2 columns\n⚠ missing: value in 1 of 3 rows$/);
 * assert.match(Deno.inspect(plays.filter((p: { arm: string }) => p.arm === "plain")), /⚠ 1 of 3 rows filtered out/);
 * ```
 */
export class RunTable extends ColumnTable implements Displayable {
  /** The first rows as HTML and text. */
  [jupyterDisplay](): MimeBundle {
    return mimeBundle(tableRows(this));
  }

  /** The first rows as text. */
  [denoInspect](): string {
    return tableRows(this).text;
  }
}

/** The same table, showing itself. */
export function showing(table: ColumnTable): RunTable {
  return new RunTable(table.data(), [...table.columnNames()]);
}

/**
 * A table of plain rows, with a column a field of the first; what a later row lacks is missing. Shows 50 rows.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const gates = tableOf([{ gate: "parse", refused: 3 }, { gate: "contract", refused: 18 }]);
 * assert.deepEqual(gates.array("refused"), [3, 18]);
 * assert.match(Deno.inspect(gates), /contract +18/);
 * ```
 */
export function tableOf(rows: readonly object[]): RunTable {
  const names = Object.keys(rows[0] ?? {});
  const columns = names.map((name) => [
    name,
    rows.map((row) => (row as Record<string, unknown>)[name] ?? null),
  ]);
  const table = new RunTable(Object.fromEntries(columns), names);
  return display((all) => tableRows(all, { limit: 50 }), table);
}
