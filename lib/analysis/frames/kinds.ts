/**
 * What the values of a column are. The store knows it for its own columns; it is kept beside the array, so that it
 * survives every verb that passes the array on (filter, select, slice, orderby). Of a derived column it is inferred.
 * @module
 */
import type { ColumnKind } from "../../store/mod.ts";

/** Anything with a length and values by place: an array, a typed array, a column of another library. */
export interface ColumnLike {
  /** Number of values. */
  readonly length: number;
  /** The value at a place, from 0. */
  at(index: number): unknown;
}

const known = new WeakMap<object, ColumnKind>();

/** Notes the kind of a column and returns it. */
export function withKind<C extends ColumnLike>(values: C, kind: ColumnKind): C {
  known.set(values, kind);
  return values;
}

/**
 * The kind of a column: as noted, else from its values. Numbers are `integer` when all of them are whole; a column of
 * mixed values is `json`; one without a value is `text`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual([kindOf([1, null, 2]), kindOf([1, 2.5]), kindOf(["a", 1])], ["integer", "real", "json"]);
 * ```
 */
export function kindOf(values: ColumnLike): ColumnKind {
  const noted = known.get(values);
  if (noted !== undefined) return noted;
  if (values instanceof Float64Array || values instanceof Float32Array) return "real";
  if (ArrayBuffer.isView(values)) return "integer";
  let kind: ColumnKind | undefined;
  for (let i = 0; i < values.length; i++) {
    const one = kindOfValue(values.at(i));
    if (one === undefined || one === kind) continue;
    if (kind === undefined) kind = one;
    else if (isNumber(kind) && isNumber(one)) kind = "real";
    else return "json";
  }
  return kind ?? "text";
}

function isNumber(kind: ColumnKind): boolean {
  return kind === "integer" || kind === "real";
}

function kindOfValue(value: unknown): ColumnKind | undefined {
  if (value === null || value === undefined) return undefined;
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "string":
      return "text";
    case "bigint":
      return "integer";
    case "number":
      return Number.isSafeInteger(value) ? "integer" : "real";
  }
  if (value instanceof Date) return "text";
  if (value instanceof Int32Array) return "ids";
  return value instanceof Float64Array ? "floats" : "json";
}
