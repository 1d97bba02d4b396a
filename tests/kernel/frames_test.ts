import assert from "node:assert/strict";
import { encodeFrames, FrameReader, greeting } from "../../lib/kernel/frames.ts";

const bodies = [new Uint8Array(0), new Uint8Array(255).fill(1), new Uint8Array(70_000).fill(2)];

for (const size of [1, 7, 1000, 100_000]) {
  Deno.test(`a message comes through in pieces of ${size} bytes`, () => {
    const reader = new FrameReader();
    const sent = encodeFrames(bodies);
    const got: Uint8Array[] = [];
    let last = true;
    for (let at = 0; at < sent.length; at += size) {
      reader.push(sent.slice(at, at + size));
      for (let frame = reader.frame(); frame !== undefined; frame = reader.frame()) {
        got.push(frame.body);
        last = frame.more;
        assert.equal(frame.command, false);
      }
    }
    assert.deepEqual(got, bodies);
    assert.equal(last, false);
    assert.equal(reader.frame(), undefined);
  });
}

Deno.test("a length that no kernel sends is refused before its bytes are awaited", () => {
  const reader = new FrameReader();
  reader.push(new Uint8Array([2, 1, 0, 0, 0, 0, 0, 0, 0]));
  assert.throws(() => reader.frame(), { name: "RangeError", message: /Cannot read a frame/ });
});

Deno.test("bytes() waits for all of them", () => {
  const reader = new FrameReader();
  reader.push(greeting().slice(0, 63));
  assert.equal(reader.bytes(64), undefined);
  reader.push(greeting().slice(63));
  assert.deepEqual(reader.bytes(64), greeting());
});
