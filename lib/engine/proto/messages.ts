/**
 * The Tinker messages that travel as protocol buffers (engines.md section 1.4): field numbers of `tinker_public`, and
 * the arrays inside them. Token ids are int32, targets int64, the rest float32; all little-endian.
 * @module
 */
import type { Message } from "./codec.ts";

const map = "map", list = "list";

/** An array with its type and shape. */
export const tensor = {
  dense: { number: 1, kind: "bytes" },
  dtype: { number: 3, kind: "int" },
  shape: { number: 4, kind: "int", many: list },
} as const satisfies Message;

const encodedText = { tokens: { number: 1, kind: "bytes" } } as const satisfies Message;
const chunk = { encoded_text: { number: 1, kind: encodedText } } as const satisfies Message;

/** A sequence and the inputs of its loss. */
export const datum = {
  model_input: { number: 1, kind: chunk, many: list },
  loss_fn_inputs: { number: 2, kind: tensor, many: map },
} as const satisfies Message;

/** A training call. */
export const forwardBackwardRequest = {
  model_id: { number: 1, kind: "string" },
  seq_id: { number: 2, kind: "int" },
  data: { number: 3, kind: datum, many: list },
  loss_fn: { number: 4, kind: "string" },
  loss_fn_config: { number: 5, kind: "double", many: map },
  forward_only: { number: 6, kind: "bool" },
} as const satisfies Message;

const batchedTensor = {
  data: { number: 1, kind: "bytes" },
  offsets: { number: 2, kind: "bytes" },
  dtype: { number: 3, kind: "int" },
  trailing_shape: { number: 4, kind: "int", many: list },
} as const satisfies Message;

const arrayRecord = {
  type_tag: { number: 1, kind: "string" },
  fields: { number: 2, kind: batchedTensor, many: map },
  num_datums: { number: 3, kind: "int" },
} as const satisfies Message;

/** Its answer. */
export const forwardBackwardOutput = {
  loss_fn_output_type: { number: 1, kind: "string" },
  loss_fn_outputs: { number: 2, kind: arrayRecord, many: list },
  metrics: { number: 3, kind: "double", many: map },
} as const satisfies Message;

const sampledSequence = {
  stop_reason: { number: 1, kind: "int" },
  tokens: { number: 2, kind: "bytes" },
  logprobs: { number: 3, kind: "bytes" },
} as const satisfies Message;

/** Sampled sequences. */
export const sampleResponse = {
  sequences: { number: 1, kind: sampledSequence, many: list },
  prompt_logprobs: { number: 2, kind: "bytes" },
  prompt_cache_hit_tokens: { number: 4, kind: "int" },
} as const satisfies Message;

/** Numbers of the element types. */
export const dtypes = { float32: 1, int64: 2, int32: 3 } as const;

/** Bytes of numbers as `dtype`, little-endian whatever the machine. */
export function packed(values: ArrayLike<number>, dtype: keyof typeof dtypes): Uint8Array {
  const width = dtype === "int64" ? 8 : 4;
  const view = new DataView(new ArrayBuffer(values.length * width));
  for (let i = 0; i < values.length; i++) {
    if (dtype === "float32") view.setFloat32(4 * i, values[i], true);
    else if (dtype === "int32") view.setInt32(4 * i, values[i], true);
    else {
      view.setInt32(8 * i, values[i], true); // the lower half, whatever is above it
      view.setInt32(8 * i + 4, Math.floor(values[i] / 2 ** 32), true);
    }
  }
  return new Uint8Array(view.buffer);
}

/**
 * Numbers of bytes that hold `dtype`.
 *
 * @throws {SyntaxError} where the length does not fit.
 */
export function unpacked(bytes: Uint8Array, dtype: number): number[] {
  const width = dtype === dtypes.int64 ? 8 : 4;
  if (!Object.values<number>(dtypes).includes(dtype) || bytes.length % width !== 0) {
    throw new SyntaxError(`Cannot read an array: ${bytes.length} bytes of type ${dtype}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / width }, (_, i) => {
    if (dtype === dtypes.float32) return view.getFloat32(4 * i, true);
    if (dtype === dtypes.int32) return view.getInt32(4 * i, true);
    return Number(view.getBigInt64(8 * i, true));
  });
}
