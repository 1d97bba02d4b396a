/**
 * One process that holds one program, seen from the host.
 *
 * It guarantees: one request at a time; every request ends in a value or a failure, at the latest some seconds after its
 * wall limit; after the first failure the process is killed and every later request gives the same failure; disposing
 * waits until the zygote has reaped it. It does not guarantee that a reply is true: it is the program's own claim.
 * @module
 */
import type { z } from "zod";
import { failed, type Failure, ok, type Result } from "../core/outcome.ts";
import type { EnvironmentProcess, Observed, SandboxLimits, Stepped } from "../core/ports.ts";
import { decodeBody, KILL, REQUEST, START } from "./frames.ts";
import { type Launcher, type Listener } from "./launcher.ts";
import { encodeLimits, MAX_ACTION_BYTES } from "./limits.ts";
import {
  type Exit,
  failedReply,
  failureOf,
  resetReply,
  solutionReply,
  stepReply,
} from "./replies.ts";
import { within } from "./wait.ts";

/** How long after the wall limit the host gives up on the zygote itself. */
const MARGIN_MS = 10_000;

export class Process implements EnvironmentProcess, Listener {
  maxTurns: number | undefined;
  readonly #launcher: Launcher;
  readonly #play: number;
  readonly #limits: SandboxLimits;
  readonly #ended = Promise.withResolvers<void>();
  readonly #onEnd: () => void;
  #sequence = -1;
  #failure: Failure | undefined;
  #gone = false;
  #answer: ((reply: Uint8Array | Failure) => void) | undefined;
  #busy: Promise<unknown> = Promise.resolve();

  /** `onEnd` is called once, when the process is gone. */
  constructor(launcher: Launcher, limits: SandboxLimits, onEnd: () => void) {
    this.#launcher = launcher;
    this.#limits = limits;
    this.#onEnd = onEnd;
    this.#play = launcher.register(this);
  }

  /** The first request: `init` or `parse`. */
  open<T extends { i: number }>(
    schema: z.ZodType<T>,
    message: Record<string, unknown>,
  ): Promise<Result<T>> {
    return this.#ask(schema, message, encodeLimits(this.#limits));
  }

  async reset(seed: number, options: { fresh?: boolean } = {}): Promise<Result<Observed>> {
    const message = { op: "reset", seed, fresh: options.fresh ?? false };
    const reply = await this.#ask(resetReply, message);
    if (reply.kind !== "ok") return reply;
    return ok({ observation: reply.value.observation, info: reply.value.info });
  }

  async step(action: string): Promise<Result<Stepped>> {
    if (action.length * 3 > MAX_ACTION_BYTES && byteLength(action) > MAX_ACTION_BYTES) {
      const problem = `is ${byteLength(action)} bytes, must be at most ${MAX_ACTION_BYTES}`;
      throw new RangeError(`Cannot step: action ${problem}`);
    }
    const reply = await this.#ask(stepReply, { op: "step", action: action.toWellFormed() });
    if (reply.kind !== "ok") return reply;
    const { i: _, ...stepped } = reply.value;
    return ok(stepped);
  }

  async solution(): Promise<Result<string[] | null>> {
    const reply = await this.#ask(solutionReply, { op: "solution" });
    return reply.kind === "ok" ? ok(reply.value.solution) : reply;
  }

  /** Kills; every request, now or later, gives `failure`. */
  fail(failure: Failure): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#answer?.(failure);
    if (this.#gone) return;
    if (this.#sequence < 0) this.#launcher.forget(this.#play);
    else this.#launcher.send(KILL, this.#play);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.fail(failed("host", "closed", "the process was closed"));
    try {
      await within(this.#ended.promise, MARGIN_MS, "a killed process to end");
    } catch {
      this.#launcher.kill();
      await this.#ended.promise;
    }
  }

  reply(body: Uint8Array): void {
    if (this.#answer) this.#answer(body);
    else this.fail(failed("designer", "protocol", "spoke without being asked"));
  }

  ended(exit: Exit): void {
    this.#gone = true;
    this.#failure ??= failureOf(exit);
    this.#answer?.(this.#failure);
    this.#ended.resolve();
    this.#onEnd();
  }

  /** Requests wait for one another. */
  #ask<T extends { i: number }>(
    schema: z.ZodType<T>,
    message: Record<string, unknown>,
    start?: Uint8Array,
  ): Promise<Result<T>> {
    const turn = this.#busy.then(() => this.#exchange(schema, message, start));
    this.#busy = turn.catch(() => {});
    return turn;
  }

  async #exchange<T extends { i: number }>(
    schema: z.ZodType<T>,
    message: Record<string, unknown>,
    start?: Uint8Array,
  ): Promise<Result<T>> {
    if (this.#failure) return this.#failure;
    const i = ++this.#sequence;
    const reply = await new Promise<Uint8Array | Failure>((resolve) => {
      const timer = setTimeout(() => {
        this.fail(failed("host", "deadline", "the launcher does not answer"));
        this.#launcher.kill();
      }, this.#limits.requestSeconds * 1000 + MARGIN_MS);
      this.#answer = (value) => {
        clearTimeout(timer);
        this.#answer = undefined;
        resolve(value);
      };
      this.#launcher.send(start ? START : REQUEST, this.#play, { ...message, i }, start);
    });
    if (!(reply instanceof Uint8Array)) return reply;
    return this.#accept(schema, reply, i);
  }

  #accept<T extends { i: number }>(
    schema: z.ZodType<T>,
    body: Uint8Array,
    i: number,
  ): Result<T> {
    let failure: Failure;
    try {
      const reply = decodeBody<T | z.infer<typeof failedReply>>(body, failedReply.or(schema));
      if (reply.i === i && !("failed" in reply)) return ok(reply as T);
      failure = reply.i !== i
        ? failed("designer", "protocol", `answered request ${reply.i}, asked was ${i}`)
        : failed(
          "designer",
          (reply as z.infer<typeof failedReply>).failed,
          (reply as z.infer<typeof failedReply>).detail,
        );
    } catch (error) {
      failure = failed("designer", "protocol", (error as Error).message.slice(0, 500));
    }
    this.fail(failure);
    return failure;
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
