import assert from "node:assert/strict";
import * as fc from "fast-check";
import { decode, encode, type Message } from "../../lib/engine/proto/codec.ts";
import {
  dtypes,
  forwardBackwardOutput,
  forwardBackwardRequest,
  packed,
  sampleResponse,
  unpacked,
} from "../../lib/engine/proto/messages.ts";

const hex = (bytes: Uint8Array) =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");

Deno.test("encode() writes the bytes the format asks for", () => {
  const inner: Message = { a: { number: 1, kind: "int" } };
  const message: Message = {
    a: { number: 1, kind: "int" },
    b: { number: 2, kind: "string" },
    c: { number: 3, kind: inner },
    d: { number: 4, kind: "int", many: "list" },
    e: { number: 5, kind: "double", many: "map" },
  };
  // the examples of the format's own description
  assert.equal(hex(encode(message, { a: 150 })), "08 96 01");
  assert.equal(hex(encode(message, { b: "testing" })), "12 07 74 65 73 74 69 6e 67");
  assert.equal(hex(encode(message, { c: { a: 150 } })), "1a 03 08 96 01");
  assert.equal(hex(encode(message, { d: [3, 270, 86942] })), "22 06 03 8e 02 9e a7 05");
  assert.equal(hex(encode(message, { e: { k: 1 } })), "2a 0c 0a 01 6b 11 00 00 00 00 00 00 f0 3f");
  assert.equal(hex(encode(message, { a: -1 })), "08 ff ff ff ff ff ff ff ff ff 01");
  assert.equal(hex(encode(message, { a: 0, b: "", d: [] })), "", "defaults are left out");
  assert.throws(() => encode(message, { a: 0.5 }), RangeError);
});

Deno.test("every message comes back as it was sent", () => {
  const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
    fc.record(model, { noNullPrototype: true });
  const bytes = fc.uint8Array({ maxLength: 20 });
  const tensor = record({
    dense: bytes.filter((given) => given.length > 0),
    dtype: fc.integer({ min: 0, max: 4 }),
    shape: fc.array(fc.nat(), { maxLength: 3 }),
  });
  const request = record({
    model_id: fc.string({ unit: "grapheme" }),
    seq_id: fc.nat(),
    data: fc.array(
      record({
        model_input: fc.array(
          record({
            encoded_text: record({ tokens: bytes.filter(({ length }) => length > 0) }),
          }),
          { maxLength: 3 },
        ),
        loss_fn_inputs: fc.dictionary(fc.string().filter((key) => key !== "__proto__"), tensor, {
          maxKeys: 3,
          noNullPrototype: true,
        }),
      }),
      { maxLength: 4 },
    ),
    loss_fn: fc.string(),
    loss_fn_config: fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.double({ noNaN: true }),
      { maxKeys: 3, noNullPrototype: true },
    ),
    forward_only: fc.boolean(),
  });
  fc.assert(fc.property(request, (value) => {
    assert.deepEqual(decode(forwardBackwardRequest, encode(forwardBackwardRequest, value)), value);
  }));
});

Deno.test("decode() skips what it does not know and refuses what is cut or odd", () => {
  const value = {
    sequences: [{
      stop_reason: 1,
      tokens: packed([1, 2], "int32"),
      logprobs: packed([-1, -2], "float32"),
    }],
  };
  const bytes = encode(sampleResponse, value);
  const unknown = Uint8Array.from([...bytes, 8 * 99 + 2 & 127 | 128, (8 * 99 + 2) >> 7, 1, 65]);
  assert.deepEqual(decode(sampleResponse, unknown), decode(sampleResponse, bytes));
  for (let length = 1; length < bytes.length; length++) {
    assert.throws(() => decode(sampleResponse, bytes.subarray(0, length)), SyntaxError);
  }
  assert.throws(() => decode(sampleResponse, Uint8Array.from([0x0f])), SyntaxError);
  assert.throws(
    () => decode(forwardBackwardOutput, Uint8Array.from([0x08, 1])),
    /wire type is 0, must be 2/,
  );
  assert.throws(() => decode(forwardBackwardOutput, Uint8Array.from([0x0a, 1, 0xff])), /not UTF-8/);
  const random = fc.uint8Array({ maxLength: 60 });
  fc.assert(fc.property(random, (given) => {
    try {
      decode(forwardBackwardRequest, given);
    } catch (error) {
      assert.ok(error instanceof SyntaxError, String(error));
    }
  }));
});

Deno.test("packed() is little-endian, and unpacked() its inverse", () => {
  assert.equal(hex(packed([1, 258], "int32")), "01 00 00 00 02 01 00 00");
  assert.equal(hex(packed([-2], "int64")), "fe ff ff ff ff ff ff ff");
  assert.equal(hex(packed([1], "float32")), "00 00 80 3f");
  assert.deepEqual(unpacked(packed([5, -6], "int64"), dtypes.int64), [5, -6]);
  assert.ok(Number.isNaN(unpacked(packed([NaN], "float32"), dtypes.float32)[0]));
  assert.throws(() => unpacked(new Uint8Array(6), dtypes.float32), SyntaxError);
  assert.throws(() => unpacked(new Uint8Array(8), 4), SyntaxError);
});
