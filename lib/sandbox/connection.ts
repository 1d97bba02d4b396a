/**
 * One connection to one child, from the fork on: bytes in and out, and no judgement of what they mean.
 *
 * The zygote writes the play's number before the child exists, the child one byte once it is confined, and from then on
 * frames: length (32 bits, little-endian), JSON. Nothing of the program runs before its first request is read.
 * @module
 */
import { MAX_FRAME_BYTES } from "./frames.ts";

/** Who hears of a connection. */
export interface Ear {
  /** The number of the play is there. */
  named(): void;
  /** One whole frame. `surplus` says that more came with it. */
  frame(body: Uint8Array, surplus: boolean): void;
  /** What was sent is outside the protocol. */
  violation(detail: string): void;
  /** Nothing will come any more. */
  silent(): void;
}

const FIRST_BYTES = 4096;
const HELLO_BYTES = 4;
const CONFINED = 1;
const encoder = new TextEncoder();

/** A connection to one child: one message in each direction at a time. */
export class Connection {
  /** Number of the play, from the zygote; undefined until it is read. */
  play: number | undefined;
  /** Whether the child stands behind its wall. */
  confined = false;
  /** Whether the child's end is closed. */
  ended = false;
  /** Who hears what comes. */
  ear: Ear | undefined;
  readonly #conn: Deno.Conn;
  readonly #settled = Promise.withResolvers<void>();
  #incoming: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_BYTES);
  #have = 0;
  #outgoing = new Uint8Array(FIRST_BYTES);
  #writing = false;

  /** Begins to read at once. */
  constructor(conn: Deno.Conn) {
    this.#conn = conn;
    this.#read();
  }

  /** Settles when the child stands behind its wall, or never will. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Sends one message. False where the one before has not been taken yet. */
  send(message: unknown): boolean {
    if (this.#writing) return false;
    const text = JSON.stringify(message);
    if (4 + text.length * 3 > this.#outgoing.length) {
      this.#outgoing = new Uint8Array(4 + text.length * 3);
    }
    const size = encoder.encodeInto(text, this.#outgoing.subarray(4)).written;
    if (size > MAX_FRAME_BYTES) {
      const problem = `body is ${size} bytes, must be at most ${MAX_FRAME_BYTES}`;
      throw new RangeError(`Cannot send a frame: ${problem}`);
    }
    new DataView(this.#outgoing.buffer).setUint32(0, size, true);
    this.#write(this.#outgoing.subarray(0, 4 + size));
    return true;
  }

  /** Closes it; more than once does nothing. */
  close(): void {
    try {
      this.#conn.close();
    } catch {
      // it was closed already
    }
  }

  async #write(data: Uint8Array): Promise<void> {
    this.#writing = true;
    try {
      let sent = 0;
      while (sent < data.length) sent += await this.#conn.write(data.subarray(sent));
    } catch {
      // a broken pipe: the child is gone, and the end of the stream says so
    } finally {
      this.#writing = false;
    }
  }

  async #read(): Promise<void> {
    try {
      let count: number | null;
      while ((count = await this.#conn.read(this.#incoming.subarray(this.#have))) !== null) {
        this.#have += count;
        this.#take();
      }
    } catch {
      // reset by the child's death, or closed here
    }
    this.ended = true;
    this.#have = 0;
    this.#settled.resolve();
    this.ear?.silent();
  }

  #take(): void {
    if (this.play === undefined) {
      if (this.#have < HELLO_BYTES) return;
      this.play = new DataView(this.#incoming.buffer).getUint32(0, true);
      this.#drop(HELLO_BYTES);
      this.ear?.named();
    }
    if (!this.confined) {
      if (this.#have === 0) return;
      if (this.#incoming[0] !== CONFINED) return this.#refuse("not confined");
      this.confined = true;
      this.#drop(1);
      this.#settled.resolve();
    }
    if (this.#have < 4) return;
    const size = new DataView(this.#incoming.buffer).getUint32(0, true);
    if (size > MAX_FRAME_BYTES) return this.#refuse(`frame of ${size} bytes`);
    const end = 4 + size;
    if (this.#have < end) return this.#grow(end);
    const surplus = this.#have > end;
    const body = this.#incoming.slice(4, end);
    this.#have = 0;
    if (this.#incoming.length > FIRST_BYTES) this.#incoming = new Uint8Array(FIRST_BYTES);
    this.ear?.frame(body, surplus);
  }

  #refuse(detail: string): void {
    this.#have = 0;
    this.ear?.violation(detail);
  }

  #drop(count: number): void {
    this.#incoming.copyWithin(0, count, this.#have);
    this.#have -= count;
  }

  /** Room for `size` bytes: no more than a frame, whatever is announced. */
  #grow(size: number): void {
    if (size <= this.#incoming.length) return;
    const larger = new Uint8Array(size);
    larger.set(this.#incoming.subarray(0, this.#have));
    this.#incoming = larger;
  }
}
