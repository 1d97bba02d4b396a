/**
 * Tables as files that other tools read.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import type { ColumnTable } from "arquero";
import { UsageError } from "../../core/mod.ts";
import { writeArrow } from "./formats/arrow.ts";
import { writeParquet } from "./formats/parquet.ts";
import { type Sliced, sliced } from "./formats/slices.ts";
import { writeCsv, writeJsonl } from "./formats/text.ts";

const writers: Record<TableFormat, (file: string, table: Sliced) => void> = {
  parquet: writeParquet,
  csv: writeCsv,
  jsonl: writeJsonl,
  arrow: writeArrow,
};

/** A form that tables are written in; also the ending of the file. */
export type TableFormat = "parquet" | "csv" | "jsonl" | "arrow";

/** All of them. */
export const tableFormats = Object.keys(writers) as readonly TableFormat[];

/** A file that was written. */
export interface ExportedTable {
  /** Its path, as it was given. */
  file: string;
  /** Its form. */
  format: TableFormat;
  /** Rows in it, a header not counted. */
  rows: number;
  /** Its size. */
  bytes: number;
}

/**
 * Writes a table (any arquero table: filtered and ordered as it is seen) to a file; its ending says the form: `.parquet`,
 * `.csv`, `.jsonl` or `.arrow`. Integers become 64-bit, reals doubles; null stays null; JSON values become JSON text; an
 * unpaired surrogate, which UTF-8 has not, becomes U+FFFD. A file of that name is replaced, at once and only when the new
 * one is complete.
 *
 * In Python: `pandas.read_parquet("plays.parquet")`, or `duckdb.sql("select arm, avg(value) from 'plays.parquet' group by
 * all")`; for the other forms see scripts/tables/read.py. Parquet and Arrow keep types and what is missing; of a CSV pandas
 * and DuckDB guess the types and take an empty text for a missing one.
 *
 * ```ts ignore
 * import { exportTable, openRun } from "@spade/spade";
 *
 * using run = openRun("runs/nano");
 * const hinted = run.plays().filter((play: { arm: string }) => play.arm === "hinted");
 * const { rows } = exportTable(hinted, "hinted.parquet");
 * console.log(rows, "rows");
 * ```
 *
 * @throws UsageError when the ending is another, or the table has no column
 */
export function exportTable(table: ColumnTable, file: string): ExportedTable {
  const format = formatOf(file);
  if (table.numCols() === 0) throw new UsageError(`Cannot write ${file}: the table has no column`);
  const pieces = sliced(table);
  const aside = `${file}.new`;
  try {
    writers[format](aside, pieces);
    fs.renameSync(aside, file);
  } catch (cause) {
    fs.rmSync(aside, { force: true });
    throw cause;
  }
  return { file, format, rows: pieces.rows, bytes: fs.statSync(file).size };
}

function formatOf(file: string): TableFormat {
  const ending = path.extname(file).slice(1).toLowerCase();
  const found = tableFormats.find((format) => format === ending);
  if (found) return found;
  throw new UsageError(
    `Cannot write ${file}: its ending is "${ending}", must be one of ${tableFormats.join(", ")}`,
  );
}
