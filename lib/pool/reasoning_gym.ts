/**
 * The library reasoning-gym in a Python process of its own (`scripts/reasoning_gym/serve.py`): items are made and scored
 * there. The library is pinned and trusted, so this process stands outside the wall.
 *
 * Guarantees: every request ends in a value or a failure, at the latest some time after its deadline; a number comes
 * from a well-formed reply to this very request or not at all; a process that hung, died or spoke nonsense is replaced
 * for the next request; after three of these in a row the client gives up. What the library itself refuses or takes too
 * long for is the data set's fault (`designer`), everything else the host's.
 * @module
 */
import { z } from "zod";
import { failed, type Failure, ok, type Result, SandboxError } from "../core/mod.ts";
import { LineError, LineProcess } from "./line_process.ts";

/** Settings of a data set: a level of its curriculum, or its own keyword arguments. */
export interface ReasoningGymSettings {
  /** Name of the data set. */
  dataset: string;
  /** Level of its curriculum, from 0. */
  level?: number;
  /** Its own keyword arguments, instead of a level. */
  config?: Record<string, unknown>;
}

/** A data set of the library. */
export interface ReasoningGymDataset {
  /** Its name. */
  name: string;
  /** The library's word for what it is about. */
  category: string;
  /** Levels of the curriculum that can be used, ascending; [0] without a curriculum. */
  levels: number[];
  /** A package that is not installed and without which there are no items. */
  missing: string | null;
}

/** A question, and the library's own answer where it has one. */
export interface ReasoningGymItem {
  /** What is asked, at most 65,536 characters. */
  question: string;
  /** The library's answer; null where it keeps none. */
  answer: string | null;
}

/** Which Python, and how long it may take. */
export interface ReasoningGymOptions {
  /** Python of `.spade/reasoning-gym`. */
  python: string;
  /** `scripts/reasoning_gym/serve.py` */
  script: string;
  /** For one request; the process itself gives up after 20 s of CPU time. @default 60_000 */
  deadlineMs?: number;
  /** For the process to be up. @default 120_000 */
  readyMs?: number;
}

const DEATHS = 3;

const readyLine = z.object({ ready: z.literal(true), version: z.string().max(40) });
const refusal = z.object({
  id: z.int(),
  failed: z.enum(["request", "config", "missing", "exception", "deadline", "size"]),
  detail: z.string(),
});
const listReply = z.object({
  id: z.int(),
  datasets: z.array(z.object({
    name: z.string(),
    category: z.string(),
    levels: z.array(z.int().nonnegative()),
    missing: z.string().nullable(),
  })),
});
const itemReply = z.object({
  id: z.int(),
  question: z.string().max(64 * 1024),
  answer: z.string().nullable(),
});
const scoreReply = z.object({ id: z.int(), score: z.number().min(-1).max(1) });

/** A started library; requests wait for one another. */
export class ReasoningGym implements AsyncDisposable {
  /** Of the library. */
  readonly version: string;
  readonly #options: ReasoningGymOptions;
  #process: LineProcess | undefined;
  #busy: Promise<unknown> = Promise.resolve();
  #sequence = 0;
  #deaths = 0;
  #isClosed = false;

  private constructor(options: ReasoningGymOptions, version: string, process: LineProcess) {
    this.#options = options;
    this.version = version;
    this.#process = process;
  }

  /**
   * Starts the library.
   *
   * @throws {SandboxError} when it does not start.
   */
  static async start(options: ReasoningGymOptions): Promise<ReasoningGym> {
    try {
      const [process, version] = await launch(options);
      return new ReasoningGym(options, version, process);
    } catch (cause) {
      if (!(cause instanceof LineError)) throw cause;
      throw new SandboxError(`Cannot start reasoning-gym: ${cause.reason}: ${cause.message}`, {
        cause,
      });
    }
  }

  /** Whether it gave up: no later request will have an answer. */
  get isGone(): boolean {
    return this.#isClosed || this.#deaths >= DEATHS;
  }

  /**
   * All data sets, those without their package included.
   *
   * @throws {SandboxError} when there is no answer.
   */
  async datasets(): Promise<ReasoningGymDataset[]> {
    const reply = await this.#ask(listReply, { op: "list" });
    if (reply.kind === "ok") return reply.value.datasets;
    throw new SandboxError(
      `Cannot list reasoning-gym's data sets: ${reply.reason}: ${reply.detail}`,
    );
  }

  /** The item of a seed in [0, 2^31): always the same. */
  async item(
    settings: ReasoningGymSettings,
    seed: number,
    options: { signal?: AbortSignal } = {},
  ): Promise<Result<ReasoningGymItem>> {
    const reply = await this.#ask(itemReply, { op: "item", ...settings, seed }, options.signal);
    if (reply.kind !== "ok") return reply;
    return ok({ question: reply.value.question, answer: reply.value.answer });
  }

  /** The library's score of an answer to that item, in [-1, 1]; `null` is no answer. */
  async score(
    settings: ReasoningGymSettings,
    seed: number,
    answer: string | null,
    options: { signal?: AbortSignal } = {},
  ): Promise<Result<number>> {
    const request = { op: "score", ...settings, seed, answer };
    const reply = await this.#ask(scoreReply, request, options.signal);
    return reply.kind === "ok" ? ok(reply.value.score) : reply;
  }

  /** Ends the process; whoever waits hears that it was closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
    await this.#busy;
    await this.#drop(); // one that was just being started
  }

  async #ask<T extends { id: number }>(
    schema: z.ZodType<T>,
    request: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<Result<T>> {
    const aborted = failed("host", "aborted");
    const turn = this.#busy.then(() => signal?.aborted ? aborted : this.#exchange(schema, request));
    this.#busy = turn.catch(() => {});
    if (signal === undefined) return await turn;
    const stop = Promise.withResolvers<Failure>();
    const onAbort = () => stop.resolve(aborted);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    try {
      return await Promise.race([turn, stop.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #exchange<T extends { id: number }>(
    schema: z.ZodType<T>,
    request: Record<string, unknown>,
  ): Promise<Result<T>> {
    if (this.isGone) return failed("host", "closed", "reasoning-gym is gone");
    const id = ++this.#sequence;
    try {
      this.#process ??= (await launch(this.#options, this.version))[0];
      const { deadlineMs = 60_000 } = this.#options;
      const line = await this.#process.ask(JSON.stringify({ id, ...request }), deadlineMs);
      const reply = parseLine(z.union([schema, refusal]), line);
      if (reply.id !== id) {
        throw new LineError("protocol", `answered request ${reply.id}, asked was ${id}`);
      }
      this.#deaths = 0;
      if (!("failed" in reply)) return ok(reply as T);
      const { failed: reason, detail } = reply as z.infer<typeof refusal>;
      return failed(reason === "request" ? "host" : "designer", reason, detail);
    } catch (error) {
      await this.#drop();
      if (!(error instanceof LineError)) throw error;
      this.#deaths += 1;
      return failed("host", error.reason, error.message.slice(0, 1000));
    }
  }

  async #drop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    await process?.[Symbol.asyncDispose]();
  }
}

/** Starts the process and waits until it is up; `version` is what the library must be. */
async function launch(
  options: ReasoningGymOptions,
  version?: string,
): Promise<[LineProcess, string]> {
  const { python, script, readyMs = 120_000 } = options;
  const process = new LineProcess({
    command: python,
    args: ["-u", script],
    env: { PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1", PYTHONNOUSERSITE: "1" },
  });
  try {
    const ready = parseLine(readyLine, await process.ask(null, readyMs));
    if (version !== undefined && ready.version !== version) {
      throw new LineError("start", `it is now version ${ready.version}, was ${version}`);
    }
    return [process, ready.version];
  } catch (error) {
    await process[Symbol.asyncDispose]();
    throw error;
  }
}

function parseLine<T>(schema: z.ZodType<T>, line: string): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new LineError("protocol", `a line that is no JSON: ${line.slice(0, 200)}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new LineError("protocol", `a reply of another shape: ${line.slice(0, 200)}`);
}
