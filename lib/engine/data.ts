/**
 * Data as the Tinker protocol wants them, cut into chunks a server accepts.
 * @module
 */
import type { Datum, LossName } from "../core/mod.ts";
import { encode } from "./proto/codec.ts";
import { dtypes, forwardBackwardRequest, packed } from "./proto/messages.ts";

/** Data of one call. */
export interface Chunk {
  /** Their loss. */
  loss: LossName;
  /** JSON form. */
  data: WireDatum[];
  /** Targets of each datum. */
  lengths: number[];
}

interface WireTensor {
  data: readonly number[];
  dtype: "int64" | "float32";
  shape: number[];
}

interface WireDatum {
  model_input: { chunks: { type: "encoded_text"; tokens: readonly number[] }[] };
  loss_fn_inputs: Record<string, WireTensor>;
}

/** A training call in protocol buffers. */
export function requestBytes(
  chunk: Chunk,
  call: { modelId: string; seqId: number; forwardOnly: boolean; config?: Record<string, number> },
): Uint8Array {
  const tensorOf = ({ data, dtype, shape }: WireTensor) => ({
    dense: packed(data, dtype),
    dtype: dtypes[dtype],
    shape,
  });
  return encode(forwardBackwardRequest, {
    model_id: call.modelId,
    seq_id: call.seqId,
    data: chunk.data.map(({ model_input, loss_fn_inputs }) => ({
      model_input: model_input.chunks.map(({ tokens }) => ({
        encoded_text: { tokens: packed(tokens, "int32") },
      })),
      loss_fn_inputs: Object.fromEntries(
        Object.entries(loss_fn_inputs).map(([name, tensor]) => [name, tensorOf(tensor)]),
      ),
    })),
    loss_fn: chunk.loss,
    loss_fn_config: call.config,
    forward_only: call.forwardOnly,
  });
}

/** Of names and brackets around the numbers of a datum; of the longest float with its comma. */
const FRAME_BYTES = 512, FLOAT_BYTES = 25;
const FIELDS = { weights: "weights", logps: "logprobs", advantages: "advantages" } as const;
const NEEDED: Record<LossName, readonly (keyof typeof FIELDS)[]> = {
  cross_entropy: [],
  importance_sampling: ["logps", "advantages"],
  ppo: ["logps", "advantages"],
  cispo: ["logps", "advantages"],
};

/** Throws RangeError where lengths differ or a number is not finite: JSON would turn it into null. */
export function chunks(
  data: readonly Datum[],
  loss: LossName,
  limit: { data: number; bytes: number },
): Chunk[] {
  const out: Chunk[] = [];
  let bytes = 0;
  data.forEach((datum, i) => {
    const wire = onWire(datum, loss, i);
    const size = mostBytes(wire);
    if (out.length === 0 || out.at(-1)!.data.length >= limit.data || bytes + size > limit.bytes) {
      out.push({ loss, data: [], lengths: [] });
      bytes = 0;
    }
    out.at(-1)!.data.push(wire);
    out.at(-1)!.lengths.push(datum.input.length);
    bytes += size;
  });
  return out;
}

/** Bytes a datum has at most in JSON, more than in protocol buffers: to write it for its length would cost as much again. */
function mostBytes({ model_input, loss_fn_inputs }: WireDatum): number {
  const ids = (values: readonly number[]) => {
    let most = 0;
    for (const value of values) if (value > most) most = value;
    return values.length * (String(most).length + 1);
  };
  let sum = FRAME_BYTES + ids(model_input.chunks[0].tokens);
  for (const { data, dtype } of Object.values(loss_fn_inputs)) {
    if (dtype === "int64") sum += ids(data);
    else for (const value of data) sum += value === 0 ? 2 : FLOAT_BYTES;
  }
  return sum;
}

function onWire(datum: Datum, loss: LossName, index: number): WireDatum {
  const { input, target } = datum;
  const cannot = (what: string) => new RangeError(`Cannot train on datum ${index}: ${what}`);
  if (input.length === 0) throw cannot("it is empty");
  if (target.length !== input.length) {
    throw cannot(`target has ${target.length} values for ${input.length} tokens`);
  }
  const inputs: Record<string, WireTensor> = {
    target_tokens: { data: target, dtype: "int64", shape: [target.length] },
  };
  for (const [field, name] of Object.entries(FIELDS) as [keyof typeof FIELDS, string][]) {
    const values = datum[field];
    if (values === undefined) {
      if (NEEDED[loss].includes(field)) throw cannot(`${loss} needs ${field}`);
      continue;
    }
    if (field !== "weights" && !NEEDED[loss].includes(field)) continue;
    if (values.length !== input.length) {
      throw cannot(`${field} has ${values.length} values for ${input.length} tokens`);
    }
    const bad = values.find((value) => !Number.isFinite(value));
    if (bad !== undefined) throw cannot(`${field} holds ${bad}, must be finite`);
    inputs[name] = { data: values, dtype: "float32", shape: [values.length] };
  }
  return {
    model_input: { chunks: [{ type: "encoded_text", tokens: input }] },
    loss_fn_inputs: inputs,
  };
}
