/**
 * JSON, or protocol buffers, over HTTP to one engine. Every call has a deadline over all its tries; what comes back is parsed with zod.
 *
 * Repeated are only failures that say nothing about the request: refused or broken connections, cut replies, 408, 429
 * and 5xx. Calls are built so that a repeat is harmless (seeds, seq_id, model_seq_id). Any other 4xx is an
 * {@link EngineError} at once, with the server's own words.
 * @module
 */
import { z } from "zod";
import { EngineError } from "../core/mod.ts";
import { limited, pause } from "./deadline.ts";

/** Where an engine is, and how patient to be. */
export interface WireOptions {
  /** Address without a path, e.g. `http://127.0.0.1:8000`. */
  url: string;
  /** Sent with every call, e.g. an `X-API-Key`. */
  headers?: Readonly<Record<string, string>>;
  /** Ends every pending call with its reason, e.g. when the engine's process died. */
  lifetime?: AbortSignal;
  /** Tries after the first. @default 5 */
  retries?: number;
  /** What sends. @default the global `fetch` */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** First pause between tries; it doubles, up to 10 s. @default 200 */
  pauseMs?: number;
}

/** One call's name, deadline and signal. */
export interface CallOptions {
  /** What the call does, for error messages: "sample 24 replies". */
  action: string;
  /** For all tries together. */
  deadlineMs: number;
  /** Its reason is what the call throws. */
  signal?: AbortSignal;
  /** Offer to take protocol buffers; a reply in them is a `Uint8Array`. @default JSON only */
  binary?: boolean;
  /** Never send again what the server may have got. @default false */
  once?: boolean;
}

const detail = z.object({ detail: z.unknown() });
const PROTOBUF = "application/x-protobuf";
const LONGEST_PAUSE_MS = 10_000;
/** Of what a server asks for: the call's deadline counts on. */
const LONGEST_WAIT_MS = 120_000;
/** A reply above this many bytes is refused. */
const MAX_REPLY = 256 * 1024 * 1024;

interface Sent {
  method: string;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** What parses a reply: any zod schema. */
export interface ReplySchema<T> {
  /** The value in its form; throws where it has another. */
  parse(value: unknown): T;
}

/** A client of one address. */
export class Wire {
  readonly #options: WireOptions;
  /** Nothing is sent before the first call. */
  constructor(options: WireOptions) {
    this.#options = options;
  }

  /** The engine's address. */
  get url(): string {
    return this.#options.url;
  }

  /** POSTs `body` (bytes are protocol buffers, else JSON with absent optionals left out) and parses the reply. */
  post<T>(path: string, body: unknown, schema: ReplySchema<T>, options: CallOptions): Promise<T> {
    const sent = body instanceof Uint8Array
      ? body as Uint8Array<ArrayBuffer>
      : JSON.stringify(body);
    return this.#call(path, { method: "POST", body: sent }, schema, options);
  }

  /** GETs and parses the reply. */
  get<T>(path: string, schema: ReplySchema<T>, options: CallOptions): Promise<T> {
    return this.#call(path, { method: "GET" }, schema, options);
  }

  #call<T>(
    path: string,
    init: Sent,
    schema: ReplySchema<T>,
    options: CallOptions,
  ): Promise<T> {
    const { retries = 5, pauseMs = 200, lifetime } = this.#options;
    const { action, deadlineMs, signal: asked, binary = false, once = false } = options;
    return limited(action, deadlineMs, [lifetime, asked], async (signal) => {
      for (let attempt = 0;; attempt++) {
        try {
          return parsed(await this.#once(path, init, { action, signal, binary }), schema, action);
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof EngineError) || !error.retryable || attempt >= retries) {
            throw error;
          }
          if (once && error.status !== 429) throw unsure(error);
          const asked = error instanceof Refusal ? error.waitMs : 0;
          await pause(Math.max(asked, Math.min(pauseMs * 2 ** attempt, LONGEST_PAUSE_MS)), signal);
        }
      }
    });
  }

  async #once(
    path: string,
    init: Sent,
    { action, signal, binary }: { action: string; signal: AbortSignal; binary: boolean },
  ): Promise<unknown> {
    const headers = {
      "content-type": typeof init.body === "object" ? PROTOBUF : "application/json",
      ...binary ? { accept: `${PROTOBUF}, application/json` } : {},
      ...this.#options.headers,
    };
    let status: number, bytes: Uint8Array, isBinary: boolean, waitMs: number;
    try {
      const send = this.#options.fetch ?? fetch;
      const response = await send(this.#options.url + path, { ...init, headers, signal });
      status = response.status;
      // a date instead of seconds is not worth its code: the pause doubles anyway
      waitMs = Math.min(1000 * (Number(response.headers.get("retry-after")) || 0), LONGEST_WAIT_MS);
      isBinary = response.headers.get("content-type")?.startsWith(PROTOBUF) ?? false;
      bytes = new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      if (cause instanceof Deno.errors.NotCapable) {
        throw new EngineError(
          `Cannot ${action}: this command may not reach ${this.#options.url}; set ` +
            `SPADE_ENGINE_HOST=${new URL(this.#options.url).host} for it`,
          { cause },
        );
      }
      const what = cause instanceof Error ? cause.message : String(cause);
      throw new EngineError(
        `Cannot ${action}: the connection to ${this.#options.url} failed (${what}); is the engine running?`,
        { retryable: true, cause },
      );
    }
    if (bytes.length > MAX_REPLY) {
      throw new EngineError(`Cannot ${action}: the reply has ${bytes.length} bytes`);
    }
    if (isBinary && status >= 200 && status <= 299) return bytes;
    const text = new TextDecoder().decode(bytes);
    if (status < 200 || status > 299) throw refusal(status, text, action, waitMs);
    try {
      return JSON.parse(text);
    } catch (cause) {
      const message = `Cannot ${action}: the reply is not JSON (${text.length} characters, cut?)`;
      throw new EngineError(message, { retryable: true, cause });
    }
  }
}

/** A refusal by status; `waitMs` is what the server asked for (Retry-After). */
class Refusal extends EngineError {
  constructor(
    message: string,
    readonly waitMs: number,
    options: { retryable: boolean; status: number },
  ) {
    super(message, options);
  }
}

function refusal(status: number, text: string, action: string, waitMs: number): Refusal {
  let words = text.slice(0, 500);
  try {
    const given = detail.parse(JSON.parse(text)).detail;
    words = typeof given === "string" ? given : JSON.stringify(given);
  } catch {
    // not our form of error: the raw text is all there is
  }
  const retryable = status === 408 || status === 429 || status >= 500;
  const paused = status === 402 ? " (billing is paused)" : "";
  const message = `Cannot ${action}: the engine answered ${status}${paused}: ${words}`;
  return new Refusal(message, waitMs, { retryable, status });
}

function parsed<T>(value: unknown, schema: ReplySchema<T>, action: string): T {
  try {
    return schema.parse(value);
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      throw new EngineError(`Cannot ${action}: ${cause.message}`, { cause });
    }
    if (!(cause instanceof z.ZodError)) throw cause;
    const [{ path, message }] = cause.issues;
    const where = path.join(".") || "its top";
    const what = `Cannot ${action}: the reply has an unexpected form at ${where}: ${message}`;
    throw new EngineError(what, { cause });
  }
}

/** The error of a call that must not be repeated, by anyone. */
function unsure(error: EngineError): EngineError {
  const message = `${error.message}; it may have been done, and would be done twice if sent again`;
  return new EngineError(message, { cause: error });
}
