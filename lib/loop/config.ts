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
  /**
   * `embedded` starts our engine on `model`; a URL, or KIND:URL, uses one that already runs; tape:FILE plays a recorded
   * one back; empty: must be given.
   */
  engine: z.string().default("embedded"),
  /** File that holds the engine's API key: the key itself is never stored. */
  engineKeyFile: z.string().nullable().default(null),
  /** Rank of the adapters that train; 0: all weights train. */
  loraRank: z.int().nonnegative().default(0),
  /** Folder of a transformers causal model, relative to the project; empty: must be given. */
  model: z.string(),
  /** Folder of the model's tokenizer and chat template. @default the model's folder */
  tokenizer: z.string().nullable().default(null),
  /** Kinds of environment; `folder` and `rlve` have no designer. */
  kind: z.enum([
    "compact",
    "game-single",
    "game-multiturn",
    "game-corpus",
    "tool-use",
    "folder",
    "rlve",
  ]),
  /** Both roles think before they answer; the model's template must know it. */
  thinking: z.boolean().default(false),
  skills: z.array(z.string()).default([]),
  /** 0 or at least the number of skills: all of them. */
  skillsPerEpoch: z.int().nonnegative().default(0),
  difficulty: z.string().default("medium"),
  /** Environments in a set. */
  environments: count,
  /** Plain plays of an environment per rollout. */
  plays: count,
  /** Hinted plays of a new environment; null: as many as `plays` [D1]. */
  hintedPlays: count.nullable().default(null),
  /** Rollouts that share one set of environments. */
  epoch: count,
  /** Rollouts between a designer sample and its update; 0 or a multiple of `epoch` [D20]. */
  delay: z.int().nonnegative(),
  /** Rollouts in all; `resume` goes on to this number. */
  rollouts: count,
  attempts: count.default(5),
  /** In one attempt: how often a refused program is shown its error and asked for again. */
  repairTurns: z.int().nonnegative().default(0),
  /** Longest reply of each role; an opinion of the screen may be as long as a hint. */
  tokens: z.strictObject({
    designer: count.default(16_384),
    agent: count,
    hint: count.default(4_096),
  }),
  context: count,
  /** Tokens that must be left for another turn. */
  reserve: count.default(64),
  maxTurns: count,
  temperature: z.number().positive().default(1),
  /** Of both roles; below 1 only where the engine corrects for it [D19]. */
  topP: z.number().positive().max(1).default(1),
  /** 0: off; else only where the engine corrects for it [D19]. */
  topK: z.int().nonnegative().default(0),
  /** Of hints and of the screen's opinions. */
  hintTemperature: z.number().nonnegative().default(0.3),
  penaliseInvalid: z.boolean().default(false),
  /**
   * Programs are refused that share a larger part of their pieces with an environment of this run; null: none for it.
   * @default null for `compact`, whose programs have one form, else .9
   */
  nearDuplicate: share.nullable(),
  /** The designer's side gives its opinion as the last gate. */
  screen: z.boolean().default(false),
  /** A screen without an answer refuses. */
  screenRequired: z.boolean().default(false),
  /** Published parsing of replies and actions, published rules for what is missing. */
  parity: z.boolean().default(false),
  signal: z.enum(Object.keys(signals) as SignalName[]).default("blend"),
  /** `learning-potential` also pays `variance` of the same plays. */
  addVariance: z.boolean().default(false),
  blend: blendOptions.default(() => blendOptions.parse({})),
  plateau: z.strictObject({
    low: share.default(0.4),
    high: share.default(0.6),
    ramp: z.number().positive().default(0.25),
  }).prefault({}),
  trackers: z.strictObject({ fast: share.default(0.98), slow: share.default(0.85) }).prefault({}),
  /** @default sum for `game-corpus` [D13], else last */
  returns: z.enum(["last", "sum"]),
  scaleCap: z.number().positive().default(50),
  /**
   * `two-pass`: the trainer's log-probabilities first, then weights -dL/dlogp, on any server. `one-pass`: the server's own
   * importance sampling, a third less work; the ratio is not truncated at 2 and there is no k3 term.
   */
  objective: z.enum(["two-pass", "one-pass"]).default("two-pass"),
  /** β of the k3 term against the starting weights (spade.md section 9); 0: none. */
  klCoefficient: z.number().nonnegative().default(0),
  /** What a return is compared with: its group's mean and spread, the mean only, or the past (section 9). */
  advantages: z.enum(["grpo", "mean-only", "ema-baseline"]).default("grpo"),
  /** Decay of the running mean of `ema-baseline`. */
  baselineDecay: share.default(0.9),
  dropDeadGroups: z.boolean().default(false),
  maskTruncated: z.boolean().default(false),
  adam: z.strictObject({
    learningRate: z.number().positive().default(1e-6),
    beta1: share.default(0.9),
    beta2: share.default(0.98),
    epsilon: z.number().positive().default(1e-8),
    weightDecay: z.number().nonnegative().default(0.1),
    gradClipNorm: z.number().positive().default(1),
  }).prefault({}),
  /** Batches with a larger mean |p0 - q| are refused: sampler and trainer are not the same model. */
  maxDifference: z.number().positive().default(0.25),
  checkpointEvery: count.default(16),
  /** Checkpoints kept on disk. */
  checkpointsKept: count.default(2),
  /**
   * `frozen`: a frozen copy of the starting weights designs and hints. `external`: the model of `externalDesigner` does.
   * `none`: no designer, `pool` is needed.
   */
  designer: z.enum(["shared", "frozen", "external", "none"]).default("shared"),
  /** Another model that designs and hints: as `engine`, `model` and `tokenizer`. */
  externalDesigner: z.strictObject({
    engine: z.string().default("embedded"),
    model: z.string(),
    tokenizer: z.string().nullable().default(null),
  }).nullable().default(null),
  /** Off: designer samples are stored, not trained. */
  designerLoss: z.boolean().default(true),
  /** From rollout `start` on: another context and band. */
  late: z.strictObject({
    start: z.int("must be given: the rollout from which the late phase runs").positive(),
    context: count.optional(),
    plateau: z.strictObject({
      low: share.optional(),
      high: share.optional(),
      ramp: z.number().positive().optional(),
    }).default({}),
  }).nullable().default(null),
  /** JSONL of documents, or null: no documents; empty: must be given. */
  corpus: z.string().nullable(),
  documentTokens: count.default(6000),
  memory: z.strictObject({
    seeds: z.int().nonnegative().default(2),
    negatives: z.literal([0, 1]).default(1),
  }).prefault({}),
  memorySize: count.default(200),
  /**
   * Environments of runs without a designer; empty: must be given. `folder`: a folder of programs. `rlve`: a folder of
   * verifier files, or `reasoning-gym`, or `reasoning-gym:NAME,NAME` for some of its data sets.
   */
  pool: z.string().nullable().default(null),
  /** How sets are drawn from the pool: evenly, by difficulty windows (`rlve`), or where success is changing. */
  controller: z.enum(["none", "window", "progress"]).default("none"),
  /** Difficulty of verifier environments, whatever the controller up to `max`; how windows climb. */
  window: z.strictObject({
    max: z.int().nonnegative().default(8),
    /** Plays at the window's highest difficulty after which it is judged. */
    attempts: count.default(8),
    /** Share of successes that makes it climb. */
    ratio: share.default(0.9),
    /** Difficulties in it at most. */
    width: count.default(4),
  }).prefault({}),
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
    /** Modules that programs may import beside the usual ones. */
    packages: z.array(z.string()).default([]),
    /** `any`: the kernel's wall, or wasm where the kernel gives none. */
    level: z.enum(["any", "kernel", "wasm"]).default("any"),
  }).prefault({}),
  engineThreads: count.default(1),
});

export type Config = z.infer<typeof configSchema>;

/** Kinds whose environments are taken from a folder or a library. */
const withoutDesigner: readonly Config["kind"][] = ["folder", "rlve"];

/** The configuration as it stands at one rollout: `late` has come into force or not. */
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

/** A key that an overlay or a setting changed. */
export interface ConfigChange {
  /** Dotted. */
  key: string;
  preset: unknown;
  now: unknown;
}

/** Leaves in which a configuration differs from its preset; arrays are leaves. */
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

/** Validates a whole configuration, e.g. one read back from a run folder. */
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
