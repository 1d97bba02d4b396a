/**
 * Parquet: integers INT64, reals DOUBLE, booleans, UTF-8 texts, token ids and log-probabilities as lists, JSON as text.
 * Every column is optional, so that the same table has the same schema with and without something missing.
 * @module
 */
import { fileWriter, ParquetWriter } from "hyparquet-writer";
import type { ColumnKind } from "../../../store/mod.ts";
import { jsonOf, type SliceColumn, type Sliced, sliceRows } from "./slices.ts";

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];

/** Writes a file, a row group a piece. */
export function writeParquet(file: string, { columns, slices }: Sliced): void {
  const writer = new ParquetWriter({
    writer: fileWriter(file),
    schema: [
      { name: "root", num_children: columns.length },
      ...columns.flatMap(({ name, kind }) => elementsOf(name, kind)),
    ],
    createdBy: "spade",
  });
  for (const slice of slices) {
    const columnData = slice.map((column) => ({ name: column.name, data: parquetValues(column) }));
    writer.write({ columnData, rowGroupSize: sliceRows });
  }
  writer.finish();
}

function elementsOf(name: string, kind: ColumnKind): SchemaElement[] {
  const repetition_type = "OPTIONAL";
  switch (kind) {
    case "integer":
      return [{ name, repetition_type, type: "INT64" }];
    case "real":
      return [{ name, repetition_type, type: "DOUBLE" }];
    case "boolean":
      return [{ name, repetition_type, type: "BOOLEAN" }];
    case "text":
    case "json":
      return [{ name, repetition_type, type: "BYTE_ARRAY", converted_type: "UTF8" }];
    case "ids":
    case "floats":
      return [
        { name, repetition_type, converted_type: "LIST", num_children: 1 },
        { name: "list", repetition_type: "REPEATED", num_children: 1 },
        {
          name: "element",
          repetition_type: "REQUIRED",
          type: kind === "ids" ? "INT32" : "DOUBLE",
        },
      ];
  }
}

function parquetValues({ kind, values }: SliceColumn): unknown[] {
  const map = (change: (value: never) => unknown) =>
    values.map((value) => value === null ? null : change(value as never));
  switch (kind) {
    case "integer":
      return map((value: number | bigint) => BigInt(value));
    case "json":
      return map(jsonOf);
    case "ids":
    case "floats":
      return map((value: ArrayLike<number>) => Array.from(value));
    default:
      return values;
  }
}
