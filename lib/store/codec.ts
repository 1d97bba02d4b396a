/**
 * Records to SQL values and back. A record is parsed once, here: shape and types by zod (unknown
 * keys refused), numbers finite, sizes capped. Reading trusts what the chain covers and checks only
 * that values decode.
 *
 * Every text comes back exactly: SQLite's readers end a text at NUL and UTF-8 has no unpaired
 * surrogates, so a text with either (or one that begins with U+0001) is stored as U+0001 followed
 * by its JSON. -0 is stored as 0.
 * @module
 */
import { z } from "zod";
import { type RecordOf, records, StoreError, type TableName } from "../core/mod.ts";
import { type Column, tables } from "./columns.ts";

/** A value as SQLite takes and gives it. */
export type SqlValue = null | number | string | Uint8Array;

/** Largest text or JSON column, in UTF-16 units. */
export const maxText = 16 * 2 ** 20;
/** Largest packed column, in bytes. */
export const maxPacked = 512 * 2 ** 20;

const marker = "\u0001";

/**
 * Packed columns are checked while they are packed: a zod check per number costs ten times the
 * insert.
 */
const inputs = Object.fromEntries(
  (Object.keys(records) as TableName[]).map((name) => {
    const shape: Record<string, z.ZodType> = { ...records[name].shape };
    for (const column of tables[name].columns) {
      if (column.kind === "ids" || column.kind === "floats") {
        const array = z.custom(Array.isArray, "must be an array");
        shape[column.name] = column.nullable ? array.nullable() : array;
      }
    }
    return [name, z.strictObject(shape)];
  }),
) as unknown as Record<TableName, z.ZodType<Record<string, unknown>>>;

/**
 * SQL values of a record, in column order.
 * @throws {TypeError} naming table and column where the record does not fit its shape
 * @throws {RangeError} where a number is not finite or a value too large
 */
export function encode(table: TableName, record: unknown): SqlValue[] {
  const parsed = inputs[table].safeParse(record);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = issue.code === "unrecognized_keys" ? issue.keys : issue.path;
    throw new TypeError(`Cannot store ${table}.${path.map(String).join(".")}: ${issue.message}`, {
      cause: parsed.error,
    });
  }
  return tables[table].columns.map((column) =>
    encodeValue(column, parsed.data[column.name], `${table}.${column.name}`)
  );
}

/** One value; also used for the values of `where`. */
export function encodeValue(column: Column, value: unknown, where: string): SqlValue {
  if (value === null) return null;
  switch (column.kind) {
    case "integer":
    case "real":
      return finite(value, where) + 0; // -0 becomes 0
    case "boolean":
      return value ? 1 : 0;
    case "text":
      return encodeText(capped(value as string, where));
    case "ids":
      return packIds(value as unknown[], where);
    case "floats":
      return packFloats(value as unknown[], where);
    case "json":
      checkJson(value, where);
      return encodeText(capped(JSON.stringify(value), where));
  }
}

/** The record of a row's SQL values by name. */
export function decode<T extends TableName>(table: T, row: Record<string, unknown>): RecordOf<T> {
  return decodeValues(table, tables[table].columns.map(({ name }) => row[name]));
}

/** The record of a row's SQL values in column order. */
export function decodeValues<T extends TableName>(
  table: T,
  values: readonly unknown[],
): RecordOf<T> {
  const record: Record<string, unknown> = {};
  const { columns } = tables[table];
  for (let at = 0; at < columns.length; at++) {
    try {
      record[columns[at].name] = decodeValue(columns[at], values[at]);
    } catch (cause) {
      const what = `Cannot read ${table}.${columns[at].name} of row ${record.id}`;
      throw new StoreError(what, { cause });
    }
  }
  return record as RecordOf<T>;
}

/** One value. */
export function decodeValue(column: Column, value: unknown): unknown {
  if (value === null) return null;
  switch (column.kind) {
    case "boolean":
      return value === 1;
    case "text":
      return decodeText(value as string);
    case "ids":
      return Array.from(new Int32Array(aligned(value as Uint8Array, 4)));
    case "floats":
      return Array.from(new Float64Array(aligned(value as Uint8Array, 8)));
    case "json":
      return JSON.parse(decodeText(value as string));
    default:
      return value;
  }
}

/** The bytes of a packed column in a buffer of their own. */
export function aligned(bytes: Uint8Array, size: number): ArrayBuffer {
  if (bytes.byteLength % size !== 0) {
    throw new RangeError(`Packed length is ${bytes.byteLength}, must be a multiple of ${size}`);
  }
  return bytes.slice().buffer as ArrayBuffer;
}

function encodeText(text: string): string {
  const plain = !text.startsWith(marker) && !text.includes("\0") && text.isWellFormed();
  return plain ? text : marker + JSON.stringify(text);
}

/** A stored text as it was; what SQLite cannot hold (NUL, unpaired surrogates) is stored as JSON. */
export function decodeText(text: string): string {
  return text.startsWith(marker) ? JSON.parse(text.slice(1)) : text;
}

function capped(text: string, where: string): string {
  if (text.length > maxText) {
    throw new RangeError(`Cannot store ${where}: length is ${text.length}, must be <= ${maxText}`);
  }
  return text;
}

function finite(value: unknown, where: string): number {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw new RangeError(`Cannot store ${where}: value is ${String(value)}, must be finite`);
  }
  return value;
}

function packIds(list: readonly unknown[], where: string): Uint8Array {
  checkPacked(list.length * 4, where);
  const packed = new Int32Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const id = list[i];
    if (!Number.isInteger(id) || (id as number) < 0 || (id as number) > 0x7fffffff) {
      throw new RangeError(`Cannot store ${where}.${i}: id is ${String(id)}, must be in [0, 2^31)`);
    }
    packed[i] = id as number;
  }
  return new Uint8Array(packed.buffer);
}

function packFloats(list: readonly unknown[], where: string): Uint8Array {
  checkPacked(list.length * 8, where);
  const packed = new Float64Array(list.length);
  for (let i = 0; i < list.length; i++) packed[i] = finite(list[i], `${where}.${i}`);
  return new Uint8Array(packed.buffer);
}

function checkPacked(size: number, where: string): void {
  if (size > maxPacked) {
    throw new RangeError(`Cannot store ${where}: size is ${size} bytes, must be <= ${maxPacked}`);
  }
}

/**
 * JSON.stringify turns NaN, dates and typed arrays into something else without a word: refuse them.
 */
function checkJson(value: unknown, where: string): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") return void finite(value, where);
  if (Array.isArray(value)) return value.forEach((item, i) => checkJson(item, `${where}.${i}`));
  const prototype = typeof value === "object" ? Object.getPrototypeOf(value) : undefined;
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`Cannot store ${where}: value is ${String(value)}, must be plain JSON`);
  }
  for (const [key, item] of Object.entries(value as Record<string, unknown>)) {
    if (item !== undefined) checkJson(item, `${where}.${key}`);
  }
}
