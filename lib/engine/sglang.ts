/**
 * Sampler over SGLang's own `/generate`: for builds whose `/v1/completions` does not return ids, and for the weights
 * version that only this route tells. Log-probabilities are those after temperature, before top-p and top-k.
 * @module
 */
import { z } from "zod";
import { EngineError, type Sampler, type SampleReply, type SampleRequest } from "../core/mod.ts";
import { checked } from "./replies.ts";
import type { Wire } from "./wire.ts";
import { ZeroWatch } from "./zeros.ts";

/** How long a reply may take, and what the server's own names stand for. */
export interface SglangOptions {
  /** For one reply with all its tries. @default 600_000 */
  deadlineMs?: number;
  /** Keeps the turns of a play on one replica behind a router. */
  session?: (request: SampleRequest) => string | undefined;
  /** Where the server's weights version is no whole number: what it stands for. @default refused */
  versionOf?: (name: string) => number;
}

const reply = z.looseObject({
  output_ids: z.array(z.int()).optional(),
  meta_info: z.looseObject({
    finish_reason: z.looseObject({ type: z.enum(["stop", "length", "abort"]) }),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    weight_version: z.union([z.string(), z.int()]).optional(),
    /** [log-probability, id, text] of each token. */
    output_token_logprobs: z.array(z.tuple([z.number(), z.int()], z.unknown())),
  }),
});

/** Draws replies, one request each. */
export class SglangSampler implements Sampler {
  readonly #zeros = new ZeroWatch();
  /** Nothing is sent before the first {@link SglangSampler.sample}. */
  constructor(readonly wire: Wire, readonly options: SglangOptions = {}) {}

  /**
   * One reply, checked (engines.md section 7).
   *
   * @throws {EngineError} where the server refuses, fails, goes away, or its reply is not sound.
   */
  async sample(
    request: SampleRequest,
    options: { signal?: AbortSignal } = {},
  ): Promise<SampleReply> {
    const { deadlineMs = 600_000, session } = this.options;
    const { prompt, params, seed } = request;
    const route = session?.(request);
    const { output_ids, meta_info: meta } = await this.wire.post(
      "/generate",
      {
        input_ids: prompt,
        sampling_params: {
          max_new_tokens: params.maxTokens,
          temperature: params.temperature,
          top_p: params.topP ?? 1,
          top_k: params.topK ?? -1,
          min_p: 0,
          repetition_penalty: 1,
          stop_token_ids: params.stopIds,
          skip_special_tokens: false,
          no_stop_trim: true,
          spaces_between_special_tokens: false,
          sampling_seed: seed,
        },
        return_logprob: true,
        logprob_start_len: -1,
        top_logprobs_num: 0,
        return_text_in_logprobs: false,
        stream: false,
        ...route === undefined ? {} : { routing_key: route },
      },
      reply,
      { action: "sample a reply", deadlineMs, ...options },
    );
    const finish = meta.finish_reason.type;
    if (finish === "abort") {
      throw new EngineError("Cannot use a sampled reply: the server aborted it", {
        retryable: true,
      });
    }
    const ids = meta.output_token_logprobs.map(([, id]) => id);
    const wrong = (what: string) => new EngineError(`Cannot use a sampled reply: ${what}`);
    if (output_ids && output_ids.some((id, i) => id !== ids[i])) {
      throw wrong("its ids and the ids of its log-probabilities differ");
    }
    if (meta.prompt_tokens !== prompt.length || meta.completion_tokens !== ids.length) {
      throw wrong(
        `it counts ${meta.prompt_tokens} and ${meta.completion_tokens} tokens for ${prompt.length} and ${ids.length}`,
      );
    }
    const logps = meta.output_token_logprobs.map(([logp]) => logp);
    const choice = {
      index: 0,
      token_ids: ids,
      logprobs: { token_logprobs: logps },
      finish_reason: finish,
    };
    const good = checked(choice, this.#version(meta.weight_version), request);
    this.#zeros.watch(good.logps);
    return good;
  }

  #version(name: string | number = 0): number {
    const version = this.options.versionOf?.(String(name)) ?? Number(name === "default" ? 0 : name);
    if (Number.isInteger(version) && version >= 0) return version;
    throw new EngineError(
      `Cannot use a reply: its weights version is ${name}, must be a whole number`,
    );
  }
}
