/**
 * What every column means, for the schema page and for tables shown to people. The type is
 * exhaustive: a column without a meaning does not compile.
 * @module
 */
import type { RecordOf, TableName } from "../core/mod.ts";

/**
 * Meaning of each table (`table`) and of its columns besides `id` and `rollout`, which are the same
 * everywhere.
 */
export type Meanings = {
  [T in TableName]:
    & { table: string }
    & { [C in Exclude<keyof RecordOf<T>, "id" | "rollout">]: string };
};

const environmentId = "environment";
const outcome = "scored with value, failed with blame and reason, or skipped with reason";
const weightsVersion = "version of the weights that sampled it";
const finish = "`stop`: ended by a stop id; `length`: cut at the limit";
const sampledIds = "sampled token ids, the stop id included";
const sampledLogps = "natural log-probability of each sampled id under the sampler";
const seed = "sampling seed";
const parents = "environments shown to the designer from memory";
const documentId = "document it is grounded in";

/** The meanings, table by table. */
export const meanings: Meanings = {
  run: {
    table: "The run; one row",
    seed: "the seed all others are derived from",
    preset: "name of the preset",
    config: "every option, resolved",
    manifest: "the manifest as in manifest.json",
  },
  document: {
    table: "A corpus document that was drawn",
    text: "the text as shown, truncated by tokens",
    skill: "skill it was drawn for",
    origin: "where it comes from",
    licence: "its licence",
  },
  reply: {
    table: "A reply of the designer's side: a program, a hint, or an opinion about a program",
    role: "what was asked for",
    slot: "place in the environment set",
    attempt: "0 for the first try",
    skill: "skill asked for",
    documentId,
    parents,
    prompt: "token ids of the prompt",
    ids: sampledIds,
    logps: sampledLogps,
    finish,
    weightsVersion,
    text: "the reply's text, derived from its ids",
    runsAsEmitted: "whether the program runs as emitted; null for others",
    runsExtracted: "whether it runs after extraction; null for others",
    accepted: "whether it passed every gate, the hint was usable, or the opinion could be read",
    environmentId: "environment it defines, explains or judges",
    treeHash: "hash of the program's normalised syntax tree",
    cut: "what was left out of the prompt to make it fit, by name",
    seed,
  },
  environment: {
    table: "A program; `id` is the sha-256 of its canonical source",
    source: "the canonical source",
    className: "its class",
    description: "one line",
    skill: "skill it exercises",
    treeHash: "hash of its normalised syntax tree",
    replyId: "reply that wrote it; null for one from a folder",
    documentId,
    parents,
  },
  gate: {
    table: "The verdict of one gate on one reply's program",
    replyId: "reply judged",
    environmentId,
    gate: "name of the gate",
    verdict: "`skipped`: it could not judge, and neither admits nor refuses",
    reason: "why, in a word",
    evidence: "what the gate saw",
  },
  hint: {
    table: "The hint of an environment",
    environmentId,
    replyId: "reply that wrote it",
    text: "the hint; null where there is none",
    reason: "why there is none",
  },
  active: {
    table: "An environment active in an epoch; `rollout` is the one that made the set",
    slot: "place in the set",
    environmentId,
    skill: "skill it stands for",
    origin: "how it came into the set",
    replyId: "reply trained for it, if any",
    hint: "hint used in the hinted arm",
  },
  play: {
    table: "One episode on one instance",
    environmentId,
    arm: "with or without the hint",
    index: "index within environment and rollout; equal in both arms for equal seeds",
    seed: "environment seed",
    outcome,
    success: "terminated with a return of 1",
    terminated: "the program ended it",
    truncated: "the program or a limit cut it",
    turns: "number of turns",
    versionFirst: "weights version at the first turn",
    versionLast: "weights version at the last turn; another: a mixed play",
    hung: "whether a deadline ended it",
    attempts: "times it was tried",
  },
  turn: {
    table: "One reply of the agent and its consequence",
    playId: "play it belongs to",
    index: "number within the play, from 0",
    prompt: "ids appended before the reply: the opening prompt, later what the observation adds",
    ids: sampledIds,
    logps: sampledLogps,
    finish,
    weightsVersion,
    observation: "what the agent was shown before it",
    text: "the reply's text, derived from its ids",
    action: "what the program received; null where no action was found",
    reward: "what the program gave; null where it gave none",
    rerendered:
      "true: the prompt is the whole conversation rendered anew, and the turn a training sequence of its own; null: it adds to the turns before",
  },
  regret: {
    table: "Regret of one environment",
    environmentId,
    outcome,
    pairs: "pairs of plays with equal seeds",
    low: "lower end of its interval",
    high: "upper end of its interval",
    interval: "method and level of the interval",
    noiseFloor: "clipped signal to expect at zero true regret",
    plainMean: "mean plain return of the pairs",
    hintedMean: "mean hinted return of the pairs",
  },
  sample: {
    table: "A designer reply waiting to be trained",
    replyId: "the reply",
    skill: "its skill; advantages are taken within it",
    environmentId,
    kind: "whether its program was accepted",
    due: "rollout whose update trains it",
    state: "what became of it",
    raw: "raw designer reward; null where missing",
    advantage: "its advantage; null where missing",
    reason: "why it is masked, dropped or missing",
  },
  batch: {
    table: "The data of one update: enough to apply it again without sampling",
    units: "units of both roles, U",
    agents: "agent plays",
    designers: "designer replies",
    scale: "designer scale S",
    sequences: "per sequence: unit, role, advantage, and where its ids lie",
    ids: "token ids of all sequences, one after another",
    logps: "the sampler's log-probabilities; 0 where masked",
    mask: "1 where trained",
  },
  update: {
    table: "An applied update",
    batchId: "batch applied",
    loss: "loss before the step",
    gradNorm: "gradient norm before clipping; null where unknown",
    meanDifference:
      "mean of |p0 - q| over trained tokens, trainer's less sampler's log-probability",
    clippedShare: "share of clipped weights",
    maxRatio: "largest raw ratio",
    zeroLogps: "trained tokens with log-probability exactly 0",
    designerLoss: "the designer units' part of the loss",
    agentLoss: "the agent units' part of the loss",
    deadGroups: "groups without spread",
    shortGroups: "groups short of plays",
    weightsVersion: "version after the update",
    learningRate: "learning rate used",
    report: "the report shown to the user",
  },
  memory: {
    table: "An environment remembered; `id` is the environment's, `rollout` the one that added it",
    skill: "its skill",
    source: "its source",
    description: "one line",
    winRate: "mean plain return of scored plays",
    successRate: "share of successes",
    regret: "its regret; null where missing",
    low: "lower end of the regret's interval",
    high: "upper end of the regret's interval",
    plays: "plays counted",
    hint: "its hint",
    documentId,
    parents,
    order: "place in time; the smallest leaves first",
  },
  ledger: {
    table: "What one stage used",
    role: "who used it",
    stage: "stage of the rollout",
    promptTokens: "prompt tokens",
    completionTokens: "sampled tokens",
    calls: "calls",
    seconds: "wall seconds",
  },
  event: {
    table: "Something worth telling; not compared between runs",
    kind: "kind of event",
    message: "the words",
    data: "details",
  },
  cursor: {
    table: "State between rollouts; `id` names it",
    value: "the state",
  },
  checkpoint: {
    table: "A point to resume from",
    engineState: "where the engine saved weights, optimiser and state",
    weightsVersion: "version saved",
    step: "optimiser steps applied",
    batchId: "last batch applied",
  },
  evaluation: {
    table: "One held-out play of an evaluation",
    set: "which held-out set",
    weights: "starting or current weights",
    mode: "how actions were chosen",
    environmentId,
    family: "family of environments",
    seen: "whether the family is among those trained",
    index: "index of the play",
    seed: "environment seed",
    outcome,
    success: "terminated with a return of 1",
    turns: "number of turns",
  },
};
