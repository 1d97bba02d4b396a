/**
 * Frames between the host and a zygote: length (32 bits), play (32 bits), kind (8 bits), little-endian, then that many
 * bytes. What children say travels inside; its length was checked by the zygote and is checked again here.
 * @module
 */
import type { z } from "zod";

/** Bytes in front of a body. */
export const HEADER_BYTES = 9;
/** Longest frame that is read or sent. */
export const MAX_FRAME_BYTES = 1 << 20;
/** Values in one body: more than any that holds to the contract has. Reading them takes time that all plays share. */
const MAX_VALUES = 1 << 16;
/** Bytes of `LIMITS` in front of a start request: five doubles. */
export const LIMITS_BYTES = 40;

/** Kinds the host sends. */
export const START = 1, REQUEST = 2, KILL = 3;
/** Kinds the host sends of plays with a connection: their limits, CPU time counts from now on, or no longer, or a
 * request takes long; and of all to come: what a child is forked with. */
export const BEGIN = 4, COUNT = 5, UNCOUNT = 6, LIMIT = 7, LOOK = 8;
/** Kinds a zygote sends. */
export const READY = 1, REPLY = 2, EXIT = 3, LIMITED = 4;

/** One frame. */
export interface Frame {
  /** One of the kinds above. */
  kind: number;
  /** Play it is about; 0: the zygote. */
  play: number;
  /** What it says. */
  body: Uint8Array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** One frame whose body is `prefix` and the JSON of `message` (either may be missing). */
export function encodeFrame(
  kind: number,
  play: number,
  message?: unknown,
  prefix?: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const text = message === undefined ? undefined : encoder.encode(JSON.stringify(message));
  const before = prefix?.length ?? 0;
  const size = before + (text?.length ?? 0);
  if (size > MAX_FRAME_BYTES) {
    throw new RangeError(
      `Cannot send a frame: body is ${size} bytes, must be at most ${MAX_FRAME_BYTES}`,
    );
  }
  const frame = new Uint8Array(HEADER_BYTES + size);
  const view = new DataView(frame.buffer);
  view.setUint32(0, size, true);
  view.setUint32(4, play, true);
  view.setUint8(8, kind);
  if (prefix) frame.set(prefix, HEADER_BYTES);
  if (text) frame.set(text, HEADER_BYTES + before);
  return frame;
}

/** Cuts a byte stream into frames. Throws RangeError at a length above the cap, before the body is read. */
export class FrameReader {
  #rest = new Uint8Array(0);

  /** Frames that `chunk` completes; their bodies are copies. */
  push(chunk: Uint8Array): Frame[] {
    let data = chunk;
    if (this.#rest.length > 0) {
      data = new Uint8Array(this.#rest.length + chunk.length);
      data.set(this.#rest);
      data.set(chunk, this.#rest.length);
    }
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const frames: Frame[] = [];
    let start = 0;
    while (data.length - start >= HEADER_BYTES) {
      const size = view.getUint32(start, true);
      if (size > MAX_FRAME_BYTES) {
        throw new RangeError(
          `Cannot read a frame: body is ${size} bytes, must be at most ${MAX_FRAME_BYTES}`,
        );
      }
      const end = start + HEADER_BYTES + size;
      if (end > data.length) break;
      frames.push({
        play: view.getUint32(start + 4, true),
        kind: view.getUint8(start + 8),
        body: data.slice(start + HEADER_BYTES, end),
      });
      start = end;
    }
    this.#rest = data.slice(start);
    return frames;
  }
}

/**
 * Whether every number in a JSON value is finite (`JSON.parse("1e999")` is Infinity), every string well-formed, nothing
 * nested too deeply and nothing repeated too often.
 */
export function isClean(value: unknown): boolean {
  let left = MAX_VALUES;
  const clean = (value: unknown, depth: number): boolean => {
    if (--left < 0) return false;
    if (typeof value === "number") return Number.isFinite(value);
    if (typeof value === "string") return value.isWellFormed();
    if (value === null || typeof value !== "object") return true;
    if (depth > 32) return false;
    if (Array.isArray(value)) return value.every((item) => clean(item, depth + 1));
    for (const key in value) {
      const item = (value as Record<string, unknown>)[key];
      if (!key.isWellFormed() || !clean(item, depth + 1)) return false;
    }
    return true;
  };
  return clean(value, 0);
}

/** Reads a body: strict UTF-8, JSON, finite, well-formed, and of the given shape. Throws otherwise. */
export function decodeBody<T>(body: Uint8Array, schema: z.ZodType<T>): T {
  const value: unknown = JSON.parse(decoder.decode(body));
  if (!isClean(value)) {
    throw new TypeError(
      "Cannot read a reply: it has a number that is not finite, a string that is not well-formed or too many values",
    );
  }
  return schema.parse(value);
}
