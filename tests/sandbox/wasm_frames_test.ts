import assert from "node:assert/strict";
import { imageHeader, packImage, packJson, unpackImage } from "../../lib/sandbox/wasm/pack.ts";
import { Piece } from "../../lib/sandbox/wasm/piece.ts";
import { MAX_FRAME_BYTES } from "../../lib/sandbox/frames.ts";

function reply(size: number, length = size): Uint8Array {
  const bytes = new Uint8Array(4 + size).fill(7);
  new DataView(bytes.buffer).setUint32(0, length, true);
  return bytes;
}

Deno.test("Piece gives a reply once it is whole, however it was cut", () => {
  for (const cut of [1, 3, 4, 5, 9]) {
    const piece = new Piece();
    const bytes = reply(6);
    assert.equal(piece.push(bytes.subarray(0, cut)), undefined);
    assert.equal(piece.take(), undefined);
    assert.equal(piece.push(bytes.subarray(cut)), undefined);
    assert.deepEqual(piece.take(), new Uint8Array(6).fill(7));
    assert.equal(piece.take(), undefined);
  }
});

Deno.test("Piece refuses a length above the cap before the body, and a second reply", () => {
  assert.match(new Piece().push(reply(0, 0xffffffff)) ?? "", /frame of 4294967295 bytes/);
  assert.match(new Piece().push(new Uint8Array(MAX_FRAME_BYTES + 5)) ?? "", /frame of more than/);
  const twice = new Uint8Array([...reply(2), ...reply(2)]);
  assert.equal(new Piece().push(twice), "more than one reply to a request");
});

Deno.test("an image is read back as it was written, and a cut one is refused", async () => {
  const header = { info: { python: "3" }, python: "3.14", missing: ["x"] };
  const parts = { wasm: new Uint8Array([1, 2]), snapshot: new Uint8Array([3]) };
  const whole = new Uint8Array(packImage(header, parts).flatMap((part) => [...part]));
  let position = 0;
  const read = (size: number) => Promise.resolve(whole.slice(position, position += size));
  assert.deepEqual(await unpackImage(read), { header, parts });
  assert.deepEqual(imageHeader(whole), header);
  assert.throws(() => imageHeader(whole.slice(0, -1)), /must be/);
  assert.equal(packJson({}).length, 6);
});
