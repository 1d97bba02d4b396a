/**
 * A kernel's process: started from a kernelspec's command, with a connection file of its own, and ended.
 * @module
 */
import { type CellResult, type Connection, type ExecuteOptions, KernelClient } from "./client.ts";

/** How to start a kernel. */
export interface KernelOptions {
  /** The kernelspec's command; `{connection_file}` stands for that file. */
  argv: readonly string[];
  /** Where it runs: the notebook's folder. */
  cwd: string;
  /** Variables beside those of this process. @default {} */
  env?: Readonly<Record<string, string>>;
  /** An existing folder for the connection file. @default one of the system's temporary folders */
  folder?: string;
  /** Milliseconds it may take to start. @default 60_000 */
  readyMs?: number;
  /** Gives up the start. */
  signal?: AbortSignal;
  /** Gets what the process itself writes to its error output. */
  log?: (text: string) => void;
}

const END_MS = 5_000;
const LAST_WORDS = 4_000;

/** A started kernel with a client. */
export class Kernel implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #client: KernelClient;
  readonly #words: () => string;

  private constructor(
    child: Deno.ChildProcess,
    client: KernelClient,
    words: () => string,
  ) {
    this.#child = child;
    this.#client = client;
    this.#words = words;
  }

  /**
   * Starts a kernel and waits until it answers.
   *
   * @throws {Error} where it ends or does not answer in time, with its last words.
   */
  static async start(options: KernelOptions): Promise<Kernel> {
    const { argv, cwd, env = {}, readyMs = 60_000, log = () => {} } = options;
    const connection = freeConnection();
    const file = await connectionFile(connection, options.folder);
    const [program, ...args] = argv.map((part) => part.replace("{connection_file}", file));
    let child: Deno.ChildProcess;
    try {
      child = new Deno.Command(program, {
        args,
        cwd,
        env: { NO_COLOR: "1", ...env },
        stdin: "null",
        stdout: "null",
        stderr: "piped",
      }).spawn();
    } catch (error) {
      await Deno.remove(file);
      throw error;
    }
    let words = "";
    const drained = child.stderr.pipeThrough(new TextDecoderStream()).pipeTo(
      new WritableStream({
        write(text) {
          words = (words + text).slice(-LAST_WORDS);
          log(text);
        },
      }),
    ).catch(() => {});
    const starting = new AbortController();
    const stop = (reason: Error) => starting.abort(reason);
    const late = setTimeout(
      () => stop(new Error(`Cannot start the kernel: no answer in ${readyMs / 1000} s: ${words}`)),
      readyMs,
    );
    const ended = Promise.all([child.status, drained]);
    ended.then(([{ code }]) => stop(new Error(`Cannot start the kernel: exit ${code}: ${words}`)));
    const giveUp = () => starting.abort(options.signal!.reason);
    options.signal?.addEventListener("abort", giveUp);
    try {
      const client = await KernelClient.connect(connection, starting.signal);
      return new Kernel(child, client, () => words.trim());
    } catch (error) {
      kill(child, "SIGTERM");
      await endsWithin(child, END_MS) || kill(child, "SIGKILL");
      await ended;
      throw error;
    } finally {
      // it holds the key; the kernel has read it
      await Deno.remove(file).catch(() => {});
      clearTimeout(late);
      options.signal?.removeEventListener("abort", giveUp);
    }
  }

  /** Process id of what was started: the kernel, or its launcher. */
  get pid(): number {
    return this.#child.pid;
  }

  /** The last words of the process itself. */
  words(): string {
    return this.#words();
  }

  /** Runs one cell; a kernel that hangs after an interrupt is killed. */
  execute(code: string, options: ExecuteOptions = {}): Promise<CellResult> {
    return this.#client.execute(code, { onHang: () => this.kill(), ...options });
  }

  /** Interrupts the running cell. */
  interrupt(): Promise<void> {
    return this.#client.interrupt();
  }

  /** Ends it without asking it: a launcher hears the signal and takes along what it started. */
  kill(): void {
    kill(this.#child, "SIGTERM");
    endsWithin(this.#child, END_MS).then((ended) => ended || kill(this.#child, "SIGKILL"));
  }

  /** Asks it to end, then insists; resolves when it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.shutdown();
    for (const how of ["SIGTERM", "SIGKILL"] as const) {
      if (await endsWithin(this.#child, END_MS)) break;
      kill(this.#child, how);
    }
    await this.#child.status;
    this.#client[Symbol.dispose]();
  }
}

/** Sends a signal to a process that may have ended meanwhile. */
export function kill(child: Deno.ChildProcess, how: Deno.Signal): void {
  try {
    child.kill(how);
  } catch {
    // it ended meanwhile
  }
}

async function endsWithin(child: Deno.ChildProcess, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => timer = setTimeout(() => resolve(false), ms));
  const ended = await Promise.race([child.status.then(() => true), late]);
  clearTimeout(timer);
  return ended;
}

/** Five ports that are free now; another program could take one before the kernel does. */
function freeConnection(): Connection {
  const listeners = Array.from(
    { length: 5 },
    () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  );
  const [shell, iopub, stdin, control, heart] = listeners.map(({ addr }) => addr.port);
  for (const listener of listeners) listener.close();
  return {
    transport: "tcp",
    ip: "127.0.0.1",
    key: crypto.randomUUID(),
    signature_scheme: "hmac-sha256",
    shell_port: shell,
    iopub_port: iopub,
    stdin_port: stdin,
    control_port: control,
    hb_port: heart,
  };
}

async function connectionFile(connection: Connection, folder?: string): Promise<string> {
  const file = folder === undefined
    ? await Deno.makeTempFile({ prefix: "kernel-", suffix: ".json" })
    : `${folder}/kernel-${crypto.randomUUID()}.json`;
  await Deno.writeTextFile(file, JSON.stringify(connection), { mode: 0o600 });
  return file;
}
