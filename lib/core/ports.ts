/**
 * Ports: what the loop needs of the outside, and nothing about who provides it. Adapters live in `lib/engine`
 * (Sampler, Trainer), `lib/sandbox` (Sandbox) and `lib/engine/text` (Tokenizer, Chat). All token data are ids.
 * @module
 */
import type { Result } from "./outcome.ts";
import type { RecordOf } from "./rows/mod.ts";

/** Restricted sampling is refused for trained tokens unless the engine corrects for it [D19]. */
export interface SamplingParams {
  /** New tokens at most, the stop token included. */
  maxTokens: number;
  /** 0 is greedy; log-probabilities are then those at temperature 1. */
  temperature: number;
  /** Smallest set of tokens with this probability mass is sampled from; 1: all. @default 1 */
  topP?: number;
  /** The most probable tokens only; -1: all. @default -1 (off) */
  topK?: number;
  /** Token ids that end a reply; the id that ended it is part of the reply. */
  stopIds: readonly number[];
}

/** One reply to draw. */
export interface SampleRequest {
  /** Ids of the whole conversation so far. */
  prompt: readonly number[];
  /** How to sample. */
  params: SamplingParams;
  /** In [0, 2^31); the reply is a function of weights, prompt, params and seed only. */
  seed: number;
}

/** A reply as it was sampled; text is derived from it, never the other way. */
export interface SampleReply {
  /** Sampled ids, the stop id included. */
  ids: number[];
  /** Natural log-probability of each id under the sampler, same length as `ids`. */
  logps: number[];
  /** `stop`: ended by a stop id; `length`: cut at `maxTokens`. */
  finish: "stop" | "length";
  /** Version of the weights that sampled it. */
  weightsVersion: number;
}

/** Draws replies. Concurrent calls may be coalesced into one request; the results do not depend on that. */
export interface Sampler {
  /** Draws one reply. */
  sample(request: SampleRequest, options?: { signal?: AbortSignal }): Promise<SampleReply>;
}

/** One training sequence: position i of `input` predicts `target[i]`; all arrays have the same length. */
export interface Datum {
  /** Ids that are read. */
  input: readonly number[];
  /** Ids that are predicted: `input` one place on. */
  target: readonly number[];
  /** Per position: -dL/dlogp for `cross_entropy`; zero where nothing is trained. */
  weights?: readonly number[];
  /** Reference log-probabilities for `importance_sampling` and `ppo`. */
  logps?: readonly number[];
  /** Advantage of each position for `importance_sampling` and `ppo`; zero where nothing is trained. */
  advantages?: readonly number[];
}

/** Losses of the Tinker protocol; SPADE's objective is `cross_entropy` with weights -dL/dlogp. */
export type LossName = "cross_entropy" | "importance_sampling" | "ppo" | "cispo";

/** One step of Adam with decoupled weight decay. */
export interface AdamParams {
  /** Step size, e.g. 1e-6. */
  learningRate: number;
  /** Decay of the mean of gradients, in [0, 1). */
  beta1: number;
  /** Decay of the mean of squared gradients, in [0, 1). */
  beta2: number;
  /** Added to the root of that mean. */
  epsilon: number;
  /** Share of each weight taken off a step, times the learning rate. */
  weightDecay: number;
  /** Longer gradients are shortened to this norm. */
  gradClipNorm: number;
}

/** Where a trainer stands. */
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
  /** What this trainer can do; fixed while it is open. */
  readonly capabilities: TrainerCapabilities;
  /** Where it stands now. */
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
  /** Goes back to what {@link save} wrote, optimiser included. */
  load(path: string, options?: { signal?: AbortSignal }): Promise<TrainerState>;
}

/** What a trainer says of itself. */
export interface TrainerCapabilities {
  /** Name of the engine. */
  engine: string;
  /** Its version. */
  engineVersion: string;
  /** Name of the model it trains. */
  model: string;
  /** Longest sequence in tokens. */
  maxContext: number;
  /** Takes all options of Adam with each step; else the learning rate only, the others are the server's. */
  adamPerCall: boolean;
  /** Keeps the id of the last batch with its weights, so that none is applied twice. */
  batchIds: boolean;
  /** Can compute {@link Trainer.reference}: needed for the KL term. */
  reference: boolean;
  /** Whether a row's bits are its own, whatever is computed beside it; undefined where the engine does not say. */
  rowExact?: boolean;
}

/** An engine: one trainer, a sampler of its published weights and one of its starting weights. */
export interface Engine extends AsyncDisposable {
  /** Updates the weights. */
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

/** Text to ids and back. */
export interface Tokenizer {
  /** Ids of text. Never yields a special id, whatever the text says. */
  encode(text: string): number[];
  /** Text of ids; special ids are left out. */
  decode(ids: readonly number[]): string;
  /** Ids of special tokens by their text, e.g. `<|im_end|>`. */
  readonly specials: Readonly<Record<string, number>>;
}

/** One message of a conversation. */
export interface Message {
  /** `system`, `user`, `assistant`, or a marker of the compact form. */
  role: string;
  /** Its text. */
  content: string;
}

/** Renders conversations to ids. A later turn is appended as {@link delta}; nothing is encoded twice. */
export interface Chat {
  /** Ids of the opening messages, generation prompt included. */
  first(messages: readonly Message[], tools?: readonly unknown[]): number[];
  /** Ids to append after a sampled reply (its stop id included) for the next reply to be sampled. */
  delta(messages: readonly Message[]): number[];
  /** Ids that end a reply. */
  readonly stopIds: readonly number[];
  /** Earlier replies are rewritten: each turn is rendered whole by {@link first} and is a sample of its own. */
  readonly stripsThinking: boolean;
  /** Tools given to {@link first} show; where not, they belong into the prompt's text. */
  readonly placesTools: boolean;
}

/** What the designer is told. Text between prompt markers is data, never instructions [D4]. */
export interface DesignerBrief {
  /** Skill the environment is to exercise. */
  skill: string;
  /** Text that grounds it. */
  document?: string;
  /** Past environments, best seeds first. */
  memory: readonly MemoryLine[];
  /** The difficulty word: easy, medium or hard. */
  difficulty: string;
}

/** A past environment as the designer is told of it. */
export interface MemoryLine {
  /** A seed worth varying, or a negative: too easy, too hard. */
  verdict: "good" | "easy" | "hard";
  /** Code of a seed; empty for a negative [D3]. */
  source: string;
  /** One line about it. */
  description: string;
  /** Share of its plays that succeed, in [0, 1]. */
  successRate: number;
  /** What the hint gained, in [-2, 2]; absent where it was not measured. */
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
  /** Asks for a program. */
  designer(brief: DesignerBrief, options?: PromptOptions): Message[];
  /** Appended to a conversation whose last reply gave a program that was refused (`repairTurns`). */
  repair(error: string, options?: PromptOptions): Message[];
  /** Asks for advice about a program, which is shown whole. */
  hint(environment: { source: string; skill: string }, options?: PromptOptions): Message[];
  /** Asks for an opinion about a program (gate `screen`); absent where the model can give none. */
  screen?(environment: { source: string; skill: string }, options?: PromptOptions): Message[];
  /** Opens a play with its first observation. */
  agent(
    environment: { skill: string },
    observation: string,
    options?: AgentPromptOptions,
  ): Message[];
  /** Goes on with the next one. */
  observation(text: string, options?: PromptOptions): Message[];
  /** The program inside a designer's reply. */
  program(reply: string): string;
  /** The hint inside a reply. */
  hintText(reply: string): string;
  /** What `step` receives for a reply (spade.md section 4). */
  action(reply: string): string;
}

/** Layers of the wall that hold on this machine, strongest first; `wasm` needs no kernel. */
export type IsolationLevel =
  | "full"
  | "uid+landlock+seccomp"
  | "landlock+seccomp"
  | "seccomp"
  | "wasm";

/** Limits of one process. */
export interface SandboxLimits {
  /** CPU seconds of one request (reset, step, construction); the program that exceeds it hangs. */
  requestCpuSeconds: number;
  /** Wall seconds of one request; a back-stop well above the CPU limit. */
  requestSeconds: number;
  /** CPU seconds of the whole process. */
  cpuSeconds: number;
  /** Wall seconds of the whole process. */
  seconds: number;
  /** Memory of the whole process, in MiB. */
  memoryMb: number;
}

/** Facts of a program's text. */
export interface ParsedProgram {
  /** Names of the classes ending in `Env` defined by the program. */
  environments: string[];
  /** Hash of the syntax tree with names, docstrings and formatting normalised; constants are kept. */
  treeHash: string;
  /** Top-level modules imported. */
  imports: string[];
  /** It declares `constant = True`: the seed changes nothing. */
  constant: boolean;
  /** With `details`: the source outside string literals and comments, in runs. */
  code?: string[];
  /** With `details`: hashes of pieces of the normalised tree, the smallest 1,024, ascending. */
  shingles?: number[];
}

/** What a reset or a tool call shows. */
export interface Observed {
  /** Text for the agent, 64 KiB at most. */
  observation: string;
  /** JSON-able; `actions` lists the actions now allowed, where the program says so. */
  info: Record<string, unknown>;
}

/** What a step gives. */
export interface Stepped extends Observed {
  /** Finite, at most 10 in size; the play's return is made of these (spade.md section 7). */
  reward: number;
  /** The program ended the episode. */
  terminated: boolean;
  /** The program cut it. */
  truncated: boolean;
}

/** What a tool-use environment offers after a reset; all of it is the program's own claim. */
export interface ToolFacts {
  /** OpenAI function schemas. */
  tools: Record<string, unknown>[];
  /** By tool: what its method takes; null where there is no method. */
  signatures: Record<string, { names: string[]; required: string[]; variadic: boolean } | null>;
  /** Instructions of the episode, given one at a time. */
  instructions: number;
  /** Predicates on the state, one an instruction. */
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

/** How to start a program. */
export interface StartOptions {
  /** Changes to the sandbox's own limits. */
  limits?: Partial<SandboxLimits>;
  /** Passed to the constructor where it takes it. */
  maxTurns?: number;
  /** Which of two interpreters with different fixed PYTHONHASHSEED. @default 0 */
  hashSeed?: 0 | 1;
  /** Kills the process. */
  signal?: AbortSignal;
}

/** Runs programs, each in a process of its own, behind a wall. There is no other way to run one. */
export interface Sandbox extends AsyncDisposable {
  /** How strong the wall is here. */
  readonly level: IsolationLevel;
  /** Layer by layer: true, or why not. */
  readonly layers: Readonly<Record<string, true | string>>;
  /** Starts a program in a fresh process and constructs it there. */
  start(source: string, options?: StartOptions): Promise<Result<EnvironmentProcess>>;
  /** Syntax tree facts, from a child that never executes the program. */
  parse(
    source: string,
    options?: { signal?: AbortSignal; details?: boolean },
  ): Promise<Result<ParsedProgram>>;
}
