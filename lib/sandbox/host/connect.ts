/**
 * The client's side: the same port as {@link startSandbox} gives, with the plays in another process. Needs no permission
 * but those of the one socket (read, write and net).
 * @module
 */
import { SandboxError } from "../../core/errors.ts";
import { failed, ok, type Result } from "../../core/outcome.ts";
import type {
  EnvironmentProcess,
  IsolationLevel,
  ParsedProgram,
  Sandbox,
  SandboxLimits,
  StartOptions,
} from "../../core/ports.ts";
import { mergeLimits, tooLong } from "../limits.ts";
import { within } from "../wait.ts";
import { HostedProcess } from "./process.ts";
import {
  anyHello,
  type Hello,
  hello,
  HOST_VERSION,
  MARGIN_MS,
  read,
  replies,
  Wire,
} from "./wire.ts";

/** Milliseconds a start may take on the host before its own time counts: it may wait for a free place. */
const PLACE_DEADLINE_MS = 600_000 + MARGIN_MS;

/**
 * The sandbox of a host that listens at `path` (`deno task sandbox-host`). Closing it ends what was started through it
 * and leaves the host alone.
 *
 * ```ts ignore check
 * import { connectSandbox } from "@spade/spade";
 *
 * await using sandbox = await connectSandbox(".spade/host.sock");
 * console.log(sandbox.level); // "full", for instance: what stands between a program and this machine
 * ```
 *
 * @throws {SandboxError} where no host answers, or one of another version does.
 */
export async function connectSandbox(path: string): Promise<Sandbox> {
  const { wire, greeting } = await meet(path);
  wire.close();
  return new HostedSandbox(path, greeting);
}

/** Opens a connection and reads what the host says first. */
async function meet(path: string): Promise<{ wire: Wire; greeting: Hello }> {
  let connection: Deno.UnixConn;
  try {
    connection = await Deno.connect({ transport: "unix", path });
  } catch (cause) {
    if (cause instanceof Deno.errors.NotCapable) throw cause;
    const advice = "start one with: deno task sandbox-host";
    throw new SandboxError(`Cannot reach a sandbox host at ${path}: ${advice}`, { cause });
  }
  const wire = new Wire(connection);
  try {
    const body = await within(wire.receive(), MARGIN_MS, "the host to speak");
    if (body === null) throw new SandboxError(`Cannot reach the sandbox host at ${path}: it ended`);
    return { wire, greeting: greetingOf(body, path) };
  } catch (cause) {
    wire.close();
    if (cause instanceof SandboxError) throw cause;
    throw new SandboxError(`Cannot talk to the sandbox host at ${path}: ${cause}`, { cause });
  }
}

function greetingOf(body: Uint8Array, path: string): Hello {
  const { version } = read(body, anyHello);
  if (version !== HOST_VERSION) {
    const problem = `its version is ${version}, must be ${HOST_VERSION}`;
    throw new SandboxError(`Cannot use the sandbox host at ${path}: ${problem}; start it anew`);
  }
  return read(body, hello);
}

class HostedSandbox implements Sandbox {
  readonly level: IsolationLevel;
  readonly layers: Readonly<Record<string, true | string>>;
  readonly #path: string;
  readonly #limits: SandboxLimits;
  readonly #open = new Set<HostedProcess>();
  #closed = false;

  constructor(path: string, greeting: Hello) {
    this.#path = path;
    this.level = greeting.level;
    this.layers = greeting.layers;
    this.#limits = greeting.limits;
  }

  async start(source: string, options: StartOptions = {}): Promise<Result<EnvironmentProcess>> {
    const { signal, maxTurns, hashSeed } = options;
    signal?.throwIfAborted();
    const limits = mergeLimits(this.#limits, options.limits);
    const opened = await this.#connect(source, limits, signal);
    if (opened.kind !== "ok") return opened;
    const process = opened.value;
    const message = { op: "start", source, limits, maxTurns, hashSeed };
    const reply = await process.ask(replies.start, message, PLACE_DEADLINE_MS);
    signal?.throwIfAborted();
    if (reply.kind !== "ok") return reply;
    process.maxTurns = reply.value.maxTurns ?? undefined;
    return ok(process);
  }

  async parse(
    source: string,
    options: { signal?: AbortSignal; details?: boolean } = {},
  ): Promise<Result<ParsedProgram>> {
    const { details = false } = options;
    const opened = await this.#connect(source, this.#limits, options.signal);
    if (opened.kind !== "ok") return opened;
    await using process = opened.value;
    const reply = await process.ask(
      replies.parse,
      { op: "parse", source, details },
      PLACE_DEADLINE_MS,
    );
    options.signal?.throwIfAborted();
    return reply;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#open].map((process) => process[Symbol.asyncDispose]()));
  }

  async #connect(
    source: string,
    limits: SandboxLimits,
    signal: AbortSignal | undefined,
  ): Promise<Result<HostedProcess>> {
    signal?.throwIfAborted();
    const problem = tooLong(source);
    if (problem) return problem;
    try {
      const { wire } = await meet(this.#path);
      if (this.#closed) {
        wire.close();
        throw new SandboxError("Cannot start a play: the sandbox is closed");
      }
      const process = new HostedProcess(wire, limits, signal, () => this.#open.delete(process));
      this.#open.add(process);
      return ok(process);
    } catch (error) {
      if (error instanceof SandboxError) return failed("host", "host", error.message);
      throw error;
    }
  }
}
