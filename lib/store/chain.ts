/**
 * The hash chain: one row a committed transaction.
 *
 * - `rows` is the JSON of what it wrote, in order: `[table, id, row hash]`, or `[table, id, null]`
 *   where it removed.
 * - A row hash is the sha-256 of table, column names and stored values, null columns left out (so
 *   that a migration may add nullable columns).
 * - `hash` is the sha-256 of the previous hash, sequence, rollout and `rows`.
 *
 * It shows that rows were changed, added, removed or exchanged after they were committed. It does
 * not stop somebody who writes the whole chain anew; keep a head hash elsewhere for that (each line
 * of progress.jsonl and each copy has one).
 * @module
 */
import { createHash } from "node:crypto";
import { sha256, type TableName } from "../core/mod.ts";
import type { SqlValue } from "./codec.ts";
import { tables } from "./columns.ts";

/** What one transaction did to one row; the hash is null where it removed it. */
export type ChainRow = [table: TableName, id: string, hash: string | null];

/** The end of a chain: how many transactions, and the hash that stands for all of them. */
export interface ChainHead {
  /** Transactions committed so far; 0 for none. */
  sequence: number;
  /** Hash of the last one, "" for none. */
  hash: string;
}

/** A row of the chain. */
export interface ChainEntry extends ChainHead {
  /** Newest rollout of the rows it wrote. */
  rollout: number;
  /** JSON of {@link ChainRow}s. */
  rows: string;
}

/** Head of a chain without a transaction. */
export const emptyHead: ChainHead = { sequence: 0, hash: "" };

/** The entry that follows `head`. */
export function nextEntry(
  head: ChainHead,
  rollout: number,
  list: readonly ChainRow[],
): ChainEntry {
  const sequence = head.sequence + 1;
  const rows = JSON.stringify(list);
  return { sequence, rollout, rows, hash: linkHash(head.hash, sequence, rollout, rows) };
}

/** Hash of an entry, from the hash before it and what it says. */
export function linkHash(
  previous: string,
  sequence: number,
  rollout: number,
  rows: string,
): string {
  return sha256(`${previous}\n${sequence}\n${rollout}\n${rows}`);
}

/** Hash of a row's stored values, given in column order. */
export function rowHash(table: TableName, values: readonly SqlValue[]): string {
  const { columns } = tables[table];
  const blobs: Uint8Array[] = [];
  let text = `${table}\n`;
  for (let i = 0; i < columns.length; i++) {
    const value = values[i];
    if (value === null) continue;
    if (value instanceof Uint8Array) {
      blobs.push(value);
      text += `${columns[i].name}#${value.byteLength}\n`;
    } else {
      text += `${columns[i].name}=${JSON.stringify(value)}\n`;
    }
  }
  const hash = createHash("sha256").update(text);
  for (const blob of blobs) hash.update(blob);
  return hash.digest("base64url");
}

/** {@link rowHash} of a row as SQLite gives it. */
export function storedRowHash(table: TableName, row: Record<string, unknown>): string {
  return rowHash(table, tables[table].columns.map((column) => row[column.name] as SqlValue));
}
