import assert from "node:assert/strict";
import { Connection } from "../../lib/sandbox/connection.ts";

/** A connection over given chunks, and what is heard of it. */
async function heard(...chunks: number[][]) {
  const waiting = chunks.map((chunk) => Uint8Array.from(chunk));
  const sent: Uint8Array[] = [];
  const conn = {
    read(into: Uint8Array): Promise<number | null> {
      const chunk = waiting.shift();
      if (!chunk) return Promise.resolve(null);
      const part = chunk.subarray(0, into.length);
      into.set(part);
      if (part.length < chunk.length) waiting.unshift(chunk.subarray(part.length));
      return Promise.resolve(part.length);
    },
    write(data: Uint8Array): Promise<number> {
      sent.push(data.slice());
      return Promise.resolve(data.length);
    },
    close() {},
  };
  const events: string[] = [];
  const connection = new Connection(conn as unknown as Deno.Conn);
  await new Promise<void>((resolve) => {
    connection.ear = {
      named: () => void events.push(`play ${connection.play}`),
      frame: (body, surplus) =>
        void events.push(new TextDecoder().decode(body) + (surplus ? " and more" : "")),
      violation: (detail) => void events.push(`violation: ${detail}`),
      silent: () => resolve(),
    };
  });
  return { connection, events, sent };
}

const hello = [7, 0, 0, 128], ready = [1], frame = [2, 0, 0, 0, 97, 98];

Deno.test("a connection names its play, its wall and whole frames, however they are cut", async () => {
  const whole = [...hello, ...ready, ...frame];
  const expected = [`play ${0x80000007}`, "ab"];
  assert.deepEqual((await heard(whole)).events, expected);
  assert.deepEqual((await heard(...whole.map((byte) => [byte]))).events, expected);
  const { connection } = await heard(hello);
  assert.deepEqual([connection.confined, connection.ended], [false, true]);
  await connection.settled;
});

Deno.test("a frame in many pieces, also longer than the first buffer, arrives whole", async () => {
  const long = [0, 64, 0, 0, ...Array(1 << 14).fill(120)];
  const { events } = await heard([...hello, ...ready], long.slice(0, 100), long.slice(100));
  assert.equal(events[1], "x".repeat(1 << 14));
});

Deno.test("what is outside the protocol is a violation, or a frame with more behind it", async () => {
  assert.match((await heard(hello, [2])).events[1], /violation: not confined/);
  const huge = [...hello, ...ready, 255, 255, 255, 127];
  assert.match((await heard(huge)).events[1], /violation: frame of 2147483647 bytes/);
  assert.equal((await heard([...hello, ...ready, ...frame, 0])).events[1], "ab and more");
});

Deno.test("a message is one frame; the next waits for it to be taken", async () => {
  const { connection, sent } = await heard(hello, ready);
  assert.equal(connection.send({ a: "é" }), true);
  assert.equal(connection.send({}), false);
  const taken = () => new Promise((resolve) => setTimeout(resolve, 0));
  await taken();
  assert.equal(connection.send({}), true);
  await taken();
  assert.deepEqual([...sent[0].slice(0, 4)], [10, 0, 0, 0]);
  assert.equal(new TextDecoder().decode(sent[0].subarray(4)), '{"a":"é"}');
  assert.throws(() => connection.send({ a: "x".repeat(1 << 20) }), RangeError);
});
