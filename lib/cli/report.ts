/**
 * `deno task report`.
 * @module
 */
import * as path from "node:path";
import { Store } from "../store/mod.ts";
import type { Invocation } from "./main.ts";
import type { Command } from "./options.ts";
import { findRun, root } from "./files.ts";
import { writeReport } from "./write_report.ts";

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
