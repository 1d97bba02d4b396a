/**
 * Messages of Jupyter's protocol 5.3: a header, its parent's header and a content, signed.
 * @module
 */
import { z } from "zod";

const DELIMITER = "<IDS|MSG>";
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A message as its receiver needs it. */
export interface KernelMessage {
  /** E.g. `execute_reply`, `stream`. */
  type: string;
  /** Id of the request it answers or belongs to; empty where there is none. */
  parentId: string;
  /** By type. */
  content: Record<string, unknown>;
  /** Mostly empty. */
  metadata: Record<string, unknown>;
}

const header = z.looseObject({ msg_type: z.string() });
const parent = z.looseObject({ msg_id: z.string().optional() }).nullable();
const record = z.record(z.string(), z.unknown());

/** Signs and reads the messages of one session. */
export class Messages {
  readonly #key: CryptoKey;
  readonly #session = crypto.randomUUID();

  private constructor(key: CryptoKey) {
    this.#key = key;
  }

  /** For the key of a connection file. */
  static async open(key: string): Promise<Messages> {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const raw = encoder.encode(key);
    return new Messages(await crypto.subtle.importKey("raw", raw, algorithm, false, ["sign"]));
  }

  /** A request: its id and its frames. */
  async request(
    type: string,
    content: Record<string, unknown>,
  ): Promise<{ id: string; frames: Uint8Array[] }> {
    const head = this.#header(type);
    return { id: head.msg_id, frames: await this.#signed([head, {}, {}, content]) };
  }

  /** The frames of an answer to a request that came in these frames. */
  async reply(
    request: readonly Uint8Array[],
    type: string,
    content: Record<string, unknown>,
  ): Promise<Uint8Array[]> {
    const parent = JSON.parse(decoder.decode(request[delimiterOf(request) + 2]));
    return await this.#signed([this.#header(type), parent, {}, content]);
  }

  /** Whether somebody who has the key sent these frames. */
  async isSigned(frames: readonly Uint8Array[]): Promise<boolean> {
    const at = delimiterOf(frames);
    if (at < 0 || frames.length < at + 6) return false;
    return decoder.decode(frames[at + 1]) === await this.#signature(frames.slice(at + 2, at + 6));
  }

  #header(type: string) {
    return {
      msg_id: crypto.randomUUID(),
      session: this.#session,
      username: "spade",
      msg_type: type,
      version: "5.3",
    };
  }

  async #signed(contents: readonly unknown[]): Promise<Uint8Array[]> {
    const parts = contents.map((part) => encoder.encode(JSON.stringify(part)));
    return [encoder.encode(DELIMITER), encoder.encode(await this.#signature(parts)), ...parts];
  }

  async #signature(parts: readonly Uint8Array[]): Promise<string> {
    const signed = await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer();
    return new Uint8Array(await crypto.subtle.sign("HMAC", this.#key, signed)).toHex();
  }
}

function delimiterOf(frames: readonly Uint8Array[]): number {
  return frames.findIndex((frame) =>
    frame.length === DELIMITER.length && decoder.decode(frame) === DELIMITER
  );
}

/**
 * Reads a message. Its signature is not checked: what a kernel sends comes over a connection that this side opened.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const frames = ["<IDS|MSG>", "", '{"msg_type":"status"}', "{}", "{}", '{"execution_state":"idle"}'];
 * const { type, content } = readMessage(frames.map((frame) => new TextEncoder().encode(frame)));
 * assert.deepEqual([type, content], ["status", { execution_state: "idle" }]);
 * ```
 *
 * @throws {SyntaxError} where it is none.
 */
export function readMessage(frames: readonly Uint8Array[]): KernelMessage {
  const at = delimiterOf(frames);
  const parts = frames.slice(at + 2, at + 6).map((frame) => JSON.parse(decoder.decode(frame)));
  if (at < 0 || parts.length < 4) {
    throw new SyntaxError(`Cannot read a kernel's message: it has ${frames.length} frames`);
  }
  return {
    type: header.parse(parts[0]).msg_type,
    parentId: parent.parse(parts[1])?.msg_id ?? "",
    metadata: record.parse(parts[2] ?? {}),
    content: record.parse(parts[3]),
  };
}
