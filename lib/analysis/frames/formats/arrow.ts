/**
 * Arrow's file form of IPC (Feather version 2): int64, float64, bool, utf8, lists of int32 and float64, JSON as utf8.
 * @module
 */
import * as fs from "node:fs";
import * as arrow from "@uwdata/flechette";
import type { ColumnKind } from "../../../store/mod.ts";
import { jsonOf, type Sliced, sliceRows } from "./slices.ts";

/** Writes a file; all of it is in memory, unlike in the other forms. */
export function writeArrow(file: string, { columns, slices }: Sliced): void {
  const pieces = [...slices];
  const built = columns.map(({ name, kind }, at): [string, arrow.Column<unknown>] => [
    name,
    arrow.columnFromValues(
      (visit: (value: unknown) => void) => {
        for (const piece of pieces) {
          for (const value of piece[at].values) {
            visit(kind === "json" && value !== null ? jsonOf(value) : value);
          }
        }
      },
      typeOf(kind),
      { maxBatchRows: sliceRows },
    ),
  ]);
  const bytes = arrow.tableToIPC(arrow.tableFromColumns(built), { format: "file" });
  fs.writeFileSync(file, bytes!);
}

function typeOf(kind: ColumnKind): arrow.DataType {
  switch (kind) {
    case "integer":
      return arrow.int64();
    case "real":
      return arrow.float64();
    case "boolean":
      return arrow.bool();
    case "text":
    case "json":
      return arrow.utf8();
    case "ids":
      return arrow.list(arrow.field("element", arrow.int32()));
    case "floats":
      return arrow.list(arrow.field("element", arrow.float64()));
  }
}
