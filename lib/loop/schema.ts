/**
 * The schema of a configuration: what each key may be, and its default. What the keys mean is told in `options.ts`.
 * @module
 */
import { z } from "zod";
import type { Same } from "../core/mod.ts";
import { type SignalName, signals } from "../reward/mod.ts";
import type { Config } from "./options.ts";

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

/** Schema of {@link Config}: types, bounds and defaults; what must fit together is checked by `checkConfig`. */
export const configSchema = z.strictObject({
  preset: z.string(),
  overlays: z.array(z.string()).default([]),
  seed: z.int().nonnegative().default(0),
  engine: z.string().default("embedded"),
  engineKeyFile: z.string().nullable().default(null),
  loraRank: z.int().nonnegative().default(0),
  model: z.string(),
  tokenizer: z.string().nullable().default(null),
  kind: z.enum([
    "compact",
    "game-single",
    "game-multiturn",
    "game-corpus",
    "tool-use",
    "folder",
    "rlve",
  ]),
  thinking: z.boolean().default(false),
  skills: z.array(z.string()).default([]),
  skillsPerEpoch: z.int().nonnegative().default(0),
  difficulty: z.string().default("medium"),
  environments: count,
  plays: count,
  hintedPlays: count.nullable().default(null),
  epoch: count,
  delay: z.int().nonnegative(),
  rollouts: count,
  attempts: count.default(5),
  repairTurns: z.int().nonnegative().default(0),
  tokens: z.strictObject({
    designer: count.default(16_384),
    agent: count,
    hint: count.default(4_096),
  }),
  context: count,
  reserve: count.default(64),
  maxTurns: count,
  temperature: z.number().positive().default(1),
  topP: z.number().positive().max(1).default(1),
  topK: z.int().nonnegative().default(0),
  hintTemperature: z.number().nonnegative().default(0.3),
  penaliseInvalid: z.boolean().default(false),
  nearDuplicate: share.nullable(),
  screen: z.boolean().default(false),
  screenRequired: z.boolean().default(false),
  parity: z.boolean().default(false),
  signal: z.enum(Object.keys(signals) as SignalName[]).default("blend"),
  addVariance: z.boolean().default(false),
  blend: blendOptions.default(() => blendOptions.parse({})),
  plateau: z.strictObject({
    low: share.default(0.4),
    high: share.default(0.6),
    ramp: z.number().positive().default(0.25),
  }).prefault({}),
  trackers: z.strictObject({ fast: share.default(0.98), slow: share.default(0.85) }).prefault({}),
  returns: z.enum(["last", "sum"]),
  scaleCap: z.number().positive().default(50),
  objective: z.enum(["two-pass", "one-pass"]).default("two-pass"),
  klCoefficient: z.number().nonnegative().default(0),
  advantages: z.enum(["grpo", "mean-only", "ema-baseline"]).default("grpo"),
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
  maxDifference: z.number().positive().default(0.25),
  checkpointEvery: count.default(16),
  checkpointsKept: count.default(2),
  designer: z.enum(["shared", "frozen", "external", "none"]).default("shared"),
  externalDesigner: z.strictObject({
    engine: z.string().default("embedded"),
    model: z.string(),
    tokenizer: z.string().nullable().default(null),
  }).nullable().default(null),
  designerLoss: z.boolean().default(true),
  late: z.strictObject({
    start: z.int("must be given: the rollout from which the late phase runs").positive(),
    context: count.optional(),
    plateau: z.strictObject({
      low: share.optional(),
      high: share.optional(),
      ramp: z.number().positive().optional(),
    }).default({}),
  }).nullable().default(null),
  corpus: z.string().nullable(),
  documentTokens: count.default(6000),
  memory: z.strictObject({
    seeds: z.int().nonnegative().default(2),
    negatives: z.literal([0, 1]).default(1),
  }).prefault({}),
  memorySize: count.default(200),
  pool: z.string().nullable().default(null),
  controller: z.enum(["none", "window", "progress"]).default("none"),
  window: z.strictObject({
    max: z.int().nonnegative().default(8),
    attempts: count.default(8),
    ratio: share.default(0.9),
    width: count.default(4),
  }).prefault({}),
  shuffleRewards: z.boolean().default(false),
  heldout: z.string().nullable(),
  evaluateEvery: count.default(8),
  evaluationPlays: z.strictObject({ dev: count.default(4), test: count.default(8) }).prefault({}),
  sandbox: z.strictObject({
    requestCpuSeconds: z.number().positive().default(0.2),
    requestSeconds: z.number().positive().default(30),
    cpuSeconds: z.number().positive().default(2),
    seconds: z.number().positive().default(3600),
    memoryMb: count.default(256),
    concurrency: count.default(64),
    packages: z.array(z.string()).default([]),
    level: z.enum(["any", "kernel", "wasm"]).default("any"),
  }).prefault({}),
  engineThreads: count.default(1),
});
true satisfies Same<z.infer<typeof configSchema>, Config>;
