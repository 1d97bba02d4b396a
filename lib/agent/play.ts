/**
 * One play: one fresh process, one conversation, token in and token out. Guarantees: sampled ids
 * and log-probabilities are the record and nothing is encoded twice; both arms take the same path,
 * the hinted one only shows a longer first observation [D10]; a fault is an outcome with its blame,
 * never a number. Not here: retries (the caller repeats plays that failed by `model` or `host`),
 * and what a return means (`returnOf`).
 * @module
 */
import {
  type Chat,
  type EnvironmentProcess,
  failed,
  type Failure,
  ok,
  type Outcome,
  type Prompt,
  type Result,
  type Row,
  type Sampler,
  type SampleReply,
  type SamplingParams,
  type Sandbox,
  type SandboxLimits,
  scored,
  type Tokenizer,
  type TurnRow,
} from "../core/mod.ts";
import { type Actor, gameActor, toolActor } from "./act.ts";

/** What one play needs. */
export interface EpisodeOptions {
  /** The program; `id` is its environment id. */
  environment: { id: string; source: string; skill: string };
  /** Seed of the instance, equal in both arms [D1]. */
  seed: number;
  /** Null: the plain arm. */
  hint: string | null;
  /** Runs the program. */
  sandbox: Sandbox;
  /** Draws the replies. */
  sampler: Sampler;
  /** Of the model that plays. */
  tokenizer: Tokenizer;
  /** Turns messages into ids. */
  chat: Chat;
  /** Turns observations into messages and finds the action in a reply. */
  prompt: Prompt;
  /** How to sample; `maxTokens` of one reply. */
  params: SamplingParams;
  /** Tokens of the whole conversation. */
  context: number;
  /** The smaller of it and the environment's own counts. */
  maxTurns: number;
  /** Replies are tool calls and answers; `auto`: where the program offers tools. @default false: a game */
  toolUse?: boolean | "auto";
  /** The play's number in [-1, 1] (spade.md section 7): `episodeReturn` of lib/reward. */
  returnOf: (rewards: readonly number[], terminated: boolean) => number;
  /** A turn starts only with at least this many tokens left. @default 64 */
  reserve?: number;
  /** Sampling seed of each turn, from 0. */
  samplingSeed: (turn: number) => number;
  /** Changes to the sandbox's own limits. */
  limits?: Partial<SandboxLimits>;
  /** Gives up; the play then has no outcome. */
  signal?: AbortSignal;
}

/** One reply and its consequence: what the table `turn` holds of it. */
export interface EpisodeTurn extends Omit<TurnRow, keyof Row | "playId" | "index"> {
  /** True: the template rewrote earlier replies, so that `prompt` is the whole conversation; else null. */
  rerendered: true | null;
}

/** How a play went. */
export interface EpisodeResult {
  /** The return in [-1, 1], or whose fault it is that there is none. */
  outcome: Outcome;
  /** Terminated with a return of at least 1 - 1e-9. */
  success: boolean;
  /** The program ended it. */
  terminated: boolean;
  /** Ended by the program's flag, the turn limit, the context or a cut reply. */
  truncated: boolean;
  /** A request of the program exceeded its deadline. */
  hung: boolean;
  /** In order; a failed play keeps those it had. */
  turns: EpisodeTurn[];
  /** Weights version at the first reply; -1 without one. */
  versionFirst: number;
  /** Weights version at the last reply; another than the first where an update came between. */
  versionLast: number;
}

/**
 * Plays one episode.
 *
 * ```ts ignore check
 * import {
 *   compactChat,
 *   compactPrompt,
 *   EmbeddedEngine,
 *   environmentId,
 *   episodeReturn,
 *   loadTokenizer,
 *   playEpisode,
 *   seedOf,
 *   startSandbox,
 * } from "@spade/spade";
 *
 * const [model, python] = ["data/nano", ".spade/engine/bin/python"];
 * await using engine = await EmbeddedEngine.start({ python, model, state: "runs/state" });
 * await using sandbox = await startSandbox({ python: ".spade/sandbox/bin/python" });
 * const tokenizer = loadTokenizer(JSON.parse(Deno.readTextFileSync(`${model}/tokenizer.json`)));
 * const chat = compactChat(tokenizer);
 * const source = Deno.readTextFileSync("data/heldout/dev/00_gap.py");
 * const { outcome, turns } = await playEpisode({
 *   ...{ sandbox, tokenizer, chat, prompt: compactPrompt(), sampler: engine.sampler },
 *   environment: { id: environmentId(source), source, skill: "Optimization" },
 *   params: { maxTokens: 8, temperature: 1, stopIds: chat.stopIds },
 *   ...{ seed: 0, hint: null, context: 1024, maxTurns: 12 },
 *   returnOf: episodeReturn,
 *   samplingSeed: (turn) => seedOf(0, "agent", turn),
 * });
 * for (const { observation, action } of turns) console.log(observation, "→", action);
 * console.log(outcome);
 * ```
 *
 * @throws the signal's reason when aborted; every other fault is an outcome.
 */
export async function playEpisode(options: EpisodeOptions): Promise<EpisodeResult> {
  const { environment, sandbox, limits, maxTurns, signal } = options;
  const turns: EpisodeTurn[] = [];
  signal?.throwIfAborted();
  const started = await sandbox.start(environment.source, { limits, maxTurns, signal });
  let ending: Ending | Failure;
  if (started.kind !== "ok") {
    ending = started;
  } else {
    await using process = started.value;
    ending = await converse(process, options, turns);
  }
  signal?.throwIfAborted();
  return conclude(ending, options, turns);
}

interface Ending {
  kind: "ended";
  terminated: boolean;
  truncated: boolean;
}

const truncation: Ending = { kind: "ended", terminated: false, truncated: true };

/**
 * The turns of a play; they are added to `turns` as they happen, so that a failed play keeps them.
 */
async function converse(
  process: EnvironmentProcess,
  options: EpisodeOptions,
  turns: EpisodeTurn[],
): Promise<Ending | Failure> {
  const { environment, chat, prompt, tokenizer, context, hint, seed, reserve = 64 } = options;
  const turnLimit = Math.min(process.maxTurns ?? options.maxTurns, options.maxTurns);
  const reset = await process.reset(seed);
  if (reset.kind !== "ok") return reset;

  const first = reset.value.observation;
  let observation = hint === null ? first : `${first}\n\nHINT: ${hint}`;
  const actor = await actorOf(process, options);
  if (actor.kind !== "ok") return actor;
  const { tools, act } = actor.value;
  const marked = { seed: options.samplingSeed(0) };
  const messages = prompt.agent(environment, observation, {
    ...marked,
    tools: tools && chat.placesTools ? "placed" : tools,
  });
  let appended = chat.first(messages, tools);
  let conversation: number[] = [];
  let rerendered: true | null = null;
  for (let turn = 0;; turn++) {
    conversation = [...conversation, ...appended];
    const room = context - conversation.length;
    if (room < Math.max(1, reserve)) {
      if (turn > 0) return truncation;
      // No reply was possible: that is no play, and a 0 would blame the agent for the program's
      // text.
      return failed("designer", "context", `opening prompt has ${conversation.length} tokens`);
    }
    const reply = await ask(conversation, room, turn, options);
    if ("kind" in reply) return reply;
    const text = tokenizer.decode(reply.ids);
    const record: EpisodeTurn = {
      prompt: appended,
      ...reply,
      observation,
      text,
      action: null,
      reward: null,
      rerendered,
    };
    turns.push(record);
    if (reply.finish === "length") return truncation;

    const acted = await act(text, (action) => record.action = action);
    if ("kind" in acted) return acted;
    const { reward, terminated, truncated } = acted;
    record.reward = reward;
    if (terminated || truncated) return { kind: "ended", terminated, truncated: !terminated };
    if (turn + 1 >= turnLimit) return truncation;
    observation = acted.observation;
    const next = prompt.observation(observation, marked);
    if (chat.stripsThinking) {
      messages.push({ role: "assistant", content: text }, ...next);
      conversation = [];
      appended = chat.first(messages, tools);
      rerendered = true;
    } else {
      conversation = [...conversation, ...reply.ids];
      appended = chat.delta(next);
    }
  }
}

/** A game's actor, or that of tool use. */
async function actorOf(
  process: EnvironmentProcess,
  { prompt, toolUse = false }: EpisodeOptions,
): Promise<Result<Actor>> {
  if (toolUse === false) return ok(gameActor(process, prompt));
  const offered = await process.tools();
  if (offered.kind !== "ok") return offered;
  if (offered.value !== null) return ok(toolActor(process, offered.value));
  return toolUse === "auto"
    ? ok(gameActor(process, prompt))
    : failed("designer", "contract", "the program has no tools");
}

/** One reply, or the failure of the model. */
async function ask(
  conversation: readonly number[],
  room: number,
  turn: number,
  options: EpisodeOptions,
): Promise<SampleReply | Failure> {
  const { sampler, params, samplingSeed, signal } = options;
  const maxTokens = Math.min(params.maxTokens, room);
  let reply: SampleReply;
  try {
    reply = await sampler.sample(
      { prompt: conversation, params: { ...params, maxTokens }, seed: samplingSeed(turn) },
      { signal },
    );
  } catch (error) {
    signal?.throwIfAborted();
    return failed("model", "sampler", error instanceof Error ? error.message : String(error));
  }
  const fault = replyFault(reply, maxTokens, params.stopIds);
  return fault === undefined ? reply : failed("model", "reply", `turn ${turn}: ${fault}`);
}

/** What is wrong with a reply at the border, if anything. */
function replyFault(
  { ids, logps, finish }: SampleReply,
  maxTokens: number,
  stopIds: readonly number[],
): string | undefined {
  if (ids.length !== logps.length) {
    return `${ids.length} ids have ${logps.length} log-probabilities, must be equal`;
  }
  if (ids.length === 0 || ids.length > maxTokens) {
    return `${ids.length} ids, must be 1 to ${maxTokens}`;
  }
  const odd = logps.findIndex((logp) => !(logp <= 1e-4 && logp > -Infinity));
  if (odd !== -1) return `log-probability ${odd} is ${logps[odd]}, must be finite and at most 0`;
  if (finish === "stop" && !stopIds.includes(ids[ids.length - 1])) {
    return "finished by stop without a stop id";
  }
  return undefined;
}

function conclude(
  ending: Ending | Failure,
  options: EpisodeOptions,
  turns: EpisodeTurn[],
): EpisodeResult {
  const versions = {
    versionFirst: turns.at(0)?.weightsVersion ?? -1,
    versionLast: turns.at(-1)?.weightsVersion ?? -1,
  };
  if (ending.kind === "failed") {
    const hung = ending.blame === "designer" && ending.reason.startsWith("deadline");
    const flags = { success: false, terminated: false, truncated: false, hung };
    // Addresses differ from run to run; records do not.
    const detail = ending.detail?.replace(/\b0x[0-9a-f]{4,}\b/gi, "0x...");
    const outcome = failed(ending.blame, ending.reason, detail);
    return { outcome, ...flags, turns, ...versions };
  }
  const { terminated, truncated } = ending;
  const rewards = turns.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const value = options.returnOf(rewards, terminated);
  const success = terminated && value >= 1 - 1e-9;
  return {
    outcome: scored(value),
    success,
    terminated,
    truncated,
    hung: false,
    turns,
    ...versions,
  };
}
