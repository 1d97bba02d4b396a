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

export interface AskOptions {
  prompt: Prompt;
  chat: Chat;
  tokenizer: Tokenizer;
  sampler: Sampler;
  brief: DesignerBrief;
  /** In [0, 2^31). */
  seed: number;
  params: SamplingParams;
  /** Tokens of prompt and reply together. */
  context: number;
  /** Goes on with a conversation instead of opening one: ids of {@link repairPrompt}. */
  conversation?: readonly number[];
  /** Rewrites the program found in the reply; parity only. */
  rewrite?: (program: string) => Promise<string>;
  signal?: AbortSignal;
}

/** What was left out to keep the prompt within its budget. */
export interface Cut {
  memoryLines: number;
  documentTokens: number;
}

export interface DesignerAnswer {
  /** Prompt ids. */
  prompt: number[];
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
  cut: Cut;
}

/**
 * Asks for one program.
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
