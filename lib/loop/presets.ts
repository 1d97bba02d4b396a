/**
 * A configuration from names: a preset, overlays over it, and `key=value` over both.
 * @module
 */
import { parse } from "@std/yaml";
import { UsageError } from "../core/mod.ts";
import { checkConfig, isTree, type Tree } from "./config.ts";
import type { Config } from "./options.ts";

/** Reads files of `data/presets`; the caller owns the file system. */
export type PresetReader = (name: string) => string | undefined;

function merge(base: Tree, over: Tree): Tree {
  const out: Tree = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const old = out[key];
    out[key] = isTree(old) && isTree(value) ? merge(old, value) : value;
  }
  return out;
}

function parseYaml(text: string, what: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new UsageError(`Cannot read ${what}: ${(cause as Error).message}`, { cause });
  }
}

function load(read: PresetReader, name: string, what: string, known: readonly string[]): Tree {
  const text = read(name);
  if (text === undefined) {
    throw new UsageError(
      `Cannot use ${what} "${name}": it does not exist, must be one of ${known.join(", ")}`,
    );
  }
  const tree = parseYaml(text, `${what} "${name}"`);
  if (!isTree(tree)) throw new UsageError(`Cannot read ${what} "${name}": must be a YAML mapping`);
  return tree;
}

function setKey(tree: Tree, assignment: string): Tree {
  const cut = assignment.indexOf("=");
  if (cut < 1) {
    throw new UsageError(`Cannot set "${assignment}": must be key=value, e.g. rollouts=8`);
  }
  const value = parseYaml(assignment.slice(cut + 1), `the value of "${assignment}"`);
  const path = assignment.slice(0, cut).split(".");
  return merge(tree, path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Tree);
}

/**
 * Resolves a configuration.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const presets: Record<string, string> = {
 *   mine: "{ model: data/nano, kind: compact, skills: [Optimization], environments: 4, plays: 8, epoch: 2, delay: 2, " +
 *     "rollouts: 8, tokens: { agent: 8 }, context: 32768, maxTurns: 12, corpus: null, heldout: null }",
 * };
 * const overlays: Record<string, string> = { slow: "adam: { learningRate: 1.0e-7 }" };
 * const config = resolveConfig({ preset: "mine", overlays: ["slow"], set: ["plays=4"] }, {
 *   preset: (name) => presets[name],
 *   overlay: (name) => overlays[name],
 *   presets: Object.keys(presets),
 *   overlays: Object.keys(overlays),
 * });
 * assert.deepEqual([config.adam.learningRate, config.plays], [1e-7, 4]);
 * ```
 *
 * @throws {UsageError} naming the key, preset or overlay and what it must be.
 */
export function resolveConfig(
  request: { preset: string; overlays?: readonly string[]; set?: readonly string[] },
  read: { preset: PresetReader; overlay: PresetReader; presets: string[]; overlays: string[] },
): Config {
  let tree = load(read.preset, request.preset, "preset", read.presets);
  for (const name of request.overlays ?? []) {
    tree = merge(tree, load(read.overlay, name, "overlay", read.overlays));
  }
  for (const assignment of request.set ?? []) tree = setKey(tree, assignment);
  return checkConfig({ ...tree, preset: request.preset, overlays: [...request.overlays ?? []] });
}
