/**
 * A play in a sandbox host, seen from its client.
 *
 * It guarantees: one request at a time, each ends in a value or a failure; after the first failure every later request
 * gives the same one; the connection's end is a failure of the host; disposing waits until the host has reaped the
 * process.
 * @module
 */
import type { z } from "zod";
import { failed, type Failure, ok, type Result } from "../../core/outcome.ts";
import type {
  EnvironmentProcess,
  Observed,
  SandboxLimits,
  Stepped,
  ToolFacts,
} from "../../core/ports.ts";
import { requireBytes } from "../limits.ts";
import { within } from "../wait.ts";
import { MARGIN_MS, read, replies, type Wire } from "./wire.ts";

/** Shape of a reply (`replyOf`). */
type ReplyShape<T> = z.ZodType<{ i: number; result: { kind: "ok"; value: T } | Failure }>;

/** Longer than the host itself waits for a process. */
const HOST_MS = 2 * MARGIN_MS;

/** A process at the host, over one connection. */
export class HostedProcess implements EnvironmentProcess {
  maxTurns: number | undefined;
  readonly #wire: Wire;
  readonly #limits: SandboxLimits;
  readonly #ended: Promise<void>;
  #sequence = -1;
  #failure: Failure | undefined;
  #answer: ((reply: Uint8Array | Failure) => void) | undefined;
  #busy: Promise<unknown> = Promise.resolve();

  /** `onEnd` is called once, when the connection has ended. */
  constructor(
    wire: Wire,
    limits: SandboxLimits,
    signal: AbortSignal | undefined,
    onEnd: () => void,
  ) {
    this.#wire = wire;
    this.#limits = limits;
    const abort = () => this.#fail(failed("host", "aborted", "the caller gave up"));
    signal?.addEventListener("abort", abort);
    this.#ended = this.#listen().finally(() => {
      signal?.removeEventListener("abort", abort);
      onEnd();
    });
    if (signal?.aborted) abort();
  }

  reset(seed: number, options: { fresh?: boolean } = {}): Promise<Result<Observed>> {
    return this.ask(replies.reset, { op: "reset", seed, fresh: options.fresh ?? false });
  }

  async step(action: string): Promise<Result<Stepped>> {
    requireBytes("step", "action", action);
    return await this.ask(replies.step, { op: "step", action });
  }

  tools(): Promise<Result<ToolFacts | null>> {
    return this.ask(replies.tools, { op: "tools" });
  }

  async call(name: string, args: Record<string, unknown>): Promise<Result<Observed>> {
    requireBytes("call", "its JSON", JSON.stringify([name, args]));
    return await this.ask(replies.call, { op: "call", name, args });
  }

  async answer(text: string): Promise<Result<Stepped>> {
    requireBytes("answer", "text", text);
    return await this.ask(replies.step, { op: "answer", text });
  }

  criteria(): Promise<Result<(boolean | string)[]>> {
    return this.ask(replies.criteria, { op: "criteria" });
  }

  solution(): Promise<Result<string[] | null>> {
    return this.ask(replies.solution, { op: "solution" });
  }

  /** Ends the process and waits for the host's word. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#fail(failed("host", "closed", "the process was closed"));
    try {
      await within(this.#ended, HOST_MS, "the host to end a process");
    } catch {
      this.#wire.close();
      await this.#ended;
    }
  }

  /** Requests wait for one another. `extraMs`: what the host may take beside the request's wall limit. */
  ask<T>(
    shape: ReplyShape<T>,
    message: Record<string, unknown>,
    extraMs = 0,
  ): Promise<Result<T>> {
    const turn = this.#busy.then(() => this.#exchange(shape, message, extraMs));
    this.#busy = turn.catch(() => {});
    return turn;
  }

  async #exchange<T>(
    shape: ReplyShape<T>,
    message: Record<string, unknown>,
    extraMs: number,
  ): Promise<Result<T>> {
    if (this.#failure) return this.#failure;
    const i = ++this.#sequence;
    const reply = await new Promise<Uint8Array | Failure>((resolve) => {
      const timer = setTimeout(
        () => this.#fail(failed("host", "deadline", "the sandbox host does not answer")),
        this.#limits.requestSeconds * 1000 + HOST_MS + extraMs,
      );
      this.#answer = (value) => {
        clearTimeout(timer);
        this.#answer = undefined;
        resolve(value);
      };
      // where it cannot be sent the connection has ended, and the listener says so
      this.#wire.send({ ...message, i }).catch(() => {});
    });
    if (!(reply instanceof Uint8Array)) return reply;
    const result = resultOf(shape, reply, i);
    if (result.kind === "failed") this.#fail(result);
    return result;
  }

  /** Ends it; every request, now or later, gives `failure`. */
  #fail(failure: Failure): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#answer?.(failure);
    this.#wire.end();
  }

  async #listen(): Promise<void> {
    let why = "went away";
    try {
      for (let body; (body = await this.#wire.receive()) !== null;) {
        if (this.#answer) this.#answer(body);
        else this.#fail(failed("host", "protocol", "the sandbox host spoke without being asked"));
      }
    } catch (error) {
      why = `broke off: ${(error as Error).message}`;
    }
    this.#fail(failed("host", "host", `the sandbox host ${why}`));
    this.#wire.close();
  }
}

function resultOf<T>(shape: ReplyShape<T>, body: Uint8Array, i: number): Result<T> {
  try {
    const reply = read(body, shape);
    if (reply.i !== i) throw new RangeError(`answered request ${reply.i}, asked was ${i}`);
    return reply.result.kind === "ok" ? ok(reply.result.value) : reply.result;
  } catch (error) {
    return failed("host", "protocol", `the sandbox host ${(error as Error).message.slice(0, 500)}`);
  }
}
