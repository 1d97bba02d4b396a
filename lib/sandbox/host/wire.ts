/**
 * What a sandbox host and its clients say: one connection a play, each message 32 bits of length (little-endian) and
 * JSON. The host speaks first ({@link hello}); then each request has one reply, with its number.
 *
 * It guarantees: a length above the cap is refused before the body is read; nothing passes that does not have its shape.
 * The closed connection is the kill switch in both directions.
 * @module
 */
import { z } from "zod";
import { failure } from "../../core/outcome.ts";
import { MAX_FRAME_BYTES } from "../frames.ts";
import * as child from "../replies.ts";

/** Raised when the messages change. */
export const HOST_VERSION = 1;

/** How long each side waits for what takes no time at all. */
export const MARGIN_MS = 10_000;

const positive = z.number().positive();
const limits = z.strictObject({
  requestCpuSeconds: positive,
  requestSeconds: positive,
  cpuSeconds: positive,
  seconds: positive,
  memoryMb: positive,
});

/** What every version of a host says first. */
export const anyHello = z.looseObject({ version: z.int() });

/** What this version says first. */
export const hello = z.strictObject({
  version: z.literal(HOST_VERSION),
  level: z.enum(["full", "uid+landlock+seccomp", "landlock+seccomp", "seccomp", "wasm"]),
  layers: z.record(z.string(), z.union([z.literal(true), z.string()])),
  /** Of plays whose start names none. */
  limits,
});
/** What a host says of itself. */
export type Hello = z.infer<typeof hello>;

const i = z.int().min(0);
const opening = { i, source: z.string() };
const asked = <T extends string, S extends z.ZodRawShape>(op: T, shape: S) =>
  z.strictObject({ i, op: z.literal(op), ...shape });

/** What a client may ask: `start` or `parse` first, the others after a start. */
export const request = z.discriminatedUnion("op", [
  asked("start", {
    ...opening,
    limits,
    maxTurns: z.int().optional(),
    hashSeed: z.union([z.literal(0), z.literal(1)]).optional(),
  }),
  asked("parse", { ...opening, details: z.boolean() }),
  asked("reset", { seed: z.number(), fresh: z.boolean() }),
  asked("step", { action: z.string() }),
  asked("tools", {}),
  asked("call", { name: z.string(), args: z.record(z.string(), z.unknown()) }),
  asked("answer", { text: z.string() }),
  asked("criteria", {}),
  asked("solution", {}),
]);
/** A request of a client. */
export type Request = z.infer<typeof request>;

/** Shape of a reply whose value has the given shape. */
function replyOf<T extends z.ZodType>(value: T) {
  const ok = z.strictObject({ kind: z.literal("ok"), value });
  return z.strictObject({ i, result: z.discriminatedUnion("kind", [ok, failure]) });
}

/** What comes back, by request: the shapes that the host has read them with, without their numbers. */
export const replies = {
  start: replyOf(child.initReply.omit({ i: true })),
  parse: replyOf(child.parseReply.omit({ i: true })),
  reset: replyOf(child.resetReply.omit({ i: true })),
  step: replyOf(child.stepReply.omit({ i: true })),
  tools: replyOf(
    child.toolsReply.omit({ i: true }).extend({ tools: child.toolsReply.shape.tools.unwrap() })
      .nullable(),
  ),
  call: replyOf(child.callReply.omit({ i: true })),
  criteria: replyOf(child.criteriaReply.shape.criteria),
  solution: replyOf(child.solutionReply.shape.solution),
};

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a body. Throws where it is not JSON of that shape. */
export function read<T>(body: Uint8Array, shape: z.ZodType<T>): T {
  return shape.parse(JSON.parse(decoder.decode(body)));
}

/** Messages over a connection. */
export class Wire {
  readonly #connection: Deno.Conn;
  #closed = false;

  /** Takes the connection over. */
  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** Throws RangeError, and sends nothing, where the message is above the cap. */
  async send(message: unknown): Promise<void> {
    const body = encoder.encode(JSON.stringify(message));
    if (body.length > MAX_FRAME_BYTES) {
      const problem = `is ${body.length} bytes, must be at most ${MAX_FRAME_BYTES}`;
      throw new RangeError(`Cannot send a message: it ${problem}`);
    }
    const frame = new Uint8Array(4 + body.length);
    new DataView(frame.buffer).setUint32(0, body.length, true);
    frame.set(body, 4);
    for (let sent = 0; sent < frame.length;) {
      sent += await this.#connection.write(frame.subarray(sent));
    }
  }

  /** The next body; null where the other side has ended. Throws RangeError at a length above the cap. */
  async receive(): Promise<Uint8Array | null> {
    const head = await this.#exactly(4);
    if (head === null) return null;
    const size = new DataView(head.buffer).getUint32(0, true);
    if (size > MAX_FRAME_BYTES) {
      const problem = `is ${size} bytes, must be at most ${MAX_FRAME_BYTES}`;
      throw new RangeError(`Cannot read a message: it ${problem}`);
    }
    return await this.#exactly(size);
  }

  /** Says that nothing more is asked; what the other side still sends can be read. */
  async end(): Promise<void> {
    try {
      await this.#connection.closeWrite();
    } catch {
      // the other side was faster
    }
  }

  /** Closes the connection; more than once does nothing. */
  close(): void {
    if (!this.#closed) this.#connection.close();
    this.#closed = true;
  }

  async #exactly(size: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const data = new Uint8Array(size);
    for (let have = 0; have < size;) {
      const more = await this.#connection.read(data.subarray(have));
      if (more === null) return null;
      have += more;
    }
    return data;
  }
}
