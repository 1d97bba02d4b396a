/** Pools on disk: a JSONL or Parquet file, or a folder of programs. @module */
import * as fs from "node:fs";
import * as path from "node:path";
import { z } from "zod";
import { UsageError } from "../../core/mod.ts";
import {
  collectRows,
  type ParsedPool,
  parsePoolJsonl,
  type ParsePoolOptions,
  parsePoolParquet,
  statedSkill,
} from "../../pool/mod.ts";
import { inProject } from "../files.ts";

/** Columns of `index.json` that say where a program lies and whether a policy was trained on its family. */
const placeColumns = ["file", "seen"];

/**
 * Reads a pool by its kind: `*.jsonl`, `*.parquet`, or a folder with `index.json` or `*.py`.
 *
 * @throws {UsageError} when there is nothing to read, or more than `limit` of the rows are malformed.
 */
export async function readPool(
  place: string,
  options: Pick<ParsePoolOptions, "limit"> = {},
): Promise<ParsedPool> {
  const name = path.basename(place);
  let pool: ParsedPool;
  try {
    const at = inProject(place);
    if (fs.statSync(at).isDirectory()) {
      pool = collectRows(readFolder(at, place), { ...options, name });
    } else if (name.endsWith(".parquet")) {
      pool = await parsePoolParquet(fs.readFileSync(at), { ...options, name });
    } else if (name.endsWith(".jsonl")) {
      pool = parsePoolJsonl(fs.readFileSync(at, "utf8"), { ...options, name });
    } else throw new UsageError(`Cannot read pool ${place}: must be .jsonl, .parquet or a folder`);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const { message } = cause as Error;
    const problem = cause instanceof Deno.errors.NotCapable
      ? `Cannot read pool ${place}: it lies outside the project`
      : message.startsWith("Cannot")
      ? message
      : `Cannot read pool ${place}: ${message}`;
    throw new UsageError(problem, { cause });
  }
  if (pool.rows.length === 0) {
    throw new UsageError(`Cannot use pool ${place}: it holds no environment`);
  }
  return { ...pool, unread: pool.unread.filter((column) => !placeColumns.includes(column)) };
}

const indexFile = z.array(z.looseObject({ file: z.string() }));

/** Fields of a folder's programs, numbered. */
function readFolder(dir: string, name: string): [number, Record<string, unknown>][] {
  const index = path.join(dir, "index.json");
  const entries = fs.existsSync(index) ? parseIndex(index, name) : plainFiles(dir, name);
  return entries.map((entry, i) => {
    if (path.basename(entry.file) !== entry.file) {
      throw new UsageError(`Cannot read pool ${name}: file ${entry.file} must lie in the folder`);
    }
    // The first name a program goes by: no other column of the index can be taken for it.
    const game_code = fs.readFileSync(path.join(dir, entry.file), "utf8");
    return [i + 1, { ...withoutEmpty(entry), game_code }];
  });
}

function parseIndex(file: string, name: string): z.infer<typeof indexFile> {
  let value: unknown;
  try {
    value = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (cause) {
    throw new UsageError(`Cannot read pool ${name}: index.json: ${(cause as Error).message}`);
  }
  const parsed = indexFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path: at, message } = parsed.error.issues[0];
  throw new UsageError(`Cannot read pool ${name}: index.json: ${at.join(".")}: ${message}`);
}

function plainFiles(dir: string, name: string) {
  const names = fs.readdirSync(dir).sort();
  const files = names.filter((file) => file.endsWith(".py"));
  if (files.length === 0) {
    const below = names.filter((file) => fs.statSync(path.join(dir, file)).isDirectory());
    const hint = below.length > 0 ? `; perhaps one of its folders: ${below.join(", ")}` : "";
    throw new UsageError(`Cannot read pool ${name}: it has no index.json and no .py${hint}`);
  }
  return files.map((file) => ({
    file,
    skill: statedSkill(fs.readFileSync(path.join(dir, file), "utf8"), file),
  }));
}

/** An index has "" where a pool has null. */
function withoutEmpty(entry: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== ""));
}
