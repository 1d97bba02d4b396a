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
  const { tokenizer, sampler, params, seed, signal } = options;
  const { ids, cut } = fitBrief(options);
  const request = { prompt: ids, params, seed };
  const reply = await sampler.sample(request, { signal });
  if (reply.ids.length !== reply.logps.length) {
    throw new EngineError(
      `Cannot use designer reply: ${reply.ids.length} ids have ${reply.logps.length} log-probabilities, must be equal`,
    );
  }
  const text = tokenizer.decode(reply.ids);
  const source = canonicalSource(options.prompt.program(text));
  return { prompt: ids, reply, text, source, asEmitted: source === canonicalSource(text), cut };
}

/** Prompt ids of the largest part of the brief that fits. */
function fitBrief(options: AskOptions): { ids: number[]; cut: Cut } {
  const { prompt, chat, tokenizer, params, context } = options;
  const budget = context - params.maxTokens;
  let brief = options.brief;
  const cut = { memoryLines: 0, documentTokens: 0 };
  const render = () => chat.first(prompt.designer(brief));
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
