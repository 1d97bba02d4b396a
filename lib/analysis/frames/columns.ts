/**
 * Columns of the tables that people read: those of the store, with every outcome spread into five.
 * @module
 */
import { type Outcome, type RecordOf, type TableName, UsageError } from "../../core/mod.ts";
import { type ColumnKind, tables } from "../../store/mod.ts";

/**
 * What an outcome becomes: `outcome` (scored, failed or skipped), `value` (null unless scored), and for the others
 * `blame`, `reason` and `detail` (null where there is none).
 */
export type OutcomeColumn = "outcome" | "value" | "blame" | "reason" | "detail";

/** Name of a column of a table. */
export type FrameColumn<T extends TableName> =
  | keyof RecordOf<T> & string
  | ("outcome" extends keyof RecordOf<T> ? OutcomeColumn : never);

/** What is known of a column before it is read. */
export interface FrameColumnInfo {
  /** Its name in the table. */
  name: string;
  /** What its values are. */
  kind: ColumnKind;
  /** Whether a value may be missing. */
  nullable: boolean;
  /** Column of the store that it is read from. */
  from: string;
}

const outcomeColumns: readonly FrameColumnInfo[] = [
  { name: "outcome", kind: "text", nullable: false, from: "outcome" },
  { name: "value", kind: "real", nullable: true, from: "outcome" },
  { name: "blame", kind: "text", nullable: true, from: "outcome" },
  { name: "reason", kind: "text", nullable: true, from: "outcome" },
  { name: "detail", kind: "text", nullable: true, from: "outcome" },
];

/**
 * All columns of a table, in order.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const names = frameColumns("regret").map(({ name }) => name);
 * assert.ok(names.includes("value") && names.includes("blame") && names.includes("pairs"));
 * ```
 */
export function frameColumns(table: TableName): FrameColumnInfo[] {
  return tables[table].columns.flatMap(({ name, kind, nullable }) =>
    name === "outcome" ? outcomeColumns : [{ name, kind, nullable, from: name }]
  );
}

/**
 * Whether a column holds a list of numbers a row (token ids, log-probabilities): read only when asked for.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const packed = frameColumns("turn").filter(isPacked).map(({ name }) => name);
 * assert.deepEqual(packed, ["prompt", "ids", "logps"]);
 * ```
 */
export function isPacked(column: { kind: ColumnKind }): boolean {
  return column.kind === "ids" || column.kind === "floats";
}

/**
 * The columns asked for, each once; without a wish all but the packed ones.
 *
 * @throws UsageError when a column does not exist, or none is asked for
 */
export function chooseColumns(table: TableName, names?: readonly string[]): FrameColumnInfo[] {
  const all = frameColumns(table);
  if (names === undefined) return all.filter((column) => !isPacked(column));
  if (names.length === 0) throw new UsageError(`Cannot read ${table}: no column is asked for`);
  return [...new Set(names)].map((name) => {
    const found = all.find((column) => column.name === name);
    if (found) return found;
    throw new UsageError(
      `Cannot read ${table}: there is no column "${name}", must be one of ${
        all.map((column) => column.name).join(", ")
      }`,
    );
  });
}

/** One of the five columns of an outcome. */
export function spreadOutcome(outcomes: readonly Outcome[], name: OutcomeColumn): unknown[] {
  switch (name) {
    case "outcome":
      return outcomes.map(({ kind }) => kind);
    case "value":
      return outcomes.map((one) => one.kind === "scored" ? one.value : null);
    case "blame":
      return outcomes.map((one) => one.kind === "failed" ? one.blame : null);
    case "reason":
      return outcomes.map((one) => one.kind === "scored" ? null : one.reason);
    case "detail":
      return outcomes.map((one) => one.kind === "failed" ? one.detail ?? null : null);
  }
}
