/** The report that ends a training. @module */
import * as fs from "node:fs";
import * as path from "node:path";
import { loadRun, readLongTables } from "../analysis/mod.ts";
import { reportHtml } from "../show/mod.ts";
import type { Store } from "../store/mod.ts";

/** Writes `report.html` into the run folder; returns its path. */
export function writeReport(store: Store, dir: string): string {
  const file = path.join(dir, "report.html");
  const html = reportHtml(loadRun(store), {
    name: path.basename(dir),
    long: readLongTables(store),
  });
  fs.writeFileSync(file, html);
  return file;
}
