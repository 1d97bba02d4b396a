/**
 * The host's side: a sandbox for processes that shall not, or need not, hold its permissions.
 *
 * It guarantees: a connection that ends, for whatever reason, takes its play along; a client that breaks the protocol
 * loses its connection and nobody else's; what a program does is a reply, what this host does wrong is `failed(host)`.
 * Who may open the socket may play: the file is its owner's alone.
 * @module
 */
import { UsageError } from "../../core/errors.ts";
import { failed, type Failure, ok, type Result } from "../../core/outcome.ts";
import type { EnvironmentProcess, Sandbox, SandboxLimits } from "../../core/ports.ts";
import { DEFAULT_LIMITS, mergeLimits } from "../limits.ts";
import { Semaphore } from "../wait.ts";
import { type Hello, HOST_VERSION, read, type Request, request, Wire } from "./wire.ts";

/** Limits of the host, and what it tells. */
export interface ServeOptions {
  /** Limits of plays whose start names none. */
  limits?: Partial<SandboxLimits>;
  /** Connections at a time; further ones wait. @default 256 */
  connections?: number;
}

const MAX_WAIT_MS = 2 ** 31 - 1;
const PAUSE_MS = 100;
const MAX_DETAIL = 2000;
/** A host that listens. */
export interface SandboxHost extends AsyncDisposable {
  /** Path of the socket it listens at. */
  readonly path: string;
  /** Settles when it listens no more. */
  readonly finished: Promise<void>;
}

/**
 * Listens at a Unix socket; disposing ends all plays that came over it, not the sandbox.
 *
 * @throws {UsageError} where another host listens there, or the path is too long.
 */
export async function serveSandbox(
  sandbox: Sandbox,
  path: string,
  options: ServeOptions = {},
): Promise<SandboxHost> {
  const greeting: Hello = {
    version: HOST_VERSION,
    level: sandbox.level,
    layers: { ...sandbox.layers },
    limits: mergeLimits(DEFAULT_LIMITS, options.limits),
  };
  const listener = await listen(path);
  const places = new Semaphore(options.connections ?? 256);
  const talks = new Map<Talk, Promise<void>>();
  const finished = (async () => {
    for (;;) {
      const leave = await places.acquire(MAX_WAIT_MS);
      let connection: Deno.Conn;
      try {
        connection = await listener.accept();
      } catch (error) {
        leave();
        if (error instanceof Deno.errors.BadResource) break;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS)); // no descriptor free
        continue;
      }
      const talk = new Talk(sandbox, connection);
      talks.set(
        talk,
        talk.run(greeting).finally(() => {
          talks.delete(talk);
          leave();
        }),
      );
    }
  })();
  return {
    path,
    finished,
    async [Symbol.asyncDispose]() {
      try {
        listener.close();
      } catch {
        // it was closed already
      }
      for (const talk of talks.keys()) talk.leave();
      await Promise.all([...talks.values(), finished]);
    },
  };
}

async function listen(path: string): Promise<Deno.UnixListener> {
  try {
    return await own(path);
  } catch (cause) {
    if (cause instanceof TypeError) {
      const problem = `${path} is too long for a socket, must be at most 107 bytes`;
      throw new UsageError(`Cannot listen: ${problem}; name another one in SPADE_HOST`, { cause });
    }
    if (!(cause instanceof Deno.errors.AddrInUse)) throw cause;
  }
  const other = await Deno.connect({ transport: "unix", path }).catch(() => undefined);
  if (other !== undefined) {
    other.close();
    throw new UsageError(`Cannot listen at ${path}: another sandbox host does`);
  }
  await Deno.remove(path); // of a host that was killed
  return await own(path);
}

async function own(path: string): Promise<Deno.UnixListener> {
  const listener = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o600);
  return listener;
}

/** One connection, which is one play. */
class Talk {
  readonly #sandbox: Sandbox;
  readonly #wire: Wire;
  readonly #gone = new AbortController();
  #process: EnvironmentProcess | undefined;
  #busy = false;
  #answering: Promise<void> | undefined;

  constructor(sandbox: Sandbox, connection: Deno.Conn) {
    this.#sandbox = sandbox;
    this.#wire = new Wire(connection);
  }

  /** Ends it from here. */
  leave(): void {
    this.#gone.abort(new Error("the connection has ended"));
    this.#wire.close();
  }

  /** Until the client has ended and its process is reaped. Never throws. */
  async run(greeting: Hello): Promise<void> {
    try {
      await this.#wire.send(greeting);
      // reading goes on while a request is answered: the end of the connection must not wait for a program
      for (let body; (body = await this.#wire.receive()) !== null;) {
        const asked = read(body, request);
        if (this.#busy) break; // a second request before the reply
        this.#busy = true;
        this.#answering = this.#answer(asked);
      }
    } catch {
      // not a client of ours, or gone in the middle of a message: ended like the others
    }
    this.#gone.abort(new Error("the connection has ended"));
    await this.#answering;
    await this.#process?.[Symbol.asyncDispose]();
    this.#wire.close();
  }

  async #answer(asked: Request): Promise<void> {
    let result: Result<unknown>;
    try {
      result = await this.#do(asked);
    } catch (error) {
      if (this.#gone.signal.aborted) return;
      result = failed("host", "host", (error as Error).message.slice(0, MAX_DETAIL));
    }
    this.#busy = false;
    try {
      await this.#wire.send({ i: asked.i, result });
    } catch (error) {
      if (!(error instanceof RangeError)) return; // the reader hears of the end, too
      const tooLong: Failure = failed("designer", "protocol", error.message);
      await this.#wire.send({ i: asked.i, result: tooLong }).catch(() => {});
      await this.#wire.end();
    }
  }

  async #do(asked: Request): Promise<Result<unknown>> {
    const { signal } = this.#gone;
    const process = this.#process;
    const isFirst = asked.op === "start" || asked.op === "parse";
    if (isFirst === (process !== undefined)) {
      return failed("host", "protocol", `${asked.op} was asked ${isFirst ? "twice" : "too early"}`);
    }
    switch (asked.op) {
      case "start": {
        const { source, limits, maxTurns, hashSeed } = asked;
        const options = { limits, maxTurns, hashSeed, signal };
        const started = await this.#sandbox.start(source, options);
        if (started.kind !== "ok") return started;
        this.#process = started.value;
        return ok({ maxTurns: started.value.maxTurns ?? null });
      }
      case "parse":
        return await this.#sandbox.parse(asked.source, { details: asked.details, signal });
      case "reset":
        return await process!.reset(asked.seed, { fresh: asked.fresh });
      case "step":
        return await process!.step(asked.action);
      case "tools":
        return await process!.tools();
      case "call":
        return await process!.call(asked.name, asked.args);
      case "answer":
        return await process!.answer(asked.text);
      case "criteria":
        return await process!.criteria();
      case "solution":
        return await process!.solution();
    }
  }
}
