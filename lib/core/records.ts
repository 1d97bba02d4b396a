/**
 * Records: everything a run keeps, one zod object a table, same names (spade.md section 14). Columns follow from the
 * shape: integers, numbers, text; token ids and log-probabilities are packed; objects are JSON. Columns marked
 * `measured` (times, costs, hardware) are not compared between runs.
 *
 * What each column means is told at its row's interface, in `rows/`; the compiler checks that both say the same.
 * Every record has `id`, `rollout` (-1: before the first) and its parents' ids. A record is written once, in the
 * transaction that closes its unit of work; only `memory` and `cursor` rows are replaced later.
 * @module
 */
import { z } from "zod";
import { outcome } from "./outcome.ts";
import type { Rows } from "./rows/mod.ts";
import type { Same } from "./same.ts";

/** How a column is stored; read by `lib/store`. */
export const columns = z.registry<{ packed?: "ids" | "floats"; measured?: boolean }>();

/** Token ids, packed as little-endian int32. */
const ids = () => z.array(z.number().int().nonnegative()).register(columns, { packed: "ids" });
/** Log-probabilities and weights, packed as little-endian float64. */
const floats = () => z.array(z.number()).register(columns, { packed: "floats" });
const measured = () => z.number().register(columns, { measured: true });

const base = { id: z.string(), rollout: z.number().int() };
const arm = z.enum(["plain", "hinted"]);

/** Schema of {@link RunRow}. */
export const run = z.object({
  ...base,
  seed: z.number().int(),
  preset: z.string(),
  config: z.record(z.string(), z.unknown()),
  manifest: z.record(z.string(), z.unknown()).register(columns, { measured: true }),
});

/** Schema of {@link DocumentRow}. */
export const document = z.object({
  ...base,
  text: z.string(),
  skill: z.string(),
  origin: z.string(),
  licence: z.string(),
});

/** Schema of {@link ReplyRow}. */
export const reply = z.object({
  ...base,
  role: z.enum(["designer", "hint", "screen"]),
  slot: z.number().int(),
  attempt: z.number().int(),
  skill: z.string(),
  documentId: z.string().nullable(),
  parents: z.array(z.string()),
  prompt: ids(),
  ids: ids(),
  logps: floats(),
  finish: z.enum(["stop", "length"]),
  weightsVersion: z.number().int(),
  text: z.string(),
  runsAsEmitted: z.boolean().nullable(),
  runsExtracted: z.boolean().nullable(),
  accepted: z.boolean(),
  environmentId: z.string().nullable(),
  treeHash: z.string().nullable(),
  cut: z.record(z.string(), z.number()),
  seed: z.number().int(),
});

/** Schema of {@link EnvironmentRow}. */
export const environment = z.object({
  ...base,
  source: z.string(),
  className: z.string(),
  description: z.string(),
  skill: z.string(),
  treeHash: z.string(),
  replyId: z.string().nullable(),
  documentId: z.string().nullable(),
  parents: z.array(z.string()),
});

/** Schema of {@link GateRow}. */
export const gate = z.object({
  ...base,
  replyId: z.string(),
  environmentId: z.string(),
  gate: z.string(),
  verdict: z.enum(["pass", "refuse", "skipped"]),
  reason: z.string(),
  evidence: z.record(z.string(), z.unknown()),
});

/** Schema of {@link HintRow}. */
export const hint = z.object({
  ...base,
  environmentId: z.string(),
  replyId: z.string().nullable(),
  text: z.string().nullable(),
  reason: z.string(),
});

/** Schema of {@link ActiveRow}. */
export const active = z.object({
  ...base,
  slot: z.number().int(),
  environmentId: z.string(),
  skill: z.string(),
  origin: z.enum(["designed", "memory", "kept", "folder"]),
  replyId: z.string().nullable(),
  hint: z.string().nullable(),
});

/** Schema of {@link PlayRow}. */
export const play = z.object({
  ...base,
  environmentId: z.string(),
  arm,
  index: z.number().int(),
  seed: z.number().int(),
  outcome,
  success: z.boolean(),
  terminated: z.boolean(),
  truncated: z.boolean(),
  turns: z.number().int(),
  versionFirst: z.number().int(),
  versionLast: z.number().int(),
  hung: z.boolean(),
  attempts: z.number().int(),
});

/** Schema of {@link TurnRow}. */
export const turn = z.object({
  ...base,
  playId: z.string(),
  index: z.number().int(),
  prompt: ids(),
  ids: ids(),
  logps: floats(),
  finish: z.enum(["stop", "length"]),
  weightsVersion: z.number().int(),
  observation: z.string(),
  text: z.string(),
  action: z.string().nullable(),
  reward: z.number().nullable(),
  rerendered: z.boolean().nullable(),
});

/** Schema of {@link RegretRow}. */
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

/** Schema of {@link SampleRow}. */
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

/** Schema of {@link BatchRow}. */
export const batch = z.object({
  ...base,
  units: z.number().int(),
  agents: z.number().int(),
  designers: z.number().int(),
  scale: z.number(),
  sequences: z.array(z.object({
    unit: z.string(),
    role: z.enum(["agent", "designer"]),
    advantage: z.number(),
    start: z.number().int(),
    length: z.number().int(),
  })),
  ids: ids(),
  logps: floats(),
  mask: ids(),
});

/** Schema of {@link UpdateRow}. */
export const update = z.object({
  ...base,
  batchId: z.string(),
  loss: z.number(),
  gradNorm: z.number().nullable(),
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
  report: z.record(z.string(), z.unknown()).register(columns, { measured: true }),
});

/** Schema of {@link MemoryRow}. */
export const memory = z.object({
  ...base,
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

/** Schema of {@link LedgerRow}. */
export const ledger = z.object({
  ...base,
  role: z.enum(["agent", "designer", "hint", "trainer", "evaluation", "gates"]),
  stage: z.string(),
  promptTokens: z.number().int(),
  completionTokens: z.number().int(),
  calls: z.number().int(),
  seconds: measured(),
});

/** Schema of {@link EventRow}. */
export const event = z.object({
  ...base,
  kind: z.string(),
  message: z.string(),
  data: z.record(z.string(), z.unknown()).register(columns, { measured: true }),
});

/** Schema of {@link CursorRow}. */
export const cursor = z.object({ ...base, value: z.record(z.string(), z.unknown()) });

/** Schema of {@link CheckpointRow}. */
export const checkpoint = z.object({
  ...base,
  engineState: z.string().register(columns, { measured: true }),
  weightsVersion: z.number().int(),
  step: z.number().int(),
  batchId: z.string().nullable(),
});

/** Schema of {@link EvaluationRow}. */
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

// each table's schema and the interface that documents its rows say the same
true satisfies Same<{ [T in keyof typeof records]: z.infer<(typeof records)[T]> }, Rows>;
