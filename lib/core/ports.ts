/**
 * Ports: what the loop needs of the outside, and nothing about who provides it. Adapters live in `lib/engine`
 * (Sampler, Trainer), `lib/sandbox` (Sandbox) and `lib/engine/text` (Tokenizer, Chat). All token data are ids.
 * @module
 */
import type { Result } from "./outcome.ts";
import type { RecordOf } from "./records.ts";

/** Restricted sampling is refused for trained tokens unless the engine corrects for it [D19]. */
export interface SamplingParams {
  /** New tokens at most, the stop token included. */
  maxTokens: number;
  /** 0 is greedy; log-probabilities are then those at temperature 1. */
  temperature: number;
  /** @default 1 */
  topP?: number;
  /** @default -1 (off) */
  topK?: number;
  /** Token ids that end a reply; the id that ended it is part of the reply. */
  stopIds: readonly number[];
}

export interface SampleRequest {
  prompt: readonly number[];
  params: SamplingParams;
  /** In [0, 2^31); the reply is a function of weights, prompt, params and seed only. */
  seed: number;
}

export interface SampleReply {
  ids: number[];
  /** Natural log-probability of each id under the sampler, same length as `ids`. */
  logps: number[];
  finish: "stop" | "length";
  weightsVersion: number;
}

/** Draws replies. Concurrent calls may be coalesced into one request; the results do not depend on that. */
export interface Sampler {
  sample(request: SampleRequest, options?: { signal?: AbortSignal }): Promise<SampleReply>;
}

/** One training sequence: position i of `input` predicts `target[i]`; all arrays have the same length. */
export interface Datum {
  input: readonly number[];
  target: readonly number[];
  /** Per position: -dL/dlogp for `cross_entropy`; zero where nothing is trained. */
  weights?: readonly number[];
  /** Reference log-probabilities for `importance_sampling` and `ppo`. */
  logps?: readonly number[];
  advantages?: readonly number[];
}

export type LossName = "cross_entropy" | "importance_sampling" | "ppo" | "cispo";

export interface AdamParams {
  learningRate: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
  gradClipNorm: number;
}

export interface TrainerState {
  /** Optimiser steps applied so far. */
  step: number;
  /** Number of the published weights; 0 are the starting weights. */
  weightsVersion: number;
  /** Id of the last batch applied; a batch is never applied twice. */
  lastBatchId?: string;
}

/** Updates the weights. Calls are executed in order; losses are sums, normalised by the caller. */
export interface Trainer {
  readonly capabilities: TrainerCapabilities;
  state(options?: { signal?: AbortSignal }): Promise<TrainerState>;
  /** Log-probability of each target under the current weights; one array a datum. */
  forward(data: readonly Datum[], options?: { signal?: AbortSignal }): Promise<number[][]>;
  /** Accumulates gradients of the summed loss. Returns log-probabilities and the loss. */
  forwardBackward(
    data: readonly Datum[],
    loss: LossName,
    options?: { config?: Record<string, number>; signal?: AbortSignal },
  ): Promise<{ logps: number[][]; loss: number }>;
  /** As {@link forward}, under a second, never-updated model of the starting weights; see `capabilities.reference`. */
  reference?(data: readonly Datum[], options?: { signal?: AbortSignal }): Promise<number[][]>;
  /** One Adam step on the accumulated gradients. `applied` is false when `batchId` was the last one applied. */
  optimStep(
    adam: AdamParams,
    options: { batchId: string; signal?: AbortSignal },
  ): Promise<{ applied: boolean; gradNorm?: number }>;
  /** Makes the current weights the sampler's. Returns the new weights version. */
  publish(options?: { signal?: AbortSignal }): Promise<number>;
  /**
   * One update by a trainer that takes whole batches and has the objective of spade.md section 9 itself, its sampler's
   * weights included; `forward` and its likes are then refused. A batch it has had is not applied again.
   */
  takeBatch?(
    batch: RecordOf<"batch">,
    options?: { signal?: AbortSignal },
  ): Promise<{ weightsVersion: number }>;
  /** Writes weights, optimiser and state aside under `name`, then renames. Returns a path for {@link load}. */
  save(name: string, options?: { signal?: AbortSignal }): Promise<string>;
  load(path: string, options?: { signal?: AbortSignal }): Promise<TrainerState>;
}

export interface TrainerCapabilities {
  engine: string;
  engineVersion: string;
  model: string;
  maxContext: number;
  adamPerCall: boolean;
  batchIds: boolean;
  reference: boolean;
  /** Whether a row's bits are its own, whatever is computed beside it; undefined where the engine does not say. */
  rowExact?: boolean;
}

/** An engine: one trainer, a sampler of its published weights and one of its starting weights. */
export interface Engine extends AsyncDisposable {
  readonly trainer: Trainer;
  /** Samples from the last published weights. */
  readonly sampler: Sampler;
  /** Samples from the weights the engine started with (a frozen copy). */
  readonly base: Sampler;
  /** Tail of the engine's log, for error messages. */
  log(): string;
  /** Removes saved states but those given; an engine that keeps its own house leaves this out. */
  keepOnly?(paths: readonly string[]): Promise<void>;
}

export interface Tokenizer {
  /** Ids of text. Never yields a special id, whatever the text says. */
  encode(text: string): number[];
  /** Text of ids; special ids are left out. */
  decode(ids: readonly number[]): string;
  readonly specials: Readonly<Record<string, number>>;
}

export interface Message {
  role: string;
  content: string;
}

/** Renders conversations to ids. A later turn is appended as {@link delta}; nothing is encoded twice. */
export interface Chat {
  /** Ids of the opening messages, generation prompt included. */
  first(messages: readonly Message[], tools?: readonly unknown[]): number[];
  /** Ids to append after a sampled reply (its stop id included) for the next reply to be sampled. */
  delta(messages: readonly Message[]): number[];
  readonly stopIds: readonly number[];
  /** Earlier replies are rewritten: each turn is rendered whole by {@link first} and is a sample of its own. */
  readonly stripsThinking: boolean;
  /** Tools given to {@link first} show; where not, they belong into the prompt's text. */
  readonly placesTools: boolean;
}

/** What the designer is told. Text between prompt markers is data, never instructions [D4]. */
export interface DesignerBrief {
  skill: string;
  document?: string;
  memory: readonly MemoryLine[];
  difficulty: string;
}

export interface MemoryLine {
  verdict: "good" | "easy" | "hard";
  source: string;
  description: string;
  successRate: number;
  regret?: number;
}

/** Of one rendering. */
export interface PromptOptions {
  /** Seeds the border words between which data stand [D4]. @default 0 */
  seed?: number;
}

/** Of the agent's opening. */
export interface AgentPromptOptions extends PromptOptions {
  /** The environment offers tools: `placed` by the chat template, or to be written into the text. @default a game */
  tools?: "placed" | readonly unknown[];
}

/** Records to messages: the compact nano form and the natural-language forms stand behind this port. */
export interface Prompt {
  /** Goes into the manifest. */
  readonly version: string;
  designer(brief: DesignerBrief, options?: PromptOptions): Message[];
  /** Appended to a conversation whose last reply gave a program that was refused (`repairTurns`). */
  repair(error: string, options?: PromptOptions): Message[];
  hint(environment: { source: string; skill: string }, options?: PromptOptions): Message[];
  /** Asks for an opinion about a program (gate `screen`); absent where the model can give none. */
  screen?(environment: { source: string; skill: string }, options?: PromptOptions): Message[];
  agent(
    environment: { skill: string },
    observation: string,
    options?: AgentPromptOptions,
  ): Message[];
  observation(text: string, options?: PromptOptions): Message[];
  /** The program inside a designer's reply. */
  program(reply: string): string;
  /** The hint inside a reply. */
  hintText(reply: string): string;
  /** What `step` receives for a reply (spade.md section 4). */
  action(reply: string): string;
}

export type IsolationLevel =
  | "full"
  | "uid+landlock+seccomp"
  | "landlock+seccomp"
  | "seccomp"
  | "wasm";

export interface SandboxLimits {
  /** CPU seconds of one request (reset, step, construction); the program that exceeds it hangs. */
  requestCpuSeconds: number;
  /** Wall seconds of one request; a back-stop well above the CPU limit. */
  requestSeconds: number;
  /** CPU seconds of the whole process. */
  cpuSeconds: number;
  /** Wall seconds of the whole process. */
  seconds: number;
  memoryMb: number;
}

export interface ParsedProgram {
  /** Names of the classes ending in `Env` defined by the program. */
  environments: string[];
  /** Hash of the syntax tree with names, docstrings and formatting normalised; constants are kept. */
  treeHash: string;
  /** Top-level modules imported. */
  imports: string[];
  constant: boolean;
  /** With `details`: the source outside string literals and comments, in runs. */
  code?: string[];
  /** With `details`: hashes of pieces of the normalised tree, the smallest 1,024, ascending. */
  shingles?: number[];
}

export interface Observed {
  observation: string;
  info: Record<string, unknown>;
}

export interface Stepped extends Observed {
  reward: number;
  terminated: boolean;
  truncated: boolean;
}

/** What a tool-use environment offers after a reset; all of it is the program's own claim. */
export interface ToolFacts {
  /** OpenAI function schemas. */
  tools: Record<string, unknown>[];
  /** By tool: what its method takes; null where there is no method. */
  signatures: Record<string, { names: string[]; required: string[]; variadic: boolean } | null>;
  instructions: number;
  criteria: number;
}

/** One disposable process that holds one program. Every failure is a value; the process is then of no more use. */
export interface EnvironmentProcess extends AsyncDisposable {
  /** Environment's own `max_turns` (the smaller of it and the configured one counts). */
  readonly maxTurns: number | undefined;
  /** `fresh` constructs a new instance first. */
  reset(seed: number, options?: { fresh?: boolean }): Promise<Result<Observed>>;
  /** `action` is what the program receives, verbatim. */
  step(action: string): Promise<Result<Stepped>>;
  /** Tools after the last reset, or null for a game. */
  tools(): Promise<Result<ToolFacts | null>>;
  /** Runs one tool; a wrong name or wrong arguments is an observation. */
  call(name: string, args: Record<string, unknown>): Promise<Result<Observed>>;
  /** Ends one instruction of a tool-use environment. */
  answer(text: string): Promise<Result<Stepped>>;
  /** Of each criterion now: met or not, or what it raised. */
  criteria(): Promise<Result<(boolean | string)[]>>;
  /** Winning actions (a tool call as JSON) after the last reset, or null where the program has no `solution()`. */
  solution(): Promise<Result<string[] | null>>;
}

export interface StartOptions {
  limits?: Partial<SandboxLimits>;
  /** Passed to the constructor where it takes it. */
  maxTurns?: number;
  /** Which of two interpreters with different fixed PYTHONHASHSEED. @default 0 */
  hashSeed?: 0 | 1;
  signal?: AbortSignal;
}

/** Runs programs, each in a process of its own, behind a wall. There is no other way to run one. */
export interface Sandbox extends AsyncDisposable {
  readonly level: IsolationLevel;
  /** Layer by layer: true, or why not. */
  readonly layers: Readonly<Record<string, true | string>>;
  start(source: string, options?: StartOptions): Promise<Result<EnvironmentProcess>>;
  /** Syntax tree facts, from a child that never executes the program. */
  parse(
    source: string,
    options?: { signal?: AbortSignal; details?: boolean },
  ): Promise<Result<ParsedProgram>>;
}
