/**
 * What the command line reads of the project: presets, models, corpora and held-out programs, each checked, each error
 * naming the file.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { environmentId, sha256, UsageError } from "../core/mod.ts";
import type { FolderProgram } from "../loop/mod.ts";

/** Root of the project. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** Python of one of our environments; see `deno task setup`. */
export function pythonOf(name: "sandbox" | "engine"): string {
  return path.join(root, ".spade", name, "bin", "python");
}

/** A path of the configuration, relative to the project. */
export function inProject(file: string): string {
  return path.isAbsolute(file) ? file : path.join(root, file);
}

/** A file's text, or an error that says what it was needed for. */
export function readText(file: string, what: string): string {
  try {
    return fs.readFileSync(inProject(file), "utf8");
  } catch (cause) {
    throw new UsageError(
      `Cannot read ${what} ${file}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

function yamlNames(folder: string): string[] {
  return fs.readdirSync(folder).filter((name) => name.endsWith(".yaml"))
    .map((name) => name.slice(0, -5)).sort();
}

/** Presets and overlays of `data/presets`. */
export function presetFiles() {
  const presets = path.join(root, "data", "presets");
  const overlays = path.join(presets, "overlays");
  const reader = (folder: string, names: readonly string[]) => (name: string) =>
    names.includes(name) ? fs.readFileSync(path.join(folder, `${name}.yaml`), "utf8") : undefined;
  const presetNames = yamlNames(presets);
  const overlayNames = yamlNames(overlays);
  return {
    presets: presetNames,
    overlays: overlayNames,
    preset: reader(presets, presetNames),
    overlay: reader(overlays, overlayNames),
  };
}

const indexFile = z.array(z.looseObject({
  file: z.string(),
  family: z.string(),
  skill: z.string(),
  seen: z.boolean(),
}));

/** Programs of a folder by its `index.json`, or every `*.py` in it. */
export function readPrograms(folder: string): FolderProgram[] {
  const dir = inProject(folder);
  if (!fs.existsSync(dir)) {
    throw new UsageError(`Cannot read programs: there is no folder ${folder}`);
  }
  const index = path.join(dir, "index.json");
  const entries = fs.existsSync(index)
    ? parseIndex(index)
    : fs.readdirSync(dir).filter((name) => name.endsWith(".py")).sort().map((file) => ({
      file,
      family: file.slice(0, -3),
      skill: "",
      seen: true,
    }));
  if (entries.length === 0) throw new UsageError(`Cannot read programs: ${folder} has none`);
  return entries.map(({ file, family, skill, seen }) => {
    const source = readText(path.join(folder, file), "program");
    return { id: environmentId(source), source, family, skill, seen };
  });
}

function parseIndex(file: string) {
  const parsed = indexFile.safeParse(JSON.parse(fs.readFileSync(file, "utf8")));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UsageError(`Cannot read ${file}: ${issue.path.join(".")}: ${issue.message}`);
}

/** Sha-256 over the files of a folder, names included; null where there is none. */
export function hashFolder(folder: string, keep: (name: string) => boolean): string | null {
  const dir = inProject(folder);
  if (!fs.existsSync(dir)) return null;
  const files = (fs.readdirSync(dir, { recursive: true }) as string[]).filter(keep).sort();
  const lines = files.filter((file) => fs.statSync(path.join(dir, file)).isFile())
    .map((file) => `${file} ${sha256(fs.readFileSync(path.join(dir, file)))}`);
  return sha256(lines.join("\n"));
}

/** Sha-256 over the sources (TypeScript and Python) of some folders. */
export function hashSources(folders: readonly string[]): string {
  const isSource = (file: string) => /\.(ts|py)$/.test(file);
  return sha256(folders.map((folder) => hashFolder(folder, isSource)).join("\n"));
}

/** Commit of the checkout, read from `.git` without running git; null outside one. */
export function commitOf(): string | null {
  try {
    const git = path.join(root, ".git");
    const head = fs.readFileSync(path.join(git, "HEAD"), "utf8").trim();
    if (!head.startsWith("ref: ")) return head;
    const ref = head.slice(5);
    const loose = path.join(git, ref);
    if (fs.existsSync(loose)) return fs.readFileSync(loose, "utf8").trim();
    const packed = fs.readFileSync(path.join(git, "packed-refs"), "utf8");
    return packed.split("\n").find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ?? null;
  } catch {
    return null;
  }
}

/** An existing run by name or path. */
export function findRun(name: string): string {
  const found = [path.join(root, "runs", name), path.resolve(name)].find((dir) =>
    fs.existsSync(path.join(dir, "run.sqlite")) || fs.existsSync(path.join(dir, "manifest.json"))
  );
  if (found) return found;
  const runs = path.join(root, "runs");
  const there = fs.existsSync(runs) ? fs.readdirSync(runs).sort().join(", ") : "";
  throw new UsageError(`Cannot find run ${name}: runs/ holds ${there || "no run yet"}`);
}
