/** Corpora on disk: a JSONL or Parquet file, or a folder of either or of text files. @module */
import * as fs from "node:fs";
import * as path from "node:path";
import { sha256, UsageError } from "../core/mod.ts";
import {
  dropDuplicates,
  type ParsedCorpus,
  parseFolder,
  parseJsonl,
  type ParseOptions,
  parseParquet,
} from "../corpus/mod.ts";
import { inProject } from "./files.ts";

/** A corpus that was read, and the sha-256 of its file, or of its files' names and hashes. */
export interface CorpusFiles extends ParsedCorpus {
  hash: string;
}

const decoder = new TextDecoder();

/**
 * Reads a corpus by its kind: `*.jsonl` or `*.parquet`; of a folder all such files below it in order of path, or, where
 * it has none, its `*.txt` and `*.md` files, one document each.
 *
 * @throws {UsageError} when there is nothing to read, or more than `limit` of a file's lines are malformed.
 */
export async function readCorpus(
  corpus: string,
  options: Pick<ParseOptions, "limit" | "licence"> = {},
): Promise<CorpusFiles> {
  try {
    const place = inProject(corpus);
    return fs.statSync(place).isDirectory()
      ? await readFolder(place, corpus, options)
      : await readFile(place, path.basename(place), options);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const { message } = cause as Error;
    const told = message.startsWith("Cannot")
      ? message
      : `Cannot read corpus ${corpus}: ${message}`;
    throw new UsageError(told, { cause });
  }
}

async function readFile(file: string, name: string, options: ParseOptions): Promise<CorpusFiles> {
  const bytes = fs.readFileSync(file);
  const hash = sha256(bytes);
  if (name.endsWith(".parquet")) {
    return { ...await parseParquet(bytes, { ...options, name }), hash };
  }
  if (name.endsWith(".jsonl")) {
    return { ...parseJsonl(decoder.decode(bytes), { ...options, name }), hash };
  }
  throw new UsageError(`Cannot read corpus ${name}: must be .jsonl, .parquet or a folder`);
}

async function readFolder(
  folder: string,
  name: string,
  options: ParseOptions,
): Promise<CorpusFiles> {
  const files = (fs.readdirSync(folder, { recursive: true }) as string[]).sort()
    .filter((file) => !path.basename(file).startsWith("."));
  const hashOf = (used: { file: string; hash: string }[]) =>
    sha256(used.map(({ file, hash }) => `${file} ${hash}`).join("\n"));
  const tables = files.filter((file) => /\.(jsonl|parquet)$/.test(file));
  if (tables.length > 0) {
    const read = [];
    for (const file of tables) {
      read.push({ file, ...await readFile(path.join(folder, file), file, options) });
    }
    const all = read.flatMap(({ documents }) => documents);
    const documents = dropDuplicates(all);
    const within = read.reduce((sum, { duplicates }) => sum + duplicates, 0);
    return {
      documents,
      rejects: read.flatMap(({ rejects }) => rejects),
      duplicates: within + all.length - documents.length,
      hash: hashOf(read),
    };
  }
  const texts = files.filter((file) => /\.(txt|md)$/.test(file));
  if (texts.length === 0) {
    throw new UsageError(`Cannot read corpus ${name}: the folder has no jsonl, parquet, txt or md`);
  }
  const read = texts.map((file) => {
    const bytes = fs.readFileSync(path.join(folder, file));
    return { file, path: file, text: decoder.decode(bytes), hash: sha256(bytes) };
  });
  return { ...parseFolder(read, { ...options, name }), hash: hashOf(read) };
}
