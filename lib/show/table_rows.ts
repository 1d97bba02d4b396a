/**
 * The first rows of a table as text and HTML, with its size and what is missing.
 * @module
 */
import type { ColumnTable } from "arquero";
import { type ColumnLike, kindOf } from "../analysis/mod.ts";
import { cellHtml } from "./cell_html.ts";
import type { Shown } from "./display.ts";
import { escapeTerminal } from "./escape.ts";
import { formatCount, missing } from "./format.ts";
import { type Html, html, markup, paragraphHtml, tableHtml } from "./page.ts";
import { cutText, textTable } from "./text_table.ts";

/** How much of a table is shown. */
export interface TableRowsOptions {
  /** Rows shown. @default 10 */
  limit?: number;
  /** Characters in a line of text. @default 160 */
  width?: number;
  /** Said with ⚠ before what the table itself tells. */
  warnings?: readonly string[];
}

/**
 * What a table looks like: first rows, counts, and a ⚠ line for what was dropped or is missing.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { table } from "arquero";
 * const { text } = tableRows(table({ skill: ["a", "b", "c"], plays: [8, 16, null] }), { limit: 2 });
 * assert.ok(text?.includes("3 rows × 2 columns, the first 2 shown"));
 * assert.ok(text?.includes("⚠ missing: plays in 1 of 3 rows"));
 * ```
 */
export function tableRows(table: ColumnTable, options: TableRowsOptions = {}): Shown {
  const { limit = 10, width = 160 } = options;
  const names = table.columnNames();
  const columns = names.map((name) => table.column(name) as unknown as ColumnLike);
  const headings = names.map((name, at) => isNumber(kindOf(columns[at])) ? `#${name}` : name);
  const rows = [...table.indices()].slice(0, limit);
  const cells = (longest: number) =>
    rows.map((row) => columns.map((column) => cutText(cellText(column.at(row)), longest)));
  const short = cells(24);
  const fitting = fittingColumns(names, short, width);
  const warnings = [...options.warnings ?? [], ...warningsOf(table, columns)].map((w) => `⚠ ${w}`);
  const text = [
    fitting === 0 ? "" : textTable(
      headings.slice(0, fitting),
      short.map((row) => row.slice(0, fitting)),
      { width },
    ),
    ...[sizeOf(table, rows.length), ...hiddenColumns(names.slice(fitting)), ...warnings]
      .map((line) => escapeTerminal(line) + "\n"),
  ].join("").trimEnd();
  const parts: Html[] = [
    ...(names.length === 0 ? [] : [tableHtml(headings, cells(80))]),
    paragraphHtml(sizeOf(table, rows.length), "muted"),
    ...warnings.map((line) => paragraphHtml(html(`<strong>${markup(line)}</strong>`), "warn")),
  ];
  return { text, html: cellHtml(...parts) };
}

/** How many columns a line of text has room for; the first one always. */
function fittingColumns(
  names: readonly string[],
  cells: readonly (readonly string[])[],
  width: number,
): number {
  let used = -2;
  for (const [at, name] of names.entries()) {
    used += 2 + Math.max([...name].length, ...cells.map((row) => [...row[at]].length));
    if (used > width) return Math.max(1, at);
  }
  return names.length;
}

function hiddenColumns(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`not shown: ${names.join(", ")}`];
}

function isNumber(kind: ReturnType<typeof kindOf>): boolean {
  return kind === "integer" || kind === "real";
}

function sizeOf(table: ColumnTable, shown: number): string {
  const rows = table.numRows(), columns = table.numCols();
  const some = shown < rows ? `, the first ${formatCount(shown)} shown` : "";
  return `${formatCount(rows)} ${rows === 1 ? "row" : "rows"} × ${columns} ${
    columns === 1 ? "column" : "columns"
  }${some}`;
}

/** Rows that a filter leaves out, and values that number columns lack. */
function warningsOf(table: ColumnTable, columns: readonly ColumnLike[]): string[] {
  const all = table.totalRows(), rows = table.numRows();
  const warnings = [];
  if (rows < all) {
    warnings.push(`${formatCount(all - rows)} of ${formatCount(all)} rows filtered out`);
  }
  const lacking = table.columnNames().flatMap((name, at) => {
    const lost = countMissing(table, columns[at]);
    return lost > 0 ? [`${name} in ${formatCount(lost)}`] : [];
  });
  if (lacking.length > 0) {
    warnings.push(`missing: ${lacking.join(", ")} of ${formatCount(rows)} rows`);
  }
  return warnings;
}

/** Only where a number is expected: a text that is null (no blame, no document) lacks nothing. */
function countMissing(table: ColumnTable, column: ColumnLike): number {
  if (ArrayBuffer.isView(column) || !isNumber(kindOf(column))) return 0;
  let lost = 0;
  table.scan((row) => {
    const value = column.at(row!);
    if (value === null || value === undefined || Number.isNaN(value)) lost++;
  });
  return lost;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return missing;
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return /^[0-9a-f]{64}$/.test(value) ? shortHash(value) : value;
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) {
    const list = value as Int32Array;
    return `${formatCount(list.length)}: ${Array.from(list.subarray(0, 8), numberText).join(" ")}`;
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Enough of a hash to know it again, and to find it: ids are found by how they begin. */
function shortHash(hash: string): string {
  return `${hash.slice(0, 10)}…`;
}

/** Whole numbers in full, others with five digits. */
function numberText(value: number): string {
  const text = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(5)));
  return text.replaceAll("-", "−");
}
