/**
 * `deno task report` and the report that ends a training.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { loadRun } from "../analysis/mod.ts";
import { reportHtml } from "../show/mod.ts";
import { Store } from "../store/mod.ts";
import { root } from "./files.ts";
import type { Invocation } from "./main.ts";
import type { Command } from "./options.ts";
import { findRun } from "./train.ts";

/** Writes `report.html` into the run folder; returns its path. */
export function writeReport(store: Store, dir: string): string {
  const file = path.join(dir, "report.html");
  fs.writeFileSync(file, reportHtml(loadRun(store), { name: path.basename(dir) }));
  return file;
}

export const reportCommand: Command = {
  name: "report",
  does: "write a run's report again",
  arguments: ["RUN"],
  options: {},
  help: `deno task report RUN

Writes runs/RUN/report.html from the run's records: tables and figures in one file.`,
};

export function reportRun({ positionals }: Invocation): Promise<number> {
  const dir = findRun(positionals[0]);
  using store = Store.open(dir, { readonly: true });
  console.log(path.relative(root, writeReport(store, dir)));
  return Promise.resolve(0);
}
