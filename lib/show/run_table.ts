import { ColumnTable } from "arquero";
import {
  denoInspect,
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
