/**
 * The engine's process: started, watched, stopped. When it dies, whatever waits for it hears its last words.
 * @module
 */
import { z } from "zod";
import { EngineError } from "../core/mod.ts";
import { limited } from "./deadline.ts";

/** What is started. */
export interface ProcessOptions {
  /** Python to run; the run permission names it. */
  python: string;
  /** Its arguments. */
  args: readonly string[];
  /** The child's whole environment. */
  env: Readonly<Record<string, string>>;
  /** Gets every line of the log. */
  sink?: (line: string) => void;
  /** Milliseconds until it must be ready. @default 120_000 */
  readyMs?: number;
  /** Ends the start. */
  signal?: AbortSignal;
}

const ready = z.object({
  ready: z.literal(true),
  port: z.number().int().positive(),
  model: z.string(),
  version: z.string(),
});
/** What it says when it is ready. */
export type ReadyLine = z.infer<typeof ready>;

const LOG_LINES = 200;
const LAST_WORDS = 12;
const STOP_MS = 3_000;

/** The process, running. */
export class EngineProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #died = new AbortController();
  readonly #lines: string[] = [];
  readonly #sink?: (line: string) => void;
  readonly #drained: Promise<unknown>;
  #stopping = false;

  private constructor(
    child: Deno.ChildProcess,
    sink: ((line: string) => void) | undefined,
    onLine: (line: string) => void,
  ) {
    this.#child = child;
    this.#sink = sink;
    this.#stdin = child.stdin.getWriter();
    this.#stdin.closed.catch(() => {});
    const pipes = [
      eachLine(child.stdout, onLine),
      eachLine(child.stderr, (line) => this.#note(line)),
    ];
    this.#drained = Promise.all([child.status, ...pipes]).then(([status]) => this.#gone(status));
  }

  /** Starts the process and waits for its ready line. */
  static async start(options: ProcessOptions): Promise<[EngineProcess, ReadyLine]> {
    const { python, args, env, sink, readyMs = 120_000, signal } = options;
    let child: Deno.ChildProcess;
    try {
      child = new Deno.Command(python, {
        args: [...args],
        env: { ...env },
        clearEnv: true,
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
    } catch (cause) {
      if (cause instanceof Deno.errors.NotCapable) throw cause;
      const message = `Cannot start the engine: ${python} does not run; was the set-up done?`;
      throw new EngineError(message, { cause });
    }
    const first = Promise.withResolvers<string>();
    const engine = new EngineProcess(child, sink, first.resolve);
    try {
      const line = await limited(
        "start the engine",
        readyMs,
        [engine.died, signal],
        () => first.promise,
      );
      return [engine, readyLine(line)];
    } catch (error) {
      await engine[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Aborted with an EngineError when the process ends, wanted or not. */
  get died(): AbortSignal {
    return this.#died.signal;
  }

  /** Its number in the system. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Its last 200 lines on stderr. */
  log(): string {
    return this.#lines.join("\n");
  }

  /** Closes its input, which ends it; then asks, then insists. Resolves when it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    await this.#stdin.close().catch(() => {});
    for (const how of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#endsWithin(STOP_MS)) return;
      try {
        this.#child.kill(how);
      } catch {
        // it ended meanwhile
      }
    }
    await this.#drained;
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => timer = setTimeout(() => resolve(false), ms));
    const ended = await Promise.race([this.#drained.then(() => true), late]);
    clearTimeout(timer);
    return ended;
  }

  #note(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LOG_LINES) this.#lines.shift();
    this.#sink?.(line);
  }

  #gone(status: Deno.CommandStatus): void {
    const how = status.signal ? `signal ${status.signal}` : `exit code ${status.code}`;
    const words = this.#lines.slice(-LAST_WORDS).join("\n") || "(its log is empty)";
    const message = this.#stopping
      ? "The engine was stopped"
      : `The engine stopped (${how}): last log lines:\n${words}`;
    this.#died.abort(new EngineError(message));
  }
}

function readyLine(line: string): ReadyLine {
  try {
    return ready.parse(JSON.parse(line));
  } catch (cause) {
    const message = `Cannot start the engine: its first line was ${
      JSON.stringify(line.slice(0, 200))
    }`;
    throw new EngineError(message, { cause });
  }
}

async function eachLine(stream: ReadableStream<Uint8Array>, take: (line: string) => void) {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(line);
  }
  if (rest) take(rest);
}
