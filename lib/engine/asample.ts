/**
 * Sampler over the Tinker route `asample`, for servers that have no batch route of ours: SkyRL, Miles, the hosted
 * service. Log-probabilities are the raw model's (engines.md section 1.6), so only temperature 1 can be trained on.
 * @module
 */
import { z } from "zod";
import { EngineError, type Sampler, type SampleReply, type SampleRequest } from "../core/mod.ts";
import { submit } from "./futures.ts";
import { checked } from "./replies.ts";
import { decode, type Value } from "./proto/codec.ts";
import { dtypes, sampleResponse, unpacked } from "./proto/messages.ts";
import { API } from "./session.ts";
import type { Wire } from "./wire.ts";
import { ZeroWatch } from "./zeros.ts";

const count = z.number().int().nonnegative();
const jsonReply = z.looseObject({
  sequences: z.tuple([z.looseObject({
    tokens: z.array(count),
    logprobs: z.array(z.number(), "missing: the server must return log-probabilities"),
    stop_reason: z.enum(["stop", "length"]),
  })]),
});
const reply = z.union([z.instanceof(Uint8Array).transform(ofBytes).pipe(jsonReply), jsonReply]);

function ofBytes(bytes: Uint8Array): unknown {
  const { sequences } = decode(sampleResponse, bytes);
  return {
    sequences: sequences.map(({ stop_reason, tokens, logprobs }: Value) => ({
      tokens: unpacked(tokens ?? new Uint8Array(), dtypes.int32),
      logprobs: logprobs && unpacked(logprobs, dtypes.float32),
      stop_reason: stop_reason === 0 ? "stop" : "length",
    })),
  };
}

/** Weights to sample from. */
export interface SamplingSession {
  /** What the server calls it. */
  id: string;
  /** Version of the weights it samples from. */
  weightsVersion: number;
}

/** Draws replies, one request each, from the session that stands when a request is made. */
export class TinkerSampler implements Sampler {
  readonly #zeros = new ZeroWatch();
  #seqId = 0;

  /** `session` opens or names the weights. */
  constructor(
    readonly wire: Wire,
    readonly session: () => Promise<SamplingSession>,
    readonly options: {
      deadlineMs?: number;
      /** Whether to offer protocol buffers, whose log-probabilities are float32. @default JSON only */
      isBinary?: () => boolean;
    } = {},
  ) {}

  /**
   * One reply, checked (engines.md section 7).
   *
   * @throws {EngineError} where the server refuses, fails, goes away, or its reply is not sound.
   */
  async sample(
    request: SampleRequest,
    options: { signal?: AbortSignal } = {},
  ): Promise<SampleReply> {
    const { prompt, params, seed } = request;
    const { id, weightsVersion } = await this.session();
    const body = {
      sampling_session_id: id,
      seq_id: ++this.#seqId,
      num_samples: 1,
      prompt: { chunks: [{ type: "encoded_text", tokens: prompt }] },
      sampling_params: {
        max_tokens: params.maxTokens,
        seed,
        stop: params.stopIds,
        temperature: params.temperature,
        top_k: params.topK ?? -1,
        top_p: params.topP ?? 1,
      },
    };
    const given = await submit(
      this.wire,
      API + "asample",
      () => body,
      reply,
      {
        action: "sample a reply",
        deadlineMs: this.options.deadlineMs ?? 600_000,
        signal: options.signal,
        binary: this.options.isBinary?.() ?? false,
      },
    );
    const [{ tokens, logprobs, stop_reason }] = given.sequences;
    const choice = {
      index: 0,
      token_ids: tokens,
      logprobs: { token_logprobs: logprobs },
      finish_reason: stop_reason,
    };
    const good = checked(choice, weightsVersion, request);
    this.#zeros.watch(good.logps);
    return good;
  }
}

/** The session of published weights, from what `save_weights_for_sampler` answered. */
export function publishedSession(
  reply: { sampling_session_id?: string | null; path?: string | null },
): { id: string } | { path: string } {
  if (reply.sampling_session_id) return { id: reply.sampling_session_id };
  if (reply.path) return { path: reply.path };
  throw new EngineError(
    "Cannot sample from the published weights: the server named neither a session nor a path",
  );
}
