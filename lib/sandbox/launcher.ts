/**
 * One launcher: a Python process that becomes a zygote and relays all plays of one kind over its own stdin and stdout.
 *
 * It guarantees: stdout is always drained; a body above the cap or outside the protocol ends the process; when the
 * process ends for whatever reason, every open channel hears of it once. Closing stdin kills everything below.
 * @module
 */
import { SandboxError } from "../core/errors.ts";
import type { SandboxLimits } from "../core/ports.ts";
import { Connections } from "./connections.ts";
import type { Channel } from "./environment.ts";
import {
  decodeBody,
  encodeFrame,
  EXIT,
  type Frame,
  FrameReader,
  LIMITED,
  READY,
  REPLY,
} from "./frames.ts";
import { decodeEnd, type Exit, type Ready, readyFrame } from "./replies.ts";
import type { Starts } from "./statistics.ts";
import { within } from "./wait.ts";

/** What a play hears: replies, then exactly one end. */
export interface Listener {
  /** A reply came. */
  reply(body: Uint8Array): void;
  /** The process is gone. */
  ended(exit: Exit): void;
}

/** How a zygote is started. */
export interface LauncherOptions {
  /** Python to run. */
  python: string;
  /** Path of `launcher.py`. */
  script: string;
  /** Modules that it imports in advance. */
  kind: string;
  /** Its PYTHONHASHSEED. */
  hashSeed: number;
  /** Children forked in advance. */
  pool: number;
  /** Folder of the sockets, or null for the relay. */
  sockets: string | null;
  /** What a child that waits is forked with. */
  limits: SandboxLimits;
  /** Counted here. */
  starts: Starts;
  /** Modules beside those of the kind. */
  packages: readonly string[];
  /** Layers of the wall to leave out. */
  without: readonly string[];
  /** Milliseconds it may take to start. */
  deadlineMs: number;
}

const MAX_LOG = 4096;

/** A zygote, running. */
export class Launcher {
  readonly #child: Deno.ChildProcess;
  readonly #starts: Starts;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #listeners = new Map<number, Listener>();
  #queue: Uint8Array[] = [];
  #flushing = false;
  #ready!: Ready;
  #next = 1;
  #log = "";
  #closed = false;
  #asked: (() => void)[] = [];
  #connections: Connections | undefined;
  /** Why plays are relayed over stdin and stdout; "" where each has a connection. */
  relayed = "";
  /** Plays that have ended. */
  ended = 0;
  /** The zygote's peak memory, in megabytes, at the first and at the last of them. */
  #firstMb: number | undefined;
  #lastMb = 0;
  /** Settles when the process is gone and its pipes are drained. */
  readonly done: Promise<void>;

  private constructor(
    child: Deno.ChildProcess,
    starts: Starts,
    onReady: (ready: Ready) => void,
  ) {
    this.#child = child;
    this.#starts = starts;
    this.#writer = child.stdin.getWriter();
    this.done = Promise.all([this.#read(onReady), this.#readLog(), child.status]).then(
      ([, , status]) => this.#end(`the launcher ended (${status.signal ?? status.code})`),
    );
  }

  /** Starts a process and waits for its level. Throws SandboxError where it cannot run. */
  static async start(options: LauncherOptions): Promise<Launcher> {
    let child: Deno.ChildProcess;
    try {
      child = new Deno.Command(options.python, {
        args: ["-s", "-B", options.script],
        clearEnv: true,
        env: { PYTHONHASHSEED: String(options.hashSeed) },
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
    } catch (cause) {
      if (cause instanceof Deno.errors.NotCapable) throw cause;
      throw new SandboxError(`Cannot start the sandbox: ${options.python} does not run`, { cause });
    }
    const { promise, resolve } = Promise.withResolvers<Ready>();
    const launcher = new Launcher(child, options.starts, resolve);
    launcher.#write(configuration(options));
    const gone = launcher.done.then((): never => {
      throw new SandboxError(`Cannot start the sandbox: ${launcher.log() || "it ended at once"}`);
    });
    gone.catch(() => {});
    try {
      launcher.#ready = await within(
        Promise.race([promise, gone]),
        options.deadlineMs,
        "the launcher",
      );
    } catch (cause) {
      await launcher.close();
      if (cause instanceof SandboxError) throw cause;
      const { message } = cause as Error;
      throw new SandboxError(`Cannot start the sandbox: ${message} ${launcher.log()}`, { cause });
    }
    await launcher.#connect(options);
    return launcher;
  }

  /** Connections where they are allowed; else the relay, and why. */
  async #connect({ pool, limits }: LauncherOptions): Promise<void> {
    const { socket, noSocket } = this.#ready;
    this.relayed = socket === null ? noSocket : await missingGrant(socket);
    if (socket === null || this.relayed !== "") return;
    const connections = new Connections(this, socket, pool, limits, this.#starts);
    try {
      await connections.begin();
      this.#connections = connections;
    } catch (error) {
      this.relayed = (error as Error).message;
    }
  }

  /** By how many megabytes the zygote's peak memory has grown since its first play ended. */
  get grownMb(): number {
    return this.#lastMb - (this.#firstMb ?? this.#lastMb);
  }

  /** How a new play speaks with its child. */
  channel(limits: SandboxLimits): Channel {
    if (this.#connections) return this.#connections.play(limits);
    this.#starts.relayed += 1;
    return this;
  }

  /** What it said first. */
  get ready(): Ready {
    return this.#ready;
  }

  /** Whether it has ended. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Plays that have not ended. */
  get open(): number {
    return this.#listeners.size + (this.#connections?.playing.size ?? 0);
  }

  /** Last words on stderr, for error messages. */
  log(): string {
    return this.#log.trim();
  }

  /** A new play's number; its listener hears everything about it. */
  register(listener: Listener): number {
    const play = this.#next;
    this.#next = this.#next >= 0xfffffff0 ? 1 : this.#next + 1;
    this.#listeners.set(play, listener);
    if (this.#closed) this.#end("the launcher had ended");
    return play;
  }

  /** Ends a play that was never started: the zygote knows nothing of it and would not say that it ended. */
  forget(play: number): void {
    const listener = this.#listeners.get(play);
    this.#listeners.delete(play);
    listener?.ended({ why: "kill", detail: null, signal: null, code: null, cpu: 0 });
  }

  /** Sends a frame; nothing where it has ended. */
  send(kind: number, play: number, message?: unknown, prefix?: Uint8Array): void {
    if (!this.#closed) this.#write(encodeFrame(kind, play, message, prefix));
  }

  /** Sends; resolves when the zygote has obeyed, or is gone. */
  ask(kind: number, body: Uint8Array): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asked.push(resolve);
    this.send(kind, 0, undefined, body);
    return promise;
  }

  /** Ends the process and all plays; by force after two seconds. */
  async close(): Promise<void> {
    this.#writer.close().catch(() => {});
    try {
      await within(this.done, 2000, "the launcher to end");
    } catch {
      this.kill();
      await this.done;
    }
  }

  /** Ends the process at once. */
  kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // it was gone already
    }
  }

  #write(frame: Uint8Array): void {
    this.#queue.push(frame);
    if (!this.#flushing) this.#flush();
  }

  /** One write at a time; what comes meanwhile goes out together. */
  async #flush(): Promise<void> {
    this.#flushing = true;
    try {
      while (this.#queue.length > 0) {
        const batch = this.#queue.length === 1 ? this.#queue[0] : concat(this.#queue);
        this.#queue = [];
        await this.#writer.write(batch);
      }
    } catch {
      // a broken pipe: the process is gone, and `done` says so
    } finally {
      this.#flushing = false;
    }
  }

  async #read(onReady: (ready: Ready) => void): Promise<void> {
    const reader = new FrameReader();
    try {
      for await (const chunk of this.#child.stdout) {
        for (const frame of reader.push(chunk)) this.#receive(frame, onReady);
      }
    } catch (error) {
      this.#log = `${this.#log}\n${(error as Error).message}`.slice(-MAX_LOG);
      this.kill();
    }
  }

  #receive(frame: Frame, onReady: (ready: Ready) => void): void {
    if (frame.kind === REPLY) {
      this.#listeners.get(frame.play)?.reply(frame.body);
    } else if (frame.kind === EXIT) {
      const { exit, zygoteMb } = decodeEnd(frame.body);
      this.ended += 1;
      this.#firstMb ??= zygoteMb;
      this.#lastMb = zygoteMb;
      const listener = this.#listeners.get(frame.play);
      this.#listeners.delete(frame.play);
      if (listener) listener.ended(exit);
      else this.#connections?.exited(frame.play, exit);
    } else if (frame.kind === LIMITED) {
      this.#asked.shift()?.();
    } else if (frame.kind === READY) {
      onReady(decodeBody(frame.body, readyFrame));
    }
  }

  async #readLog(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr) {
      this.#log = (this.#log + decoder.decode(chunk, { stream: true })).slice(-MAX_LOG);
    }
  }

  #end(detail: string): void {
    this.#closed = true;
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    this.#connections?.close(detail);
    for (const resolve of this.#asked) resolve();
    for (const listener of listeners) {
      listener.ended({ why: "host", detail, signal: null, code: null, cpu: 0 });
    }
    this.#writer.close().catch(() => {});
  }
}

/** What is not granted to connect to `path`, or "". Asked first: an attempt would prompt. */
async function missingGrant(path: string): Promise<string> {
  const wanted: Deno.PermissionDescriptor[] = [
    { name: "net", host: `unix:${path}` },
    { name: "read", path },
    { name: "write", path },
  ];
  for (const one of wanted) {
    const { state } = await Deno.permissions.query(one);
    if (state !== "granted") {
      return one.name === "net" ? `no --allow-net=unix:${path}` : `no --allow-${one.name}=${path}`;
    }
  }
  return "";
}

function configuration(options: LauncherOptions): Uint8Array {
  const { kind, pool, sockets, limits: { memoryMb, cpuSeconds }, packages, without } = options;
  const message = { kind, pool, sockets, memoryMb, cpuSeconds, packages, without };
  const text = new TextEncoder().encode(JSON.stringify(message));
  const frame = new Uint8Array(4 + text.length);
  new DataView(frame.buffer).setUint32(0, text.length, true);
  frame.set(text, 4);
  return frame;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    whole.set(part, position);
    position += part.length;
  }
  return whole;
}
