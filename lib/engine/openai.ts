/**
 * Sampler over an OpenAI-compatible server that takes prompts as ids and says which ids it sampled: vLLM, SGLang, our
 * own engine. Ids in, ids and log-probabilities out; text is never looked at.
 *
 * What a server must be started with: vLLM `--logprobs-mode processed_logprobs --generation-config vllm`; SGLang needs
 * `return_token_ids` (July 2026 or newer). A server that leaves ids, log-probabilities or the echo of the prompt out is
 * refused at its first reply, with what is missing.
 * @module
 */
import OpenAI, { APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";
import { z } from "zod";
import { EngineError, type Sampler, type SampleReply, type SampleRequest } from "../core/mod.ts";
import { limited } from "./deadline.ts";
import { checked } from "./replies.ts";
import { ZeroWatch } from "./zeros.ts";

/** Where the server is and how it is asked. */
export interface OpenAiOptions {
  /** With its path, e.g. `http://127.0.0.1:8000/v1`. */
  url: string;
  /** Name of the model or adapter on the server. */
  model: string;
  /** Sent as a bearer token. @default "none", which local servers take */
  apiKey?: string;
  /** Stamped on replies: such servers do not say which weights they hold. @default 0 */
  weightsVersion?: () => number;
  /** For one reply with all its tries. @default 600_000 */
  deadlineMs?: number;
  /** Tries after the first of calls that failed without saying anything about the request. @default 5 */
  retries?: number;
  /** Keeps the turns of a play on one replica, where a router stands before several. */
  session?: (request: SampleRequest) => string | undefined;
  /** Makes the requests; for tests and proxies. @default the global one */
  fetch?: typeof fetch;
}

const count = z.number().int().nonnegative();
const reply = z.looseObject({
  choices: z.tuple([z.looseObject({
    index: count.optional(),
    token_ids: z.array(count, "missing; the server must take return_token_ids"),
    prompt_token_ids: z.array(count, "missing; the server must take return_token_ids"),
    logprobs: z.looseObject({ token_logprobs: z.array(z.number()) }),
    finish_reason: z.enum(["stop", "length"]),
  })]),
  usage: z.looseObject({ completion_tokens: count }).optional(),
});

/**
 * Draws replies, one request each: such servers batch what arrives together.
 *
 * ```ts ignore check
 * import { OpenAiSampler } from "@spade/spade";
 *
 * const sampler = new OpenAiSampler({ url: "http://127.0.0.1:8000/v1", model: "Qwen/Qwen3-4B-Instruct-2507" });
 * const params = { maxTokens: 16, temperature: 1, stopIds: [151645] };
 * const { ids, logps } = await sampler.sample({ prompt: [9707, 11], params, seed: 0 });
 * ```
 */
export class OpenAiSampler implements Sampler {
  readonly #client: OpenAI;
  readonly #options: OpenAiOptions;
  readonly #zeros = new ZeroWatch();

  /** Nothing is sent before the first {@link OpenAiSampler.sample}. */
  constructor(options: OpenAiOptions) {
    this.#options = options;
    this.#client = new OpenAI({
      baseURL: options.url,
      apiKey: options.apiKey ?? "none",
      maxRetries: options.retries ?? 5,
      timeout: options.deadlineMs ?? 600_000,
      ...options.fetch === undefined ? {} : { fetch: options.fetch },
    });
  }

  /**
   * One reply, checked (engines.md section 7).
   *
   * @throws {EngineError} where the server refuses, fails, goes away, or its reply is not sound.
   */
  async sample(
    request: SampleRequest,
    options: { signal?: AbortSignal } = {},
  ): Promise<SampleReply> {
    const { deadlineMs = 600_000, weightsVersion = () => 0, session } = this.#options;
    const version = weightsVersion();
    const route = session?.(request);
    const headers: Record<string, string> = route === undefined
      ? {}
      : { "X-Session-ID": route, "X-SMG-Routing-Key": route };
    const given = await limited(
      "sample a reply",
      deadlineMs,
      [options.signal],
      (signal) => this.#ask(bodyOf(this.#options.model, request), { headers, signal }),
    );
    const parsed = reply.safeParse(given);
    if (!parsed.success) {
      const [{ path, message }] = parsed.error.issues;
      throw new EngineError(
        `Cannot use a reply of ${this.#options.url}: ${path.join(".") || "its top"}: ${message}`,
        { cause: parsed.error },
      );
    }
    const { choices: [choice], usage } = parsed.data;
    if (usage && usage.completion_tokens !== choice.token_ids.length) {
      throw new EngineError(
        `Cannot use a reply of ${this.#options.url}: it counts ${usage.completion_tokens} tokens and has ` +
          `${choice.token_ids.length} ids`,
      );
    }
    const good = checked({ ...choice, index: 0 }, version, request);
    this.#zeros.watch(good.logps);
    return good;
  }

  async #ask(
    body: Record<string, unknown>,
    options: { headers: Record<string, string>; signal: AbortSignal },
  ): Promise<unknown> {
    try {
      return await this.#client.completions.create(body as never, options);
    } catch (cause) {
      options.signal.throwIfAborted();
      if (!(cause instanceof APIError) || cause instanceof APIUserAbortError) throw cause;
      const { status, message } = cause;
      const lost = status === undefined || cause instanceof APIConnectionTimeoutError;
      const what = lost
        ? `the connection failed (${message}); is the server running?`
        : `it answered ${message}`;
      throw new EngineError(`Cannot sample from ${this.#options.url}: ${what}`, {
        retryable: lost || status === 408 || status === 429 || status! >= 500,
        cause,
      });
    }
  }
}

/** Every field that a server could fill from elsewhere is said: its own defaults would change what is sampled. */
function bodyOf(model: string, { prompt, params, seed }: SampleRequest): Record<string, unknown> {
  return {
    model,
    prompt,
    max_tokens: params.maxTokens,
    n: 1,
    stream: false,
    seed,
    temperature: params.temperature,
    top_p: params.topP ?? 1,
    top_k: params.topK ?? -1,
    min_p: 0,
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    logprobs: 1,
    stop_token_ids: params.stopIds,
    include_stop_str_in_output: true,
    skip_special_tokens: false,
    spaces_between_special_tokens: false,
    add_special_tokens: false,
    return_token_ids: true,
  };
}
