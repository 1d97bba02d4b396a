/**
 * What engines answer, as zod schemas, and the checks of engines.md section 7 on every sampled reply.
 * @module
 */
import { z } from "zod";
import { EngineError, type SampleReply, type SampleRequest } from "../core/mod.ts";
import { decode, type Value } from "./proto/codec.ts";
import { dtypes, forwardBackwardOutput, unpacked } from "./proto/messages.ts";

const count = z.number().int().nonnegative();
/** To `create_session`. */
export const sessionReply = z.object({ session_id: z.string().min(1) });
/** Of a call whose answer does not matter. */
export const anything = z.looseObject({});
/** To a heavy call: the request to poll for. */
export const promiseReply = z.object({ request_id: z.string().min(1) });
/** To `client/config`. */
export const configReply = z.looseObject({
  fwdbwd_max_chunk_len: z.number().int().positive().optional(),
  fwdbwd_max_chunk_bytes_count: z.number().int().positive().optional(),
});
/** To `get_server_capabilities`; `spade_` fields come from our server only, here and below. */
export const capabilitiesReply = z.looseObject({
  supported_models: z.array(
    z.looseObject({ model_name: z.string(), max_context_length: count.optional() }),
  ),
  spade_engine: z.string().optional(),
  spade_version: z.string().optional(),
  spade_row_exact: z.boolean().optional(),
});
/** To `create_model`. */
export const createdReply = z.object({ model_id: z.string().min(1) });
/** To `get_info`. */
export const infoReply = z.looseObject({
  spade_steps: count.optional(),
  spade_weights_version: count.optional(),
  spade_batch_id: z.string().nullish(),
});
/** To `forward` and `forward_backward`. */
export const lossReply = z.looseObject({
  loss_fn_outputs: z.array(
    z.looseObject({ logprobs: z.looseObject({ data: z.array(z.number().nullable()) }) }),
  ),
  metrics: z.record(z.string(), z.number()),
});
/** The same, in protocol buffers where the server sends them: one float a target, NaN where none was computed. */
export const anyLossReply = z.union([z.instanceof(Uint8Array).transform(lossOfBytes), lossReply]);
/** To `optim_step`. */
export const stepReply = z.looseObject({
  metrics: z.record(z.string(), z.number()).nullish(),
  spade_already_applied: z.boolean().optional(),
});
/** To `save_weights_for_sampler`. */
export const publishReply = z.looseObject({
  spade_weights_version: count.optional(),
  sampling_session_id: z.string().nullish(),
  path: z.string().nullish(),
});
/** To `create_sampling_session`. */
export const samplingSessionReply = z.looseObject({ sampling_session_id: z.string().min(1) });
/** To `save_weights`. */
export const pathReply = z.looseObject({ path: z.string().min(1) });
/** To `load_weights`. */
export const loadReply = z.looseObject({ spade_published: z.boolean().optional() });
/** To a poll: the call failed. */
export const failedFuture = z.object({ error: z.string(), category: z.string().optional() });
/** To a poll: ask again. */
export const waitingFuture = z.object({ type: z.literal("try_again") });

/** To our batch route. */
export const completionsReply = z.object({
  weights_version: count,
  choices: z.array(z.object({
    index: count,
    token_ids: z.array(count),
    logprobs: z.object({ token_logprobs: z.array(z.number()) }),
    finish_reason: z.enum(["stop", "length"]),
    // long, and compared with what was sent, number by number
    prompt_token_ids: z.custom<readonly number[]>(Array.isArray).optional(),
  })),
});
/** One sampled reply of the batch route. */
export type Choice = z.infer<typeof completionsReply>["choices"][number];

function lossOfBytes(bytes: Uint8Array): z.infer<typeof lossReply> {
  const { loss_fn_outputs, metrics } = decode(forwardBackwardOutput, bytes);
  const outputs = loss_fn_outputs.flatMap(({ fields, num_datums }: Value) => {
    const { data, offsets, dtype } = fields.logprobs ?? {};
    if (data === undefined && num_datums > 0) throw new SyntaxError("the reply has no logprobs");
    const ends = unpacked(offsets ?? new Uint8Array(), dtypes.int64);
    if (ends.length !== num_datums + 1 || ends.at(-1) !== data.length) {
      throw new SyntaxError(`the reply has ${ends.length} offsets for ${num_datums} data`);
    }
    return ends.slice(1).map((end, i) => ({
      logprobs: { data: unpacked(data.subarray(ends[i], end), dtype) },
    }));
  });
  return { loss_fn_outputs: outputs, metrics };
}

/** Rounding above a log-probability of 0 that is tolerated. */
const SLACK = 1e-4;

/** A choice as a reply, or an EngineError that names what is wrong with it. */
export function checked(
  choice: Choice,
  weightsVersion: number,
  request: SampleRequest,
): SampleReply {
  const { token_ids: ids, finish_reason: finish, prompt_token_ids: prompt } = choice;
  const logps = choice.logprobs.token_logprobs;
  const { maxTokens, stopIds } = request.params;
  const wrong = (what: string) => new EngineError(`Cannot use a sampled reply: ${what}`);
  if (ids.length === 0) throw wrong("it has no tokens");
  if (ids.length !== logps.length) {
    throw wrong(`it has ${ids.length} tokens and ${logps.length} log-probabilities`);
  }
  if (ids.length > maxTokens) {
    throw wrong(`it has ${ids.length} tokens, at most ${maxTokens} asked`);
  }
  const bad = logps.find((logp) => !Number.isFinite(logp) || logp > SLACK);
  if (bad !== undefined) throw wrong(`a log-probability is ${bad}, must be finite and at most 0`);
  const ended = stopIds.includes(ids[ids.length - 1]);
  if (finish === "stop" && !ended) throw wrong("it stopped, but its last id is not a stop id");
  if (finish === "length" && ids.length !== maxTokens) {
    throw wrong(`it was cut at ${ids.length} tokens, not at the limit ${maxTokens}`);
  }
  if (prompt && !equal(prompt, request.prompt)) {
    throw wrong("the engine echoed another prompt than the one sent");
  }
  return { ids, logps, finish, weightsVersion };
}

function equal(one: readonly number[], two: readonly number[]): boolean {
  return one.length === two.length && one.every((value, i) => value === two[i]);
}
