/**
 * One question to the designer. The prompt stays within its token budget: memory leaves first (last
 * line first), then the document's end; what was cut is told. Model faults are thrown by the
 * sampler and not caught here.
 * @module
 */
import {
  canonicalSource,
  type Chat,
  type DesignerBrief,
  EngineError,
  type Prompt,
  type Sampler,
  type SampleReply,
  type SamplingParams,
  type Tokenizer,
} from "../core/mod.ts";

/** What one question needs. */
export interface AskOptions {
  /** Turns the brief into messages and finds the program in the reply. */
  prompt: Prompt;
  /** Turns messages into ids. */
  chat: Chat;
  /** Of the model that answers. */
  tokenizer: Tokenizer;
  /** The model that answers. */
  sampler: Sampler;
  /** What is asked for. */
  brief: DesignerBrief;
  /** In [0, 2^31). */
  seed: number;
  /** How to sample; `maxTokens` is kept free for the reply. */
  params: SamplingParams;
  /** Tokens of prompt and reply together. */
  context: number;
  /** Goes on with a conversation instead of opening one: ids of {@link repairPrompt}. */
  conversation?: readonly number[];
  /** Rewrites the program found in the reply; parity only. */
  rewrite?: (program: string) => Promise<string>;
  /** Gives up. */
  signal?: AbortSignal;
}

/** What was left out to keep the prompt within its budget. */
export interface Cut {
  /** Lines of memory, from the last on. */
  memoryLines: number;
  /** Tokens of the document, from its end. */
  documentTokens: number;
}

/** A reply, with the program found in it. */
export interface DesignerAnswer {
  /** Prompt ids. */
  prompt: number[];
  /** As sampled: what is trained. */
  reply: SampleReply;
  /** Derived from the reply's ids. */
  text: string;
  /** Canonical source of the program inside the reply. */
  source: string;
  /**
   * The program is the whole reply: "runs as emitted" and "runs after extraction" are then the
   * same.
   */
  asEmitted: boolean;
  /** What the brief lost to fit. */
  cut: Cut;
}

/**
 * Asks for one program.
 *
 * ```ts ignore check
 * import { askDesigner, compactChat, compactPrompt, EmbeddedEngine, loadTokenizer } from "@spade/spade";
 *
 * const [model, python] = ["data/nano", ".spade/engine/bin/python"];
 * await using engine = await EmbeddedEngine.start({ python, model, state: "runs/state" });
 * const tokenizer = loadTokenizer(JSON.parse(Deno.readTextFileSync(`${model}/tokenizer.json`)));
 * const chat = compactChat(tokenizer);
 * const { source } = await askDesigner({
 *   ...{ tokenizer, chat, prompt: compactPrompt(), sampler: engine.sampler },
 *   brief: { skill: "Optimization", document: "Tides", memory: [], difficulty: "medium" },
 *   params: { maxTokens: 400, temperature: 1, stopIds: chat.stopIds },
 *   ...{ seed: 0, context: 1024 },
 * });
 * console.log(source);
 * ```
 *
 * @throws {RangeError} when even a prompt without memory and document leaves no room for the reply.
 * @throws {EngineError} when the reply's ids and log-probabilities do not match, or as the sampler
 * throws.
 */
export async function askDesigner(options: AskOptions): Promise<DesignerAnswer> {
  const { tokenizer, sampler, params, seed, conversation, rewrite, signal } = options;
  const { ids, cut } = conversation === undefined
    ? fitBrief(options)
    : { ids: [...conversation], cut: { memoryLines: 0, documentTokens: 0 } };
  const request = { prompt: ids, params, seed };
  const reply = await sampler.sample(request, { signal });
  if (reply.ids.length !== reply.logps.length) {
    throw new EngineError(
      `Cannot use designer reply: ${reply.ids.length} ids have ${reply.logps.length} log-probabilities, must be equal`,
    );
  }
  const text = tokenizer.decode(reply.ids);
  const program = options.prompt.program(text);
  const source = canonicalSource(rewrite === undefined ? program : await rewrite(program));
  return { prompt: ids, reply, text, source, asEmitted: source === canonicalSource(text), cut };
}

/**
 * Ids of a conversation in which the last program was refused and is asked for again: nothing is
 * encoded twice. Null where they leave no room for another reply.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { compactPrompt } from "./prompt.ts";
 * // letters are tokens, 0 ends a message
 * const encode = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
 * const chat = {
 *   first: () => [],
 *   delta: (messages: readonly { content: string }[]) => messages.flatMap((m) => encode(m.content)),
 *   ...{ stopIds: [0], stripsThinking: false, placesTools: false },
 * };
 * const params = { maxTokens: 4, temperature: 1, stopIds: [0] };
 * const last = { prompt: [1], ids: [2, 0], finish: "stop" } as const;
 * const options = { prompt: compactPrompt(), chat, seed: 0, params, context: 64 };
 * assert.deepEqual(repairPrompt(last, "no class", options), [1, 2, 0, ...encode("no class")]);
 * assert.equal(repairPrompt(last, "no class", { ...options, context: 8 }), null);
 * ```
 */
export function repairPrompt(
  last: { prompt: readonly number[]; ids: readonly number[]; finish: "stop" | "length" },
  error: string,
  options: Pick<AskOptions, "prompt" | "chat" | "seed" | "params" | "context">,
): number[] | null {
  const { prompt, chat, seed, params, context } = options;
  // A reply cut by its limit has not ended its own message.
  const end = last.finish === "length" ? [chat.stopIds[0]] : [];
  const question = chat.delta(prompt.repair(error, { seed }));
  const ids = [...last.prompt, ...last.ids, ...end, ...question];
  return ids.length + params.maxTokens <= context ? ids : null;
}

/** Prompt ids of the largest part of the brief that fits. */
function fitBrief(options: AskOptions): { ids: number[]; cut: Cut } {
  const { prompt, chat, tokenizer, seed, params, context } = options;
  const budget = context - params.maxTokens;
  let brief = options.brief;
  const cut = { memoryLines: 0, documentTokens: 0 };
  const render = () => chat.first(prompt.designer(brief, { seed }));
  let ids = render();
  while (ids.length > budget && brief.memory.length > 0) {
    brief = { ...brief, memory: brief.memory.slice(0, -1) };
    cut.memoryLines += 1;
    ids = render();
  }
  const document = tokenizer.encode(brief.document ?? "");
  while (ids.length > budget && cut.documentTokens < document.length) {
    const excess = Math.max(1, ids.length - budget);
    cut.documentTokens = Math.min(document.length, cut.documentTokens + excess);
    const kept = document.slice(0, document.length - cut.documentTokens);
    brief = { ...brief, document: kept.length > 0 ? tokenizer.decode(kept) : undefined };
    ids = render();
  }
  if (ids.length > budget) {
    throw new RangeError(
      `Cannot ask the designer: prompt has ${ids.length} tokens, must be at most ${budget} ` +
        `(context ${context} less ${params.maxTokens} for the reply)`,
    );
  }
  return { ids, cut };
}
