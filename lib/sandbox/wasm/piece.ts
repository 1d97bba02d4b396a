/**
 * One reply that comes in pieces: a 32-bit little-endian length, then that many bytes.
 * @module
 */
import { MAX_FRAME_BYTES } from "../frames.ts";

const LENGTH_BYTES = 4;
/** Leaves room for the token in the frame to the host. */
const MAX_REPLY_BYTES = MAX_FRAME_BYTES - 64;

/** A reply as far as it has come. */
export class Piece {
  #bytes = new Uint8Array(0);

  /** Takes more of it. Returns what is wrong: too long, or more than one reply. */
  push(more: Uint8Array): string | undefined {
    if (this.#bytes.length + more.length > LENGTH_BYTES + MAX_REPLY_BYTES) {
      return `frame of more than ${MAX_REPLY_BYTES} bytes`;
    }
    const bytes = new Uint8Array(this.#bytes.length + more.length);
    bytes.set(this.#bytes);
    bytes.set(more, this.#bytes.length);
    this.#bytes = bytes;
    const size = this.#size();
    if (size === undefined) return undefined;
    if (size > MAX_REPLY_BYTES) return `frame of ${size} bytes`;
    return bytes.length > LENGTH_BYTES + size ? "more than one reply to a request" : undefined;
  }

  /** The body, once it is whole. */
  take(): Uint8Array | undefined {
    const size = this.#size();
    if (size === undefined || this.#bytes.length < LENGTH_BYTES + size) return undefined;
    const body = this.#bytes.subarray(LENGTH_BYTES);
    this.#bytes = new Uint8Array(0);
    return body;
  }

  #size(): number | undefined {
    if (this.#bytes.length < LENGTH_BYTES) return undefined;
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getUint32(0, true);
  }
}
