/**
 * Sampler over the batch route `/v1/completions` of the embedded engine.
 *
 * Requests issued within a moment of each other travel in one POST: 200 plays cost one round trip. Long replies travel
 * alone, so that nothing waits for the slowest of them. What a reply contains does not depend on either.
 * @module
 */
import {
  EngineError,
  type Sampler,
  type SampleReply,
  type SampleRequest,
  type SamplingParams,
} from "../core/mod.ts";
import { checked, completionsReply } from "./replies.ts";
import type { Wire } from "./wire.ts";
import { ZeroWatch } from "./zeros.ts";

/** What a {@link BatchSampler} samples from, and how it gathers. */
export interface BatchSamplerOptions {
  /**
   * Which weights: `current` (last published by anyone), `base` (starting weights), or a sampling session; asked for each
   * POST.
   */
  model: string | (() => string);
  /** How long requests wait for company. @default 1 */
  gatherMs?: number;
  /** Most prompts in one POST. @default 256 */
  prompts?: number;
  /** Replies allowed more tokens than this travel alone. @default 32 */
  shortTokens?: number;
  /** For one POST with all its tries. @default 600_000 */
  deadlineMs?: number;
  /** Ask for the prompt back and compare it. @default false */
  echo?: boolean;
}

interface Waiting {
  request: SampleRequest;
  signal?: AbortSignal;
  resolve(reply: SampleReply): void;
  reject(error: unknown): void;
}

/** Draws replies from one set of weights; concurrent calls share a POST. */
export class BatchSampler implements Sampler {
  readonly #wire: Wire;
  readonly #options: Required<BatchSamplerOptions>;
  readonly #groups = new Map<string, Waiting[]>();
  readonly #zeros = new ZeroWatch();

  /** Nothing is sent before the first {@link BatchSampler.sample}. */
  constructor(wire: Wire, options: BatchSamplerOptions) {
    this.#wire = wire;
    const defaults = {
      gatherMs: 1,
      prompts: 256,
      shortTokens: 32,
      deadlineMs: 600_000,
      echo: false,
    };
    this.#options = { ...defaults, ...options };
  }

  /**
   * One reply, checked (engines.md section 7).
   *
   * @throws {EngineError} where the engine refuses, fails, goes away, or its reply is not sound.
   * @throws {RangeError} for an empty prompt.
   */
  sample(request: SampleRequest, options: { signal?: AbortSignal } = {}): Promise<SampleReply> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (request.prompt.length === 0) {
      return Promise.reject(new RangeError("Cannot sample: the prompt is empty"));
    }
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal?.reason);
      const settle = <V>(done: (value: V) => void) => (value: V) => {
        signal?.removeEventListener("abort", abort); // signals live as long as a run
        done(value);
      };
      signal?.addEventListener("abort", abort, { once: true });
      const waiting = { request, signal, resolve: settle(resolve), reject: settle(reject) };
      if (request.params.maxTokens > this.#options.shortTokens) this.#send([waiting]);
      else this.#gather(waiting);
    });
  }

  #gather(waiting: Waiting): void {
    const key = JSON.stringify(sent(waiting.request.params));
    let group = this.#groups.get(key);
    if (!group) {
      group = [];
      this.#groups.set(key, group);
      const fresh = group;
      setTimeout(() => this.#flush(key, fresh), this.#options.gatherMs);
    }
    group.push(waiting);
    if (group.length >= this.#options.prompts) this.#flush(key, group);
  }

  #flush(key: string, group: Waiting[]): void {
    if (this.#groups.get(key) !== group) return; // it was full and has left
    this.#groups.delete(key);
    this.#send(group);
  }

  /** One POST. Callers that went away are left out; when all of them do, the POST is given up. */
  async #send(group: Waiting[]): Promise<void> {
    const { model } = this.#options;
    const asked = group.filter((item) => !item.signal?.aborted);
    if (asked.length === 0) return;
    const gone = new AbortController();
    let left = asked.length;
    const leave = () => --left === 0 && gone.abort();
    for (const item of asked) item.signal?.addEventListener("abort", leave, { once: true });
    try {
      const reply = await this.#wire.post(
        "/v1/completions",
        {
          model: typeof model === "string" ? model : model(),
          prompt: asked.map((item) => item.request.prompt),
          seed: asked.map((item) => item.request.seed),
          ...sent(asked[0].request.params),
          ...(this.#options.echo ? { return_token_ids: true } : {}),
        },
        completionsReply,
        {
          action: `sample ${asked.length} replies`,
          deadlineMs: this.#options.deadlineMs,
          signal: gone.signal,
        },
      );
      if (reply.choices.length !== asked.length) {
        throw new EngineError(
          `Cannot use a reply: it has ${reply.choices.length} choices for ${asked.length} prompts`,
        );
      }
      const byIndex = new Map(reply.choices.map((choice) => [choice.index, choice]));
      asked.forEach((item, i) => {
        try {
          const choice = byIndex.get(i);
          if (!choice) throw new EngineError(`Cannot use a reply: choice ${i} is missing`);
          const good = checked(choice, reply.weights_version, item.request);
          this.#zeros.watch(good.logps);
          item.resolve(good);
        } catch (error) {
          item.reject(error);
        }
      });
    } catch (error) {
      for (const item of asked) item.reject(error);
    } finally {
      for (const item of asked) item.signal?.removeEventListener("abort", leave);
    }
  }
}

function sent(params: SamplingParams): Record<string, unknown> {
  return {
    max_tokens: params.maxTokens,
    temperature: params.temperature,
    ...(params.topP === undefined ? {} : { top_p: params.topP }),
    ...(params.topK === undefined ? {} : { top_k: params.topK }),
    stop_token_ids: params.stopIds,
  };
}
