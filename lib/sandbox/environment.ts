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
import type {
  EnvironmentProcess,
  Observed,
  SandboxLimits,
  Stepped,
  ToolFacts,
} from "../core/ports.ts";
import { decodeBody, KILL, REQUEST, START } from "./frames.ts";
import type { Listener } from "./launcher.ts";
import { encodeLimits, requireBytes } from "./limits.ts";
import {
  callReply,
  criteriaReply,
  type Exit,
  failedReply,
  failureOf,
  resetReply,
  solutionReply,
  stepReply,
  toolsReply,
} from "./replies.ts";
import { within } from "./wait.ts";

/** How long after the wall limit the host gives up on the zygote itself. */
const MARGIN_MS = 10_000;
/** For a killed process to be reaped: on a starved machine a slow one must not take its neighbours along. */
const REAP_MS = 60_000;

/** What carries the frames of a play: a launcher, which has many plays, or a process of its own (wasm). */
export interface Channel {
  /** A new play's number; its listener hears everything about it. */
  register(listener: Listener): number;
  /** Ends a play that was never started. */
  forget(play: number): void;
  /** Sends a frame. */
  send(kind: number, play: number, message?: unknown, prefix?: Uint8Array): void;
  /** Ends the carrier with all its plays. */
  kill(): void;
}

/** One play's process: requests in order, each with its deadline. */
export class Process implements EnvironmentProcess, Listener {
  maxTurns: number | undefined;
  readonly #launcher: Channel;
  readonly #play: number;
  readonly #limits: SandboxLimits;
  readonly #ended = Promise.withResolvers<void>();
  readonly #onEnd: (failure: Failure, exit: Exit) => void;
  #sequence = -1;
  #failure: Failure | undefined;
  #gone = false;
  #answer: ((reply: Uint8Array | Failure) => void) | undefined;
  #busy: Promise<unknown> = Promise.resolve();

  /** `onEnd` is called once, when the process is gone. */
  constructor(
    launcher: Channel,
    limits: SandboxLimits,
    onEnd: (failure: Failure, exit: Exit) => void,
  ) {
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
    requireBytes("step", "action", action);
    const reply = await this.#ask(stepReply, { op: "step", action: action.toWellFormed() });
    if (reply.kind !== "ok") return reply;
    const { i: _, ...stepped } = reply.value;
    return ok(stepped);
  }

  async tools(): Promise<Result<ToolFacts | null>> {
    const reply = await this.#ask(toolsReply, { op: "tools" });
    if (reply.kind !== "ok") return reply;
    const { i: _, tools, ...facts } = reply.value;
    return ok(tools === null ? null : { tools, ...facts });
  }

  async call(name: string, args: Record<string, unknown>): Promise<Result<Observed>> {
    requireBytes("call", "its JSON", JSON.stringify([name, args]));
    const reply = await this.#ask(callReply, {
      op: "call",
      ...wellFormed({ name, arguments: args }),
    });
    if (reply.kind !== "ok") return reply;
    return ok({ observation: reply.value.observation, info: reply.value.info });
  }

  async answer(text: string): Promise<Result<Stepped>> {
    requireBytes("answer", "text", text);
    const reply = await this.#ask(stepReply, { op: "answer", text: text.toWellFormed() });
    if (reply.kind !== "ok") return reply;
    const { i: _, ...stepped } = reply.value;
    return ok(stepped);
  }

  async criteria(): Promise<Result<(boolean | string)[]>> {
    const reply = await this.#ask(criteriaReply, { op: "criteria" });
    return reply.kind === "ok" ? ok(reply.value.criteria) : reply;
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

  /** Ends the process and waits until it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.fail(failed("host", "closed", "the process was closed"));
    try {
      await within(this.#ended.promise, REAP_MS, "a killed process to end");
    } catch {
      this.#launcher.kill();
      await this.#ended.promise;
    }
  }

  /** From the channel: a reply came. */
  reply(body: Uint8Array): void {
    if (this.#answer) this.#answer(body);
    else this.fail(failed("designer", "protocol", "spoke without being asked"));
  }

  /** From the channel: the process is gone. */
  ended(exit: Exit): void {
    this.#gone = true;
    this.#failure ??= failureOf(exit);
    this.#answer?.(this.#failure);
    this.#ended.resolve();
    this.#onEnd(this.#failure, exit);
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
      const reply = decodeBody<T | z.infer<typeof failedReply>>(body, orFailed(schema));
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

const either = new WeakMap<z.ZodType, z.ZodType>();

/** The schema of a reply that may be a failure; made once, because making it takes longer than using it. */
function orFailed<T>(schema: z.ZodType<T>): z.ZodType<T | z.infer<typeof failedReply>> {
  let both = either.get(schema);
  if (!both) either.set(schema, both = failedReply.or(schema));
  return both as z.ZodType<T | z.infer<typeof failedReply>>;
}

/** The value with every lone surrogate in its strings replaced. */
function wellFormed<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, item) => typeof item === "string" ? item.toWellFormed() : item),
  );
}
