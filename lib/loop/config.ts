/**
 * Checking a run's configuration before anything starts: what is unknown, of the wrong type or does not fit together is
 * an error that names the key.
 * @module
 */
import { UsageError } from "../core/mod.ts";
import type { Config } from "./options.ts";
import { configSchema } from "./schema.ts";

/** Keys and values, as YAML or JSON has them. */
export type Tree = Record<string, unknown>;

/** Whether a value has keys of its own. */
export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Kinds whose environments are taken from a folder or a library. */
const withoutDesigner: readonly Config["kind"][] = ["folder", "rlve"];

/**
 * The configuration as it stands at one rollout: `late` has come into force or not.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const config = checkConfig({
 *   preset: "mine", model: "data/nano", kind: "compact", skills: ["Optimization"], environments: 4, plays: 8, epoch: 2,
 *   delay: 2, rollouts: 8, tokens: { designer: 400, agent: 8, hint: 24 }, context: 1024, maxTurns: 12, corpus: null,
 *   heldout: null, late: { start: 4, plateau: { low: 0.2, high: 0.4 } },
 * });
 * assert.deepEqual([configAt(config, 3).plateau.low, configAt(config, 4).plateau.low], [0.4, 0.2]);
 * ```
 */
export function configAt(config: Config, rollout: number): Config {
  const { late } = config;
  if (late === null || rollout < late.start) return config;
  return {
    ...config,
    context: late.context ?? config.context,
    plateau: { ...config.plateau, ...late.plateau },
  };
}

/** The checkpoint-selection rule, declared before the run. */
export const selectionRule =
  "the weights after the last rollout; no checkpoint is chosen by its score";

/** A key that an overlay or a setting changed. */
export interface ConfigChange {
  /** Dotted. */
  key: string;
  /** Its value in the preset. */
  preset: unknown;
  /** Its value in the run. */
  now: unknown;
}

/**
 * Leaves in which a configuration differs from its preset; arrays are leaves.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const tree = {
 *   preset: "mine", model: "data/nano", kind: "compact", skills: ["Optimization"], environments: 4, plays: 8, epoch: 2,
 *   delay: 2, rollouts: 8, tokens: { designer: 400, agent: 8, hint: 24 }, context: 1024, maxTurns: 12, corpus: null,
 *   heldout: null,
 * };
 * const changed = checkConfig({ ...tree, adam: { learningRate: 1e-4 } });
 * assert.deepEqual(changesOf(checkConfig(tree), changed), [{ key: "adam.learningRate", preset: 1e-6, now: 1e-4 }]);
 * ```
 */
export function changesOf(preset: Config, now: Config): ConfigChange[] {
  const walk = (a: unknown, b: unknown, path: string[]): ConfigChange[] => {
    if (isTree(a) && isTree(b)) {
      const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
      return keys.flatMap((key) => walk(a[key], b[key], [...path, key]));
    }
    const isSame = JSON.stringify(a) === JSON.stringify(b);
    return isSame ? [] : [{ key: path.join("."), preset: a, now: b }];
  };
  return walk(preset, now, []).filter(({ key }) => key !== "overlays");
}

/**
 * Validates a whole configuration, e.g. one read back from a run folder.
 * Keys that are left out get their defaults.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const tree = {
 *   preset: "mine", model: "data/nano", kind: "compact", skills: ["Optimization"], environments: 4, plays: 8, epoch: 2,
 *   delay: 2, rollouts: 8, tokens: { designer: 400, agent: 8, hint: 24 }, context: 1024, maxTurns: 12, corpus: null,
 *   heldout: null,
 * };
 * assert.deepEqual(checkConfig(tree).plateau, { low: 0.4, high: 0.6, ramp: 0.25 });
 * assert.throws(() => checkConfig({ ...tree, delay: 3 }), /must be 0 or a multiple of epoch 2/);
 * ```
 *
 * @throws {UsageError} naming each key that is wrong and what it must be.
 */
export function checkConfig(tree: unknown): Config {
  const result = configSchema.safeParse(withKindDefaults(tree));
  if (!result.success) {
    const lines = result.error.issues.map((issue) =>
      `  ${issue.path.join(".") || "(top)"}: ${issue.message}`
    );
    throw new UsageError(`Cannot use this configuration:\n${lines.join("\n")}`);
  }
  const config = result.data;
  checkTogether(config);
  return config;
}

/** Defaults that hang from the kind. */
function withKindDefaults(tree: unknown): unknown {
  if (!isTree(tree)) return tree;
  const kind = tree.kind as Config["kind"];
  const isFixed = withoutDesigner.includes(kind);
  const returns = kind === "game-corpus" ? "sum" : "last";
  const nearDuplicate = isFixed || kind === "compact" ? null : 0.9;
  const designer = isFixed ? { designer: "none", designerLoss: false } : {};
  return { returns, nearDuplicate, ...designer, ...tree };
}

/** What each key allows alone and does not fit together. */
function checkTogether(config: Config): void {
  const { context, tokens, reserve, trackers } = config;
  if (config.delay % config.epoch !== 0) {
    throw new UsageError(
      `Cannot use delay ${config.delay}: must be 0 or a multiple of epoch ${config.epoch} [D20]`,
    );
  }
  for (const [key, { plateau }] of [["", config], ["late.", lateOf(config)]] as const) {
    if (plateau.low > plateau.high) {
      throw new UsageError(`Cannot use ${key}plateau: low must not exceed high`);
    }
  }
  if (config.late !== null && config.late.start >= config.rollouts) {
    throw new UsageError(
      `Cannot use late.start ${config.late.start}: must be below rollouts (${config.rollouts})`,
    );
  }
  if (config.designer !== "none" && config.skills.length === 0) {
    throw new UsageError("Cannot use skills: must name at least one for a designer");
  }
  if (withoutDesigner.includes(config.kind) && config.designer !== "none") {
    throw new UsageError(
      `Cannot use designer ${config.designer}: kind ${config.kind} has none, must be none`,
    );
  }
  if (config.objective === "one-pass" && config.klCoefficient > 0) {
    throw new UsageError("Cannot use klCoefficient with objective one-pass: must be 0");
  }
  if (config.designer === "none" && config.pool === null) {
    throw new UsageError("Cannot run without a designer: pool must name a folder of programs");
  }
  if (config.controller !== "none" && config.designer !== "none") {
    throw new UsageError(
      `Cannot use controller ${config.controller}: there is a designer, must be none`,
    );
  }
  if (config.controller === "window" && config.kind !== "rlve") {
    throw new UsageError(
      `Cannot use controller window: kind ${config.kind} has no difficulties, must be rlve`,
    );
  }
  if ((config.designer === "frozen" || config.designer === "external") && config.designerLoss) {
    throw new UsageError(
      `Cannot train a designer that is ${config.designer}: designerLoss must be false`,
    );
  }
  if (config.designer === "external" && config.externalDesigner === null) {
    throw new UsageError(
      "Cannot use designer external: externalDesigner.model must name the other model",
    );
  }
  if (!(trackers.slow > 0 && trackers.slow < trackers.fast)) {
    throw new UsageError("Cannot use trackers: must be 0 < slow < fast");
  }
  const designs = config.designer !== "none";
  const largest = Math.max(reserve, ...(designs ? [tokens.designer, tokens.hint] : []));
  if (largest >= context) {
    throw new UsageError(
      `Cannot use context ${context}: must be above tokens.designer, tokens.hint and reserve ` +
        `(${largest})`,
    );
  }
}

function lateOf(config: Config): Config {
  return configAt(config, config.late?.start ?? 0);
}
