/**
 * ZMTP 3.0, the wire form of ZeroMQ, as far as a Jupyter kernel needs it: the NULL mechanism, commands and messages of
 * several frames. Pure: bytes in, bytes out.
 * @module
 */

/** Length of the greeting that both sides send first. */
export const GREETING_BYTES = 64;
/** No message of a kernel is larger; a larger length is a broken stream. */
const MAX_FRAME_BYTES = 2 ** 30;
const MORE = 1, LONG = 2, COMMAND = 4;

/** One frame as it came. */
export interface Frame {
  /** Its content. */
  body: Uint8Array;
  /** The message goes on in the next frame. */
  more: boolean;
  /** A command of the protocol, not part of a message. */
  command: boolean;
}

/**
 * What a client says first: ZMTP 3.0, no security.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(greeting().length, 64);
 * ```
 */
export function greeting(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(GREETING_BYTES);
  bytes[0] = 0xff;
  bytes[9] = 0x7f;
  bytes[10] = 3;
  bytes.set(new TextEncoder().encode("NULL"), 12);
  return bytes;
}

/**
 * The command that ends the handshake and says what kind of socket this is.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const reader = new FrameReader();
 * reader.push(readyCommand("SUB"));
 * assert.equal(reader.frame()?.command, true);
 * ```
 */
export function readyCommand(socketType: "DEALER" | "SUB"): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const [ready, key, value] = ["READY", "Socket-Type", socketType].map((x) => encoder.encode(x));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, value.length);
  const body = concat([[ready.length], ready, [key.length], key, length, value]);
  return encodeFrame({ body, more: false, command: true });
}

/**
 * A message of one or more frames.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual([...encodeFrames([new Uint8Array([7]), new Uint8Array(0)])], [1, 1, 7, 0, 0]);
 * ```
 */
export function encodeFrames(bodies: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const last = bodies.length - 1;
  return concat(
    bodies.map((body, index) => encodeFrame({ body, more: index < last, command: false })),
  );
}

/**
 * One frame as it goes over the wire.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const frame = { body: new Uint8Array([7]), more: false, command: true };
 * assert.deepEqual([...encodeFrame(frame)], [4, 1, 7]);
 * ```
 */
export function encodeFrame({ body, more, command }: Frame): Uint8Array<ArrayBuffer> {
  const flags = (more ? MORE : 0) | (command ? COMMAND : 0);
  if (body.length < 256) return concat([[flags, body.length], body]);
  const head = new Uint8Array(9);
  head[0] = flags | LONG;
  new DataView(head.buffer).setBigUint64(1, BigInt(body.length));
  return concat([head, body]);
}

function concat(parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Cuts a stream of bytes into the greeting and frames, however the bytes arrive. */
export class FrameReader {
  #chunks: Uint8Array[] = [];
  #length = 0;

  /** Takes bytes as they come; they must not change afterwards. */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  /** The next `count` bytes, or undefined until they are there. */
  bytes(count: number): Uint8Array | undefined {
    if (this.#length < count) return undefined;
    const joined = this.#joined();
    this.#chunks = [joined.subarray(count)];
    this.#length -= count;
    return joined.subarray(0, count);
  }

  /**
   * The next frame, or undefined until it is there.
   *
   * @throws {RangeError} where its length cannot be that of a kernel's message.
   */
  frame(): Frame | undefined {
    if (this.#length < 2) return undefined;
    const flags = this.#byte(0);
    let head = 2;
    let length = 0;
    if (flags & LONG) {
      head = 9;
      if (this.#length < head) return undefined;
      const joined = this.#joined();
      length = Number(new DataView(joined.buffer, joined.byteOffset).getBigUint64(1));
    } else length = this.#byte(1);
    if (length > MAX_FRAME_BYTES) {
      throw new RangeError(`Cannot read a frame: its length is ${length}, must be below 2^30`);
    }
    const whole = this.bytes(head + length);
    return whole && {
      body: whole.subarray(head),
      more: (flags & MORE) !== 0,
      command: (flags & COMMAND) !== 0,
    };
  }

  #byte(index: number): number {
    return this.#chunks[0].length > index ? this.#chunks[0][index] : this.#joined()[index];
  }

  /** All bytes in one piece; a large message is joined once, when it is whole. */
  #joined(): Uint8Array {
    if (this.#chunks.length > 1) this.#chunks = [concat(this.#chunks)];
    return this.#chunks[0];
  }
}
