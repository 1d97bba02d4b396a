/**
 * CSV (RFC 4180, UTF-8, a header, lines ended by LF) and JSON lines. In CSV nothing stands for a missing value and `""`
 * for an empty text; lists and JSON values are JSON text. In JSON lines a missing value is null, and so is what JSON has
 * no number for (NaN, infinities).
 * @module
 */
import * as fs from "node:fs";
import type { ColumnKind } from "../../../store/mod.ts";
import { jsonOf, type Sliced } from "./slices.ts";

/** Writes a CSV file, piece by piece. */
export function writeCsv(file: string, { columns, slices }: Sliced): void {
  writePieces(file, function* () {
    yield columns.map(({ name }) => quoted(name)).join(",") + "\n";
    for (const slice of slices) {
      const cells = slice.map(({ kind, values }) => values.map((value) => csvCell(kind, value)));
      yield cells[0].map((_, row) => cells.map((of) => of[row]).join(",") + "\n").join("");
    }
  });
}

/** Writes a file of JSON lines, piece by piece. */
export function writeJsonl(file: string, { slices }: Sliced): void {
  writePieces(file, function* () {
    for (const slice of slices) {
      const names = slice.map(({ name }) => jsonOf(name));
      const line = (row: number) =>
        `{${slice.map(({ values }, at) => `${names[at]}:${jsonOf(values[row])}`).join(",")}}\n`;
      yield slice[0].values.map((_, row) => line(row)).join("");
    }
  });
}

function writePieces(file: string, pieces: () => Iterable<string>): void {
  const out = fs.openSync(file, "w");
  try {
    for (const piece of pieces()) fs.writeFileSync(out, piece);
  } finally {
    fs.closeSync(out);
  }
}

function csvCell(kind: ColumnKind, value: unknown): string {
  if (value === null) return "";
  if (kind === "text") return value === "" ? '""' : quoted(String(value));
  return kind === "json" || typeof value === "object" ? quoted(jsonOf(value)) : String(value);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
