/**
 * progress.jsonl: one line a committed transaction, beside the database, so that what is lost can
 * be listed even when the database cannot be read. It follows the commit and is not flushed;
 * opening a run mends its tail.
 * @module
 */
import * as fs from "node:fs";
import { z } from "zod";
import type { TableName } from "../core/mod.ts";
import type { ChainEntry, ChainHead, ChainRow } from "./chain.ts";
import { readLines } from "./folder.ts";

const progressLine = z.object({
  sequence: z.number().int(),
  rollout: z.number().int(),
  hash: z.string(),
  /** Rows written or removed, by table. */
  rows: z.record(z.string(), z.number().int()),
});
/** One line of the file. */
export type ProgressLine = z.infer<typeof progressLine>;

/** The line of a transaction. */
export function progressLineOf(entry: ChainEntry): ProgressLine {
  const rows: Partial<Record<TableName, number>> = {};
  for (const [table] of JSON.parse(entry.rows) as ChainRow[]) rows[table] = (rows[table] ?? 0) + 1;
  return { sequence: entry.sequence, rollout: entry.rollout, hash: entry.hash, rows };
}

/** Lines up to the first that is torn, malformed or out of order, and their length in bytes. */
export function readProgress(path: string): { lines: ProgressLine[]; length: number } {
  const { values, length } = readLines(path);
  const lines: ProgressLine[] = [];
  for (const value of values) {
    const line = progressLine.safeParse(value);
    if (!line.success || line.data.sequence !== lines.length + 1) break;
    lines.push(line.data);
  }
  return { lines, length: lines.length === values.length ? length : textOf(lines).length };
}

function textOf(lines: readonly ProgressLine[]): string {
  return lines.map((line) => JSON.stringify(line) + "\n").join("");
}

/** Transactions, rollouts and rows that exist in the progress file but not in a database. */
export interface Loss {
  /** Transactions that are lost. */
  transactions: number;
  /** Lowest and highest rollout touched; undefined where nothing is lost. */
  rollouts: [number, number] | undefined;
  /** Rows they had written, by table. */
  rows: Record<string, number>;
}

/** What is lost by going back to transaction `sequence`. */
export function lossAfter(lines: readonly ProgressLine[], sequence: number): Loss {
  const lost = lines.filter((line) => line.sequence > sequence);
  const rows: Record<string, number> = {};
  for (const line of lost) {
    for (const [table, n] of Object.entries(line.rows)) rows[table] = (rows[table] ?? 0) + n;
  }
  const numbers = lost.map((line) => line.rollout);
  return {
    transactions: lost.length,
    rollouts: lost.length > 0 ? [Math.min(...numbers), Math.max(...numbers)] : undefined,
    rows,
  };
}

/** A loss in words, for messages. */
export function lossText(loss: Loss): string {
  if (loss.rollouts === undefined) return "nothing";
  const [first, last] = loss.rollouts;
  const rows = Object.entries(loss.rows).map(([table, n]) => `${n} ${table}`).join(", ");
  return `${loss.transactions} transactions of rollouts ${first} to ${last} (rows: ${rows})`;
}

/**
 * Appends at a known length, so that a write cut short by a full disk is overwritten by the next.
 */
export class ProgressWriter {
  #file: number;
  #length: number;
  #pending = "";

  /** `length`: bytes of the lines that count; what follows is cut. */
  constructor(path: string, length: number) {
    this.#file = fs.openSync(path, fs.existsSync(path) ? "r+" : "w");
    fs.ftruncateSync(this.#file, length);
    this.#length = length;
  }

  /** Adds a line. Never throws. */
  append(entry: ChainEntry): void {
    this.#pending += JSON.stringify(progressLineOf(entry)) + "\n";
    const bytes = new TextEncoder().encode(this.#pending);
    try {
      let done = 0;
      while (done < bytes.length) {
        done += fs.writeSync(this.#file, bytes, done, bytes.length - done, this.#length + done);
      }
    } catch {
      // The transaction is committed; its line is tried again with the next, or at the next open.
      return;
    }
    this.#length += bytes.length;
    this.#pending = "";
  }

  /** Closes the file. */
  close(): void {
    fs.closeSync(this.#file);
  }
}

/**
 * Compares the file with the database's chain. `ahead`: the file lists transactions that the
 * database has not.
 * `differs`: first sequence with another hash.
 */
export function compareProgress(
  lines: readonly ProgressLine[],
  head: ChainHead,
  hashAt: (sequence: number) => string | undefined,
): { ahead: Loss; differs: number | undefined } {
  const differs = lines.slice(0, head.sequence).find((line) => hashAt(line.sequence) !== line.hash);
  return { ahead: lossAfter(lines, head.sequence), differs: differs?.sequence };
}
