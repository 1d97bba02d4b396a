/**
 * Environment pools as files: JSONL and Parquet, read and written. Reading runs nothing: a row is text until the gates
 * have had it in the sandbox.
 * @module
 */
import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { compressors, objectOfLine } from "../core/mod.ts";
import { knownColumns, poolColumns, type PoolRow, rowOf } from "./row.ts";

/** A line or row that gave no environment. */
export interface MalformedRow {
  /** From 1. */
  row: number;
  /** What is wrong with it. */
  reason: string;
}

/** Environments in the order of the file, each once, and what was left out. */
export interface ParsedPool {
  /** The environments. */
  rows: PoolRow[];
  /** Lines or rows that gave none. */
  malformed: MalformedRow[];
  /** Rows whose program an earlier one has. */
  duplicates: number;
  /** Columns of the file that were not read. */
  unread: string[];
}

/** How much of a file may be wrong. */
export interface ParsePoolOptions {
  /** Name shown in errors. @default "pool" */
  name?: string;
  /** Largest share of malformed rows. @default 0.01 */
  limit?: number;
}

/**
 * Environments of JSONL, one object a line; see {@link PoolRow} for the columns and `row.ts` for other names they go
 * by. Blank lines are no lines. Malformed lines are skipped and reported with their number.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const line = JSON.stringify({ code: "class SumEnv:\n    pass\n", skill_name: "logical_deduction", extra: 1 });
 * const { rows, duplicates, unread } = parsePoolJsonl(`${line}\n${line}\n`);
 * assert.deepEqual([rows[0].skill, duplicates, unread], ["Logical Deduction", 1, ["extra"]]);
 * ```
 *
 * @throws {SyntaxError} when more than `limit` of the lines are malformed, naming the first.
 */
export function parsePoolJsonl(content: string, options: ParsePoolOptions = {}): ParsedPool {
  const found: [number, Record<string, unknown> | string][] = [];
  content.replace(/^\uFEFF/, "").split("\n").forEach((line, i) => {
    if (line.trim() !== "") found.push([i + 1, objectOfLine(line)]);
  });
  return collectRows(found, options);
}

/**
 * Environments of Parquet, one a row; only columns that are known are decoded.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { rows } = parsePoolJsonl(JSON.stringify({ code: "class SumEnv:\n    pass\n", regret: 0.25 }));
 * assert.deepEqual((await parsePoolParquet(formatPoolParquet(rows))).rows, rows);
 * ```
 *
 * @throws {SyntaxError} when it is not Parquet, or more than `limit` of the rows are malformed.
 */
export async function parsePoolParquet(
  bytes: Uint8Array,
  options: ParsePoolOptions = {},
): Promise<ParsedPool> {
  const { name = "pool" } = options;
  let rows: Record<string, unknown>[], found: string[];
  try {
    const file = new Uint8Array(bytes).buffer;
    const metadata = await parquetMetadataAsync(file);
    found = parquetSchema(metadata).children.map(({ element }) => element.name);
    const columns = found.filter((column) => knownColumns.has(column));
    rows = columns.length === 0
      ? []
      : await parquetReadObjects({ file, metadata, columns, compressors });
  } catch (cause) {
    throw new SyntaxError(`Cannot read pool ${name}: ${(cause as Error).message}`, { cause });
  }
  const pool = collectRows(rows.map((row, i) => [i + 1, row]), options);
  return { ...pool, unread: found.filter((column) => !knownColumns.has(column)).sort() };
}

/** The pool of numbered fields; text stands for a line that has none, and says why. */
export function collectRows(
  found: readonly (readonly [number, Record<string, unknown> | string])[],
  options: ParsePoolOptions = {},
): ParsedPool {
  const { name = "pool", limit = 0.01 } = options;
  const rows = new Map<string, PoolRow>();
  const malformed: MalformedRow[] = [];
  const unread = new Set<string>();
  for (const [number, fields] of found) {
    const row = typeof fields === "string" ? fields : rowOf(fields);
    if (typeof row === "string") {
      malformed.push({ row: number, reason: row });
      continue;
    }
    if (!rows.has(row.id)) rows.set(row.id, row);
    for (const key of Object.keys(fields)) if (!knownColumns.has(key)) unread.add(key);
  }
  if (malformed.length > limit * found.length) {
    const first = malformed.slice(0, 5).map(({ row, reason }) => `row ${row}: ${reason}`);
    throw new SyntaxError(
      `Cannot read pool ${name}: ${malformed.length} of ${found.length} rows are malformed, ` +
        `must be at most ${100 * limit} %; ${first.join("; ")}`,
    );
  }
  return {
    rows: [...rows.values()],
    malformed,
    duplicates: found.length - malformed.length - rows.size,
    unread: [...unread].sort(),
  };
}

/**
 * One object a line, columns in their order.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { rows } = parsePoolJsonl(JSON.stringify({ code: "class SumEnv:\n    pass\n", regret: 0.25 }));
 * assert.deepEqual(parsePoolJsonl(formatPoolJsonl(rows)).rows, rows);
 * ```
 */
export function formatPoolJsonl(rows: readonly PoolRow[]): string {
  return rows.map((row) =>
    JSON.stringify(Object.fromEntries(poolColumns.map((column) => [column, row[column]]))) + "\n"
  ).join("");
}

const numbers: Partial<Record<keyof PoolRow, "DOUBLE" | "INT32">> = {
  win_rate: "DOUBLE",
  success_rate: "DOUBLE",
  regret: "DOUBLE",
  plays: "INT32",
};

/**
 * The same columns as Parquet; lists are JSON text, which every reader has.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { rows } = parsePoolJsonl(JSON.stringify({ code: "class SumEnv:\n    pass\n" }));
 * const bytes = formatPoolParquet(rows);
 * assert.equal(new TextDecoder().decode(bytes.slice(0, 4)), "PAR1");
 * ```
 */
export function formatPoolParquet(rows: readonly PoolRow[]): Uint8Array {
  const columnData = poolColumns.map((name) => ({
    name,
    type: numbers[name] ?? "STRING" as const,
    data: rows.map((row) => Array.isArray(row[name]) ? JSON.stringify(row[name]) : row[name]),
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}
