/**
 * A table cut into pieces for its writers: rows as they are seen (filtered, in order), values made plain.
 * @module
 */
import type { ColumnTable } from "arquero";
import type { ColumnKind } from "../../../store/mod.ts";
import { type ColumnLike, kindOf } from "../kinds.ts";

/** One column of one piece. */
export interface SliceColumn {
  /** Its name. */
  name: string;
  /** What its values are. */
  kind: ColumnKind;
  /** Null where missing; dates as ISO text. */
  values: unknown[];
}

/** Rows written at once: memory stays bounded however long the table is. */
export const sliceRows = 65_536;

/** A table as its writers take it. */
export interface Sliced {
  /** Its columns, in order. */
  columns: readonly { name: string; kind: ColumnKind }[];
  /** Rows in all. */
  rows: number;
  /** The pieces, in order. */
  slices: Iterable<SliceColumn[]>;
}

/** Cuts a table; nothing is copied before a piece is asked for. */
export function sliced(table: ColumnTable): Sliced {
  const columns = table.columnNames().map((name) => {
    const values = table.column(name) as unknown as ColumnLike;
    return { name, kind: kindOf(values), values };
  });
  const indices = table.indices();
  return {
    columns: columns.map(({ name, kind }) => ({ name, kind })),
    rows: indices.length,
    slices: {
      *[Symbol.iterator]() {
        for (let from = 0; from < indices.length; from += sliceRows) {
          const rows = Array.from(indices.subarray(from, from + sliceRows));
          yield columns.map(({ name, kind, values }) => ({
            name,
            kind,
            values: rows.map((row) => plain(values.at(row))),
          }));
        }
      },
    },
  };
}

function plain(value: unknown): unknown {
  if (value === undefined) return null;
  return value instanceof Date ? value.toISOString() : value;
}

/** JSON of a value; lists of numbers as arrays, a bigint as its digits, an unpaired surrogate as U+FFFD. */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value, (_, inner) => {
    if (typeof inner === "bigint") {
      return Number.isSafeInteger(Number(inner)) ? Number(inner) : `${inner}`;
    }
    return ArrayBuffer.isView(inner) ? Array.from(inner as unknown as ArrayLike<number>) : inner;
  });
  // Of surrogates only unpaired ones are escaped, and not every reader takes them.
  return text.replaceAll(
    /\\(?:u[0-9a-f]{4}|.)/g,
    (escape) => /^\\ud[89a-f]/.test(escape) ? "\ufffd" : escape,
  );
}
