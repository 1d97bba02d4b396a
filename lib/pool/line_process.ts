/**
 * A process of ours that answers one line with one line. Every ask ends: with a line, or with a {@link LineError} after
 * which the process is gone.
 * @module
 */

/** Why there is no line: named after the border it was lost at. */
export class LineError extends Error {
  /** "LineError". */
  override name = "LineError";
  /** `reason` says where it was lost. */
  constructor(
    readonly reason: "start" | "deadline" | "crash" | "protocol" | "closed",
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
  }
}

/** What is started. */
export interface LineProcessOptions {
  /** Program to run; the run permission names it. */
  command: string;
  /** Its arguments. */
  args: readonly string[];
  /** The child's whole environment. */
  env: Readonly<Record<string, string>>;
}

const MAX_LINE = 1 << 20;
const LAST_WORDS = 8;
const STOP_MS = 3_000;

/** The process, running. */
export class LineProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<string>;
  readonly #words: string[] = [];
  readonly #drained: Promise<unknown>;
  #rest = "";
  #isClosing = false;

  /**
   * Starts it.
   *
   * @throws {LineError} `start` when the command cannot be run.
   */
  constructor({ command, args, env }: LineProcessOptions) {
    try {
      this.#child = new Deno.Command(command, {
        args: [...args],
        env: { ...env },
        clearEnv: true,
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
    } catch (cause) {
      if (cause instanceof Deno.errors.NotCapable) throw cause;
      throw new LineError("start", `${command} does not run`, { cause });
    }
    this.#input = this.#child.stdin.getWriter();
    this.#input.closed.catch(() => {});
    this.#output = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    this.#drained = Promise.all([this.#child.status, this.#listen()]);
  }

  /** Its number in the system. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Sends a line, unless there is nothing to send, and gives the next one that comes. */
  async ask(line: string | null, deadlineMs: number): Promise<string> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new LineError("deadline", `no answer within ${deadlineMs} ms`)),
        deadlineMs,
      );
    });
    try {
      return await Promise.race([this.#exchange(line), late]);
    } catch (error) {
      this.kill();
      if (this.#isClosing) throw new LineError("closed", "the process was closed");
      throw error instanceof LineError ? error : await this.#end(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it at once. */
  kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // it has ended
    }
  }

  /** Closes its input, which ends it; then insists. Resolves when it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await this.#input.abort().catch(() => {});
    const force = setTimeout(() => this.kill(), STOP_MS);
    await this.#output.cancel().catch(() => {});
    await this.#drained;
    clearTimeout(force);
  }

  async #exchange(line: string | null): Promise<string> {
    if (line !== null) await this.#input.write(new TextEncoder().encode(`${line}\n`));
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end !== -1) {
        const found = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 1);
        return found;
      }
      if (this.#rest.length > MAX_LINE) {
        throw new LineError("protocol", `a line of more than ${MAX_LINE} characters`);
      }
      const { done, value } = await this.#output.read();
      if (done) throw new Error("its output ended");
      this.#rest += value;
    }
  }

  /** How the process ended, with its last words. */
  async #end(cause: unknown): Promise<LineError> {
    await this.#drained;
    const { code, signal } = await this.#child.status;
    const how = signal ?? `exit code ${code}`;
    return new LineError("crash", `ended (${how}): ${this.#words.join("\n")}`, { cause });
  }

  async #listen(): Promise<void> {
    let rest = "";
    for await (const text of this.#child.stderr.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!.slice(-1000);
      this.#words.push(...lines.map((line) => line.slice(0, 1000)));
      this.#words.splice(0, this.#words.length - LAST_WORDS);
    }
  }
}
