/**
 * The manifest: what a run was made with (spade.md section 14). Written once, before anything is
 * computed, to manifest.json and into the `run` row; what is different at a resume is appended to
 * amendments.jsonl.
 * @module
 */
import * as fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { StoreError } from "../core/mod.ts";
import { appendLine, readLines, runPaths, writeAside } from "./folder.ts";

const hash = z.string();
const object = z.record(z.string(), z.unknown());

export const manifest = z.strictObject({
  /** Version of this file's form. */
  format: z.literal(1),
  /**
   * `commit` and `diffHash` (sha-256 of the uncommitted difference) are null where there is no
   * repository or none.
   */
  toolkit: z.strictObject({
    version: z.string(),
    commit: z.string().nullable(),
    diffHash: hash.nullable(),
  }),
  /** Deno, SQLite, Python, engine libraries, …: name to version. */
  versions: z.record(z.string(), z.string()),
  hardware: z.strictObject({
    os: z.string(),
    architecture: z.string(),
    cpu: z.string(),
    cores: z.number().int(),
    memoryMb: z.number(),
    accelerators: z.array(z.string()),
  }),
  model: z.strictObject({
    id: z.string(),
    revision: z.string().nullable(),
    hash: hash.nullable(),
  }),
  /** Null for presets without one. */
  corpus: z.strictObject({ name: z.string(), hash, documents: z.number().int() }).nullable(),
  prompts: z.strictObject({ version: z.string(), hash }),
  /** Every option, resolved. */
  config: object,
  /** `run` and any other: name to seed. */
  seeds: z.record(z.string(), z.number().int()),
  engine: z.strictObject({ name: z.string(), version: z.string(), flags: z.array(z.string()) }),
  /** Level, and each layer: true or why not. */
  sandbox: z.strictObject({
    level: z.string(),
    layers: z.record(z.string(), z.union([z.literal(true), z.string()])),
  }),
  /** How the checkpoint that is reported will be chosen; declared before the run. */
  selection: z.string().min(1),
  /** ISO time of the start. */
  startedAt: z.string(),
  /** The command line. */
  command: z.array(z.string()),
});
export type Manifest = z.infer<typeof manifest>;

export interface Difference {
  /** Dotted, e.g. `engine.version`. */
  path: string;
  before: unknown;
  after: unknown;
}

/** What a resume found different. */
export const amendment = z.strictObject({
  /** ISO time. */
  at: z.string(),
  /** Rollout that the resume starts with. */
  rollout: z.number().int(),
  reason: z.string(),
  differences: z.array(
    z.strictObject({ path: z.string(), before: z.unknown(), after: z.unknown() }),
  ),
});
export type Amendment = z.infer<typeof amendment>;

/** Throws a {@link TypeError} naming the field that is wrong. */
export function parseManifest(value: unknown): Manifest {
  const parsed = manifest.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new TypeError(`Cannot use manifest: "${issue.path.join(".")}": ${issue.message}`, {
    cause: parsed.error,
  });
}

export function writeManifest(path: string, value: Manifest): void {
  writeAside(path, JSON.stringify(value, undefined, 2) + "\n");
}

/** Manifest and amendments of a run folder. */
export function readManifest(dir: string): { manifest: Manifest; amendments: Amendment[] } {
  const paths = runPaths(dir);
  let value: unknown;
  try {
    value = JSON.parse(fs.readFileSync(paths.manifest, "utf8"));
  } catch (cause) {
    throw new StoreError(`Cannot read ${paths.manifest}: it must be a run's manifest`, { cause });
  }
  const lines = readLines(paths.amendments).values;
  return { manifest: parseManifest(value), amendments: lines.map((line) => amendment.parse(line)) };
}

/** Appends to amendments.jsonl; nothing written before is touched. */
export function appendAmendment(dir: string, value: Amendment): void {
  appendLine(runPaths(dir).amendments, amendment.parse(value));
}

/** Leaves of two JSON values that differ, by dotted path; arrays are leaves. */
export function differencesOf(before: unknown, after: unknown, path = ""): Difference[] {
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) =>
      differencesOf(before[key], after[key], path === "" ? key : `${path}.${key}`)
    );
  }
  return isDeepStrictEqual(before, after) ? [] : [{ path, before, after }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
