/** A pool as a folder: programs, and `index.json` with what is known about them. @module */
import * as fs from "node:fs";
import * as path from "node:path";
import { poolFile, type PoolRow } from "../../pool/mod.ts";

/** Writes the programs and their index; `extra` adds columns to a row of the index. */
export function writePoolFolder(
  dir: string,
  rows: readonly PoolRow[],
  extra: (row: PoolRow) => Record<string, unknown> = () => ({}),
): void {
  fs.mkdirSync(dir, { recursive: true });
  const entries = rows.map((row) => {
    const file = poolFile(row);
    const { source, skill, family, ...facts } = row;
    fs.writeFileSync(path.join(dir, file), source);
    // Not held out: whoever evaluates on it says so.
    return { file, skill: skill ?? "", family: family ?? "", seen: true, ...facts, ...extra(row) };
  });
  fs.writeFileSync(path.join(dir, "index.json"), JSON.stringify(entries, null, 1) + "\n");
}
