/**
 * A run's configuration: a preset, overlays and `--set key=value`, resolved and validated before anything starts.
 * What is unknown, of the wrong type or does not fit together is an error that names the key.
 * @module
 */
import { z } from "zod";
import { parse } from "@std/yaml";
import { UsageError } from "../core/mod.ts";
import { type SignalName, signals } from "../reward/mod.ts";

const count = z.int().positive();
const share = z.number().min(0).max(1);

/** The blend's weights and bounds (spade.md section 8). Ours and the paper's: w_p .6, w_r .4, floor on. */
export const blendOptions = z.strictObject({
  regretWeight: z.number().default(0.4),
  progressWeight: z.number().default(0),
  plateauWeight: z.number().default(0.6),
  frontierWeight: z.number().default(0),
  regretFloor: z.boolean().default(true),
  unsigned: z.boolean().default(false),
});

export const configSchema = z.strictObject({
  preset: z.string(),
  overlays: z.array(z.string()).default([]),
  /** One run seed; every generator hangs from it. */
  seed: z.int().nonnegative().default(0),
  /** `embedded` starts our engine on `model`; a URL uses one that already runs. */
  engine: z.string().default("embedded"),
  /** Folder of a transformers causal model, relative to the project. */
  model: z.string(),
  kind: z.enum(["compact"]),
  skills: z.array(z.string()).min(1),
  /** 0 or at least the number of skills: all of them. */
  skillsPerEpoch: z.int().nonnegative(),
  difficulty: z.string().default("medium"),
  /** Environments in a set. */
  environments: count,
  /** Plain plays of an environment per rollout; hinted plays equal it [D1]. */
  plays: count,
  /** Rollouts that share one set of environments. */
  epoch: count,
  /** Rollouts between a designer sample and its update; 0 or a multiple of `epoch` [D20]. */
  delay: z.int().nonnegative(),
  /** Rollouts in all; `resume` goes on to this number. */
  rollouts: count,
  attempts: count.default(5),
  tokens: z.strictObject({ designer: count, agent: count, hint: count }),
  context: count,
  /** Tokens that must be left for another turn. */
  reserve: count.default(64),
  maxTurns: count,
  temperature: z.number().positive().default(1),
  hintTemperature: z.number().nonnegative().default(0.3),
  penaliseInvalid: z.boolean().default(false),
  signal: z.enum(Object.keys(signals) as SignalName[]).default("blend"),
  blend: blendOptions.default(() => blendOptions.parse({})),
  plateau: z.strictObject({
    low: share.default(0.4),
    high: share.default(0.6),
    ramp: z.number().positive().default(0.25),
  }).prefault({}),
  trackers: z.strictObject({ fast: share.default(0.98), slow: share.default(0.85) }).prefault({}),
  returns: z.enum(["last", "sum"]).default("last"),
  scaleCap: z.number().positive().default(50),
  /** β of the k3 term against the starting weights (spade.md section 9); 0: none. */
  klCoefficient: z.number().nonnegative().default(0),
  dropDeadGroups: z.boolean().default(false),
  maskTruncated: z.boolean().default(false),
  adam: z.strictObject({
    learningRate: z.number().positive(),
    beta1: share.default(0.9),
    beta2: share.default(0.98),
    epsilon: z.number().positive().default(1e-8),
    weightDecay: z.number().nonnegative().default(0.1),
    gradClipNorm: z.number().positive().default(1),
  }),
  /** Batches with a larger mean |p0 - q| are refused: sampler and trainer are not the same model. */
  maxDifference: z.number().positive().default(0.25),
  checkpointEvery: count.default(16),
  /** Checkpoints kept on disk. */
  checkpointsKept: count.default(2),
  /** `frozen`: a frozen copy of the starting weights designs and hints. `none`: no designer, `pool` is needed. */
  designer: z.enum(["shared", "frozen", "none"]).default("shared"),
  /** Off: designer samples are stored, not trained. */
  designerLoss: z.boolean().default(true),
  /** JSONL of documents, or null: no documents. */
  corpus: z.string().nullable(),
  documentTokens: count.default(6000),
  memory: z.strictObject({
    seeds: z.int().nonnegative().default(2),
    negatives: z.literal([0, 1]).default(1),
  }).prefault({}),
  memorySize: count.default(200),
  /** Folder of programs for runs without a designer. */
  pool: z.string().nullable().default(null),
  /** A control, not a method: returns permuted within groups, signals within skills. */
  shuffleRewards: z.boolean().default(false),
  heldout: z.string().nullable(),
  /** Rollouts between development-set evaluations. */
  evaluateEvery: count.default(8),
  /** Plays of each held-out environment and mode. */
  evaluationPlays: z.strictObject({ dev: count.default(4), test: count.default(8) }).prefault({}),
  sandbox: z.strictObject({
    requestCpuSeconds: z.number().positive().default(0.2),
    /** Back-stops well above the CPU limits: a play waits for a slow engine, which is not its fault. */
    requestSeconds: z.number().positive().default(30),
    cpuSeconds: z.number().positive().default(2),
    seconds: z.number().positive().default(3600),
    memoryMb: count.default(256),
    concurrency: count.default(64),
  }).prefault({}),
  engineThreads: count.default(1),
});

export type Config = z.infer<typeof configSchema>;

/** The checkpoint-selection rule, declared before the run. */
export const selectionRule =
  "the weights after the last rollout; no checkpoint is chosen by its score";

type Tree = Record<string, unknown>;

/** Reads files of `data/presets`; the caller owns the file system. */
export type PresetReader = (name: string) => string | undefined;

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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

/** Validates a whole configuration, e.g. one read back from a run folder. */
export function checkConfig(tree: unknown): Config {
  const result = configSchema.safeParse(tree);
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

/** What each key allows alone and does not fit together. */
function checkTogether(config: Config): void {
  const { context, tokens, reserve, trackers } = config;
  if (config.delay % config.epoch !== 0) {
    throw new UsageError(
      `Cannot use delay ${config.delay}: must be 0 or a multiple of epoch ${config.epoch} [D20]`,
    );
  }
  if (config.plateau.low > config.plateau.high) {
    throw new UsageError("Cannot use plateau: low must not exceed high");
  }
  if (config.designer === "none" && config.pool === null) {
    throw new UsageError("Cannot run without a designer: pool must name a folder of programs");
  }
  if (config.designer === "frozen" && config.designerLoss) {
    throw new UsageError("Cannot train a frozen designer: designerLoss must be false");
  }
  if (!(trackers.slow > 0 && trackers.slow < trackers.fast)) {
    throw new UsageError("Cannot use trackers: must be 0 < slow < fast");
  }
  const largest = Math.max(tokens.designer, tokens.hint, reserve);
  if (largest >= context) {
    throw new UsageError(
      `Cannot use context ${context}: must be above tokens.designer, tokens.hint and reserve ` +
        `(${largest})`,
    );
  }
}
