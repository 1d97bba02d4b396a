/**
 * One play at the wasm level, seen from the host: a Deno process without any permission.
 *
 * It guarantees: the process is started with the same constant arguments, an empty environment and nothing of the
 * program on its command line or on disk; only what carries this process's token is believed; the host's own timers end
 * it where the relay does not; SIGKILL is the only way it is ended.
 * @module
 */
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { SandboxError } from "../../core/errors.ts";
import type { Channel } from "../environment.ts";
import {
  decodeBody,
  encodeFrame,
  EXIT,
  type Frame,
  FrameReader,
  KILL,
  LIMITS_BYTES,
  READY,
  REPLY,
  START,
} from "../frames.ts";
import type { Listener } from "../launcher.ts";
import { type Exit, exitFrame } from "../replies.ts";
import { within } from "../wait.ts";
import { packJson } from "./pack.ts";

/** No `--allow-…` here, ever: this list is the wall. The rest closes ways in that need no permission. */
export const RELAY_FLAGS: readonly string[] = [
  "run",
  "--quiet",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-npm",
  "--no-remote",
  "--cached-only",
  "--deny-import",
  "--no-code-cache",
  // no optimising compilers: less to attack, nothing that compiles in the background on the play's CPU time
  "--v8-flags=--liftoff-only,--no-opt,--no-maglev,--disallow-code-generation-from-strings,--max-old-space-size=128",
];

/** Two things that Deno gives without a permission: a cache on disk that all plays would share, and the GPU. */
const NOWHERE = Deno.build.os === "windows" ? "NUL" : "/dev/null";
/** The whole environment of a play's process. */
export const RELAY_ENVIRONMENT: Readonly<Record<string, string>> = {
  DENO_DIR: NOWHERE,
  DENO_WEBGPU_BACKEND: "none",
};

/** Seconds after the relay's own wall limit. */
const HOST_MARGIN = 2;
const MAX_LOG = 4096;

type Timer = ReturnType<typeof setTimeout>;

/** A play's first word. */
export const relayReady = z.object({
  layers: z.record(z.string(), z.union([z.literal(true), z.string()])),
  missing: z.array(z.string()),
  python: z.string(),
});
/** What a play says of itself. */
export type RelayReady = z.infer<typeof relayReady>;

/** How a play's process is started. */
export interface PlayOptions {
  /** Deno to run; the run permission names it. */
  deno: string;
  /** The interpreter with everything imported. */
  image: Uint8Array<ArrayBuffer>;
  /** PYTHONHASHSEED that the image was made with. */
  hashSeed: number;
  /** Layers of the wall to leave out. */
  without: readonly string[];
  /** Milliseconds it may take to start. */
  deadlineMs: number;
}

/** One play's process: an interpreter that is used once. */
export class WasmPlay implements Channel {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #token: Uint8Array;
  readonly #ready = Promise.withResolvers<RelayReady>();
  #log = "";
  #listener: Listener | undefined;
  #exit: Exit | undefined;
  #started = false;
  #wall = { request: 0, life: 0 };
  #request: Timer | undefined;
  #life: Timer | undefined;
  /** Settles when the process is gone. */
  readonly done: Promise<void>;

  private constructor(child: Deno.ChildProcess, token: string) {
    this.#child = child;
    this.#token = new TextEncoder().encode(token);
    this.#writer = child.stdin.getWriter();
    this.done = Promise.all([this.#read(), this.#readLog(), child.status]).then(
      ([, , status]) => this.#gone(status),
    );
  }

  /** Starts a process and waits until its program thread is confined. Throws SandboxError where it cannot. */
  static async start(options: PlayOptions): Promise<WasmPlay> {
    const token = crypto.randomUUID();
    const { deno, image, hashSeed, without, deadlineMs } = options;
    let child: Deno.ChildProcess;
    try {
      child = new Deno.Command(deno, {
        args: [...RELAY_FLAGS, entry("relay.ts")],
        clearEnv: true,
        env: RELAY_ENVIRONMENT,
        cwd: Deno.build.os === "windows" ? "\\" : "/",
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
    } catch (cause) {
      if (cause instanceof Deno.errors.NotCapable) throw cause;
      throw new SandboxError(`Cannot start the sandbox: ${deno} does not run`, { cause });
    }
    const play = new WasmPlay(child, token);
    play.#write(packJson({ token, hashSeed, without }));
    play.#write(image);
    try {
      await within(play.#ready.promise, deadlineMs, "the wasm interpreter");
    } catch (cause) {
      play.kill();
      await play.done;
      const { message } = cause as Error;
      throw new SandboxError(`Cannot start the sandbox: ${message} ${play.#log}`.trim(), { cause });
    }
    return play;
  }

  /** What it says of itself; rejects where it does not start. */
  get ready(): Promise<RelayReady> {
    return this.#ready.promise;
  }

  /** Whether it has ended. */
  get closed(): boolean {
    return this.#exit !== undefined;
  }

  /** The process is the channel: it has one play. */
  channel(): Channel {
    return this;
  }

  register(listener: Listener): number {
    this.#listener = listener;
    return 1;
  }

  forget(): void {
    this.#stop("kill", null);
  }

  send(kind: number, play: number, message?: unknown, prefix?: Uint8Array): void {
    if (this.#exit) return;
    if (kind === KILL) return this.#stop("kill", null);
    if (kind === START) {
      const view = new DataView(prefix!.buffer, prefix!.byteOffset, LIMITS_BYTES);
      this.#wall = { request: view.getFloat64(8, true), life: view.getFloat64(24, true) };
      this.#started = true;
      this.#life = this.#timer(this.#wall.life, "process lived longer than its wall limit");
    }
    const { request } = this.#wall;
    this.#request = this.#timer(request, `request took more than ${request} s`);
    this.#write(encodeFrame(kind, play, message, prefix));
  }

  kill(): void {
    this.#stop("host", "the process was ended");
  }

  #timer(seconds: number, detail: string): Timer {
    const wait = Math.min((seconds + HOST_MARGIN) * 1000, 2 ** 31 - 1);
    return setTimeout(() => this.#stop("deadline", detail), wait);
  }

  #stop(why: Exit["why"], detail: string | null, exit?: Exit): void {
    this.#exit ??= exit ?? { why, detail, signal: null, code: null, cpu: 0 };
    clearTimeout(this.#request);
    clearTimeout(this.#life);
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // it was gone already
    }
  }

  #write(bytes: Uint8Array): void {
    this.#writer.write(bytes).catch(() => {}); // a broken pipe: the process is gone, and `done` says so
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    try {
      for await (const chunk of this.#child.stdout) {
        if (this.#exit) continue;
        for (const frame of reader.push(chunk)) this.#receive(frame);
      }
    } catch {
      this.#stop("protocol", "wrote to the channel of the host");
    }
  }

  #receive({ kind, body }: Frame): void {
    if (this.#exit) return;
    const signed = body.length >= this.#token.length &&
      this.#token.every((byte, index) => body[index] === byte);
    if (!signed) return this.#stop("protocol", "wrote to the channel of the host");
    const rest = body.subarray(this.#token.length);
    if (kind === REPLY) {
      clearTimeout(this.#request);
      this.#listener?.reply(rest);
    } else if (kind === EXIT) {
      this.#stop(null, null, decodeBody(rest, exitFrame));
    } else if (kind === READY) {
      this.#ready.resolve(decodeBody(rest, relayReady));
    }
  }

  /** Only until the interpreter is confined: from then on it is the program that writes there. */
  async #readLog(): Promise<void> {
    const reader = this.#child.stderr.getReader();
    const decoder = new TextDecoder();
    const confined = this.#ready.promise.then(() => undefined, () => undefined);
    for (;;) {
      const next = await Promise.race([reader.read(), confined]);
      if (next === undefined || next.done) break;
      this.#log = (this.#log + decoder.decode(next.value, { stream: true })).slice(-MAX_LOG);
    }
    await reader.cancel().catch(() => {});
  }

  #gone({ code, signal }: Deno.CommandStatus): void {
    clearTimeout(this.#request);
    clearTimeout(this.#life);
    const how = signal ? `killed by ${signal}` : `exited with code ${code}`;
    this.#exit ??= {
      why: this.#started ? "crash" : "start",
      detail: how,
      signal: null,
      code,
      cpu: 0,
    };
    this.#writer.close().catch(() => {});
    this.#ready.reject(new SandboxError(this.#exit.detail ?? how));
    this.#ready.promise.catch(() => {});
    this.#listener?.ended(this.#exit);
  }
}

/** Path or address of a file of this folder, as `deno run` takes it. */
export function entry(name: string): string {
  const url = new URL(`./${name}`, import.meta.url);
  return url.protocol === "file:" ? fileURLToPath(url) : url.href;
}
