/**
 * `deno task verify`: recomputes a run from its records.
 * @module
 */
import * as path from "node:path";
import { verify } from "../loop/mod.ts";
import { Store } from "../store/mod.ts";
import type { Invocation } from "./main.ts";
import type { Command } from "./options.ts";
import { findRun } from "./files.ts";

export const verifyCommand: Command = {
  name: "verify",
  does: "recompute a run's rewards, signals and advantages from its records",
  arguments: ["RUN"],
  options: {},
  help: `deno task verify RUN

Checks the hash chain over all records, then recomputes returns, regrets, signals, advantages and
batches from the stored plays and replies, and names the first difference.`,
};

export function verifyRun({ positionals }: Invocation): Promise<number> {
  const dir = findRun(positionals[0]);
  using store = Store.open(dir, { readonly: true });
  const { mismatch, plays, regrets, samples, batches, transactions } = verify(store);
  const what = `${transactions} transactions, ${plays} plays, ${regrets} regrets, ` +
    `${samples} designer samples, ${batches} batches`;
  if (mismatch === null) {
    console.log(`${path.basename(dir)}: everything recomputes (${what})`);
    return Promise.resolve(0);
  }
  const { table, id, column, stored, recomputed } = mismatch;
  const show = (value: unknown) => JSON.stringify(value)?.slice(0, 200) ?? "undefined";
  console.error(
    `${path.basename(dir)}: first difference after ${what}\n` +
      `  ${table} ${id}, ${column}: stored ${show(stored)}, recomputed ${show(recomputed)}`,
  );
  return Promise.resolve(1);
}
