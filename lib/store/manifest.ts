/**
 * The manifest: what a run was made with (spade.md section 14). Written once, before anything is
 * computed, to manifest.json and into the `run` row; what is different at a resume is appended to
 * amendments.jsonl.
 * @module
 */
import * as fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type Same, StoreError } from "../core/mod.ts";
import { appendLine, readLines, runPaths, writeAside } from "./folder.ts";

/** What a run was made with; written once, before anything is computed. */
export type Manifest = {
  /** Version of this file's form. */
  format: 1;
  /** The toolkit: `commit` and `diffHash` (sha-256 of the uncommitted difference) are null where there is none. */
  toolkit: { version: string; commit: string | null; diffHash: string | null };
  /** Deno, SQLite, Python, engine libraries and others: name to version. */
  versions: Record<string, string>;
  /** The machine that runs the loop. */
  hardware: {
    os: string;
    architecture: string;
    cpu: string;
    cores: number;
    memoryMb: number;
    accelerators: string[];
  };
  /** The trained model; `hash` is over its files, null where they are not ours to read. */
  model: { id: string; revision: string | null; hash: string | null };
  /** The corpus; null for presets without one. */
  corpus: { name: string; hash: string; documents: number } | null;
  /** The prompts' version, and the hash of their text. */
  prompts: { version: string; hash: string };
  /** Every option, resolved. */
  config: Record<string, unknown>;
  /** `run` and any other: name to seed. */
  seeds: Record<string, number>;
  /** The engine, and the flags it was started with. */
  engine: { name: string; version: string; flags: string[] };
  /** Level, and each layer: true or why not. */
  sandbox: { level: string; layers: Record<string, true | string> };
  /** How the checkpoint that is reported will be chosen; declared before the run. */
  selection: string;
  /** ISO time of the start. */
  startedAt: string;
  /** The command line. */
  command: string[];
};

/** What a resume found different. */
export interface Amendment {
  /** ISO time. */
  at: string;
  /** Rollout that the resume starts with. */
  rollout: number;
  /** Why the run goes on in spite of it. */
  reason: string;
  /** What differs from the manifest. */
  differences: Difference[];
}

/** One leaf in which two values differ. */
export interface Difference {
  /** Dotted, e.g. `engine.version`. */
  path: string;
  /** In the first; undefined where it has none. */
  before: unknown;
  /** In the second. */
  after: unknown;
}

const hash = z.string();
const object = z.record(z.string(), z.unknown());

/** Schema of {@link Manifest}. */
export const manifest = z.strictObject({
  format: z.literal(1),
  toolkit: z.strictObject({
    version: z.string(),
    commit: z.string().nullable(),
    diffHash: hash.nullable(),
  }),
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
  corpus: z.strictObject({ name: z.string(), hash, documents: z.number().int() }).nullable(),
  prompts: z.strictObject({ version: z.string(), hash }),
  config: object,
  seeds: z.record(z.string(), z.number().int()),
  engine: z.strictObject({ name: z.string(), version: z.string(), flags: z.array(z.string()) }),
  sandbox: z.strictObject({
    level: z.string(),
    layers: z.record(z.string(), z.union([z.literal(true), z.string()])),
  }),
  selection: z.string().min(1),
  startedAt: z.string(),
  command: z.array(z.string()),
});
true satisfies Same<z.infer<typeof manifest>, Manifest>;

/** Schema of {@link Amendment}. */
export const amendment = z.strictObject({
  at: z.string(),
  rollout: z.number().int(),
  reason: z.string(),
  differences: z.array(
    z.strictObject({ path: z.string(), before: z.unknown(), after: z.unknown() }),
  ),
});
true satisfies Same<z.infer<typeof amendment>, Amendment>;

/** Throws a {@link TypeError} naming the field that is wrong. */
export function parseManifest(value: unknown): Manifest {
  const parsed = manifest.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new TypeError(`Cannot use manifest: "${issue.path.join(".")}": ${issue.message}`, {
    cause: parsed.error,
  });
}

/** Writes it so that it is there entirely or not at all. */
export function writeManifest(path: string, value: Manifest): void {
  writeAside(path, JSON.stringify(value, undefined, 2) + "\n");
}

/**
 * Manifest and amendments of a run folder.
 *
 * ```ts ignore
 * import { readManifest } from "@spade/spade";
 *
 * const { manifest, amendments } = readManifest("runs/nano");
 * console.log(manifest.engine.version, amendments.length, "resumes that changed something");
 * ```
 *
 * @throws StoreError when the manifest is missing or damaged
 */
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

/**
 * Leaves of two JSON values that differ, by dotted path; arrays are leaves.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const before = { engine: { name: "embedded", version: "1" }, skills: ["a"] };
 * const after = { engine: { name: "embedded", version: "2" }, skills: ["a"] };
 * assert.deepEqual(differencesOf(before, after), [{ path: "engine.version", before: "1", after: "2" }]);
 * ```
 */
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
