/**
 * Records: everything a run keeps, one zod object a table, same names (spade.md section 14). Columns follow from the
 * shape: integers, numbers, text; token ids and log-probabilities are packed; objects are JSON. Columns marked
 * `measured` (times, costs, hardware) are not compared between runs.
 *
 * Every record has `id`, `rollout` (-1: before the first) and its parents' ids. A record is written once, in the
 * transaction that closes its unit of work; only `memory` and `cursor` rows are replaced later.
 * @module
 */
import { z } from "zod";
import { outcome } from "./outcome.ts";

/** How a column is stored; read by `lib/store`. */
export const columns = z.registry<{ packed?: "ids" | "floats"; measured?: boolean }>();

/** Token ids, packed as little-endian int32. */
const ids = () => z.array(z.number().int().nonnegative()).register(columns, { packed: "ids" });
/** Log-probabilities and weights, packed as little-endian float64. */
const floats = () => z.array(z.number()).register(columns, { packed: "floats" });
const measured = () => z.number().register(columns, { measured: true });

const base = { id: z.string(), rollout: z.number().int() };
const arm = z.enum(["plain", "hinted"]);
export type Arm = z.infer<typeof arm>;

export const run = z.object({
  ...base,
  seed: z.number().int(),
  preset: z.string(),
  /** Every option, resolved. */
  config: z.record(z.string(), z.unknown()),
  /** See `manifest` in lib/store: versions, hashes, hardware, selection rule. */
  manifest: z.record(z.string(), z.unknown()).register(columns, { measured: true }),
});

export const document = z.object({
  ...base,
  text: z.string(),
  skill: z.string(),
  origin: z.string(),
  licence: z.string(),
});

export const reply = z.object({
  ...base,
  role: z.enum(["designer", "hint", "screen"]),
  /** Designer: place in the set, 0..environments-1. Hint and screen: the same slot. */
  slot: z.number().int(),
  attempt: z.number().int(),
  skill: z.string(),
  documentId: z.string().nullable(),
  /** Environment ids of the memory seeds shown. */
  parents: z.array(z.string()),
  prompt: ids(),
  ids: ids(),
  logps: floats(),
  finish: z.enum(["stop", "length"]),
  weightsVersion: z.number().int(),
  text: z.string(),
  /** Runs as emitted / after extraction / passes every gate (designer replies only). */
  runsAsEmitted: z.boolean().nullable(),
  runsExtracted: z.boolean().nullable(),
  accepted: z.boolean(),
  environmentId: z.string().nullable(),
  treeHash: z.string().nullable(),
  /** What was left out of the prompt to keep its budget: memory lines and document tokens. */
  cut: z.record(z.string(), z.number()),
  seed: z.number().int(),
});

export const environment = z.object({
  ...base,
  /** `id` is the sha-256 of the canonical source; a program met again keeps its first row. */
  source: z.string(),
  className: z.string(),
  description: z.string(),
  skill: z.string(),
  treeHash: z.string(),
  replyId: z.string().nullable(),
  documentId: z.string().nullable(),
  parents: z.array(z.string()),
});

export const gate = z.object({
  ...base,
  /** The reply whose program was judged. */
  replyId: z.string(),
  environmentId: z.string(),
  gate: z.string(),
  verdict: z.enum(["pass", "refuse", "skipped"]),
  reason: z.string(),
  evidence: z.record(z.string(), z.unknown()),
});

export const hint = z.object({
  ...base,
  environmentId: z.string(),
  replyId: z.string().nullable(),
  text: z.string().nullable(),
  reason: z.string(),
});

/** An environment active in an epoch; `slot` orders the set. */
export const active = z.object({
  ...base,
  /** Rollout that made the set. */
  slot: z.number().int(),
  environmentId: z.string(),
  skill: z.string(),
  origin: z.enum(["designed", "memory", "kept", "folder"]),
  /** Reply that is trained for this environment, if any. */
  replyId: z.string().nullable(),
  hint: z.string().nullable(),
});

export const play = z.object({
  ...base,
  environmentId: z.string(),
  arm,
  /** Index within the environment and rollout; both arms share seeds by index. */
  index: z.number().int(),
  seed: z.number().int(),
  outcome,
  success: z.boolean(),
  terminated: z.boolean(),
  truncated: z.boolean(),
  turns: z.number().int(),
  /** Weights versions at the first and last turn; different: labelled mixed. */
  versionFirst: z.number().int(),
  versionLast: z.number().int(),
  hung: z.boolean(),
  attempts: z.number().int(),
});

export const turn = z.object({
  ...base,
  playId: z.string(),
  index: z.number().int(),
  /** Ids appended before the reply: the opening prompt, later the observation's delta. */
  prompt: ids(),
  ids: ids(),
  logps: floats(),
  finish: z.enum(["stop", "length"]),
  weightsVersion: z.number().int(),
  observation: z.string(),
  text: z.string(),
  action: z.string().nullable(),
  reward: z.number().nullable(),
  /** True: `prompt` is the whole conversation rendered anew, and the turn a training sequence of its own. */
  rerendered: z.boolean().nullable(),
});

/** Regret of one environment over pairs with equal seeds (spade.md section 8). */
export const regret = z.object({
  ...base,
  environmentId: z.string(),
  outcome,
  pairs: z.number().int(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  interval: z.string(),
  noiseFloor: z.number().nullable(),
  plainMean: z.number().nullable(),
  hintedMean: z.number().nullable(),
});

/** A designer sample waiting for its window; `due` is the rollout whose update trains it. */
export const sample = z.object({
  ...base,
  replyId: z.string(),
  skill: z.string(),
  environmentId: z.string().nullable(),
  kind: z.enum(["accepted", "rejected"]),
  due: z.number().int(),
  state: z.enum(["waiting", "trained", "masked", "dropped"]),
  raw: z.number().nullable(),
  advantage: z.number().nullable(),
  reason: z.string(),
});

/** One update's data: enough to apply it again without sampling. Weights are those of `cross_entropy`. */
export const batch = z.object({
  ...base,
  units: z.number().int(),
  agents: z.number().int(),
  designers: z.number().int(),
  scale: z.number(),
  /** Per trained sequence: its unit, advantage, play or reply, and where its ids lie in `ids`. */
  sequences: z.array(z.object({
    unit: z.string(),
    role: z.enum(["agent", "designer"]),
    advantage: z.number(),
    start: z.number().int(),
    length: z.number().int(),
  })),
  ids: ids(),
  /** Sampler's log-probabilities q, 0 where masked. */
  logps: floats(),
  /** 1 where trained. */
  mask: ids(),
});

export const update = z.object({
  ...base,
  batchId: z.string(),
  loss: z.number(),
  gradNorm: z.number().nullable(),
  /** Mean |p0 - q| over trained tokens, share of clipped weights, largest raw ratio. */
  meanDifference: z.number(),
  clippedShare: z.number(),
  maxRatio: z.number(),
  zeroLogps: z.number().int(),
  designerLoss: z.number(),
  agentLoss: z.number(),
  deadGroups: z.number().int(),
  shortGroups: z.number().int(),
  weightsVersion: z.number().int(),
  learningRate: z.number(),
  /** The report shown to the user; see lib/loop/report.ts. */
  report: z.record(z.string(), z.unknown()).register(columns, { measured: true }),
});

export const memory = z.object({
  ...base,
  /** `id` is the environment's id; `rollout` the one that added it. */
  skill: z.string(),
  source: z.string(),
  description: z.string(),
  winRate: z.number(),
  successRate: z.number(),
  regret: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  plays: z.number().int(),
  hint: z.string().nullable(),
  documentId: z.string().nullable(),
  parents: z.array(z.string()),
  order: z.number().int(),
});

export const ledger = z.object({
  ...base,
  role: z.enum(["agent", "designer", "hint", "trainer", "evaluation", "gates"]),
  stage: z.string(),
  promptTokens: z.number().int(),
  completionTokens: z.number().int(),
  calls: z.number().int(),
  seconds: measured(),
});

export const event = z.object({
  ...base,
  kind: z.string(),
  message: z.string(),
  data: z.record(z.string(), z.unknown()).register(columns, { measured: true }),
});

/** State between rollouts: trackers, corpus cursor, generators, the active set. `id` names it. */
export const cursor = z.object({ ...base, value: z.record(z.string(), z.unknown()) });

export const checkpoint = z.object({
  ...base,
  /** Path that the engine gave; it may hold the run's name. */
  engineState: z.string().register(columns, { measured: true }),
  weightsVersion: z.number().int(),
  step: z.number().int(),
  batchId: z.string().nullable(),
});

/** One held-out play of an evaluation. */
export const evaluation = z.object({
  ...base,
  set: z.enum(["dev", "test"]),
  weights: z.enum(["base", "current"]),
  mode: z.enum(["sampled", "greedy"]),
  environmentId: z.string(),
  family: z.string(),
  seen: z.boolean(),
  index: z.number().int(),
  seed: z.number().int(),
  outcome,
  success: z.boolean(),
  turns: z.number().int(),
});

/** All tables by name. */
export const records = {
  run,
  document,
  reply,
  environment,
  gate,
  hint,
  active,
  play,
  turn,
  regret,
  sample,
  batch,
  update,
  memory,
  ledger,
  event,
  cursor,
  checkpoint,
  evaluation,
} as const;

export type TableName = keyof typeof records;
export type RecordOf<T extends TableName> = z.infer<(typeof records)[T]>;
