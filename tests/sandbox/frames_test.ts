import assert from "node:assert/strict";
import fc from "fast-check";
import { z } from "zod";
import {
  decodeBody,
  encodeFrame,
  FrameReader,
  isClean,
  MAX_FRAME_BYTES,
  REPLY,
} from "../../lib/sandbox/frames.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const any = z.unknown();

Deno.test("FrameReader gives back frames however the stream is cut", () => {
  const arbitrary = fc.tuple(
    fc.array(fc.tuple(fc.nat(1000), fc.string()), { maxLength: 8 }),
    fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 9 }),
  );
  fc.assert(fc.property(arbitrary, ([messages, cuts]) => {
    const stream = messages.flatMap(([play, text]) => [...encodeFrame(REPLY, play, text)]);
    const reader = new FrameReader();
    const seen: [number, unknown][] = [];
    for (let position = 0, turn = 0; position < stream.length; turn++) {
      const size = cuts[turn % cuts.length];
      for (const frame of reader.push(Uint8Array.from(stream.slice(position, position + size)))) {
        assert.equal(frame.kind, REPLY);
        seen.push([frame.play, decodeBody(frame.body, z.string())]);
      }
      position += size;
    }
    assert.deepEqual(seen, messages.map(([play, text]) => [play, text.toWellFormed()]));
  }));
});

Deno.test("FrameReader refuses a length above the cap before the body is there", () => {
  const header = new Uint8Array(9);
  new DataView(header.buffer).setUint32(0, MAX_FRAME_BYTES + 1, true);
  assert.throws(() => new FrameReader().push(header), RangeError);
});

Deno.test("encodeFrame() refuses a body above the cap", () => {
  assert.throws(() => encodeFrame(REPLY, 1, "x".repeat(MAX_FRAME_BYTES)), RangeError);
});

Deno.test("decodeBody() refuses what is not UTF-8, not JSON, not finite, not well-formed", () => {
  assert.throws(() => decodeBody(Uint8Array.of(34, 0xff, 34), any));
  assert.throws(() => decodeBody(bytes("{"), any));
  assert.throws(() => decodeBody(bytes('{"reward": 1e999}'), any), /finite/);
  assert.throws(() => decodeBody(bytes('["\\ud800"]'), any), /well-formed/);
  assert.throws(() => decodeBody(bytes('{"\\udc00": 1}'), any), /well-formed/);
  assert.throws(() => decodeBody(bytes("1"), z.string()));
  assert.equal(decodeBody(bytes('"\\ud83d\\ude00"'), z.string()), "😀");
});

Deno.test("isClean() refuses what is nested too deeply", () => {
  let value: unknown = 1;
  for (let i = 0; i < 100; i++) value = [value];
  assert.equal(isClean(value), false);
  assert.equal(isClean({ a: [null, true, "x", 1.5] }), true);
  assert.equal(isClean(JSON.parse('{"__proto__": {"a": "\\ud800"}}')), false);
});

Deno.test("isClean() refuses what has too many values", () => {
  assert.equal(isClean(Array(65_000).fill(0)), true);
  assert.equal(isClean({ a: Array(70_000).fill(0) }), false);
});
