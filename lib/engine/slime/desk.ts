/**
 * What slime asks and is answered: a rollout is asked for (POST), then looked after (GET, a long poll) until its batch is
 * there. The next rollout that slime asks for says that the update of the last one is done.
 *
 * Guarantees: one rollout after the other, each in its turn; a repeated question has the same answer; every refusal is a
 * 4xx with its reason; every wait has an end. slime's polling is its sign of life: where it stops, the run stops.
 * @module
 */
import { z } from "zod";
import { EngineError } from "../../core/mod.ts";
import { limited } from "../deadline.ts";
import { wrongSettings } from "./settings.ts";

/** What a run needs of slime, and how patient it is. */
export interface DeskOptions {
  /** Of trained tokens. */
  temperature: number;
  /** Rollouts of the run. */
  rollouts: number;
  /** Asked of callers as `X-API-Key`. */
  apiKey?: string;
  /** Longest wait for slime's first question: it loads its models. @default 3_600_000 */
  startMs?: number;
  /** Longest wait for an update, weights to the sampler included. @default 21_600_000 */
  updateMs?: number;
  /** Longest time without a question while a batch is made. @default 180_000 */
  silenceMs?: number;
  /** How long a GET waits for the batch. @default 25_000 */
  pollMs?: number;
}

const MAX_BODY = 64 * 1024;
const BODY_MS = 10_000;

const question = z.object({
  /** Of one slime process. */
  session: z.string(),
  rollout_id: z.int().nonnegative(),
  /** What slime's next step is set to; null: the bridge sets it to the number of units. */
  global_batch_size: z.int().positive().nullable(),
  router_url: z.url({ protocol: /^https?$/ }),
  model: z.string().nullish(),
  evaluation: z.boolean(),
  num_rollout: z.int().positive().nullish(),
  settings: z.record(z.string(), z.unknown()).default({}),
});

/** slime's question for a rollout. */
export type Question = z.infer<typeof question>;

const goodbye = z.object({ session: z.string(), reason: z.string().max(2_000) });

/** An answer that is not the one hoped for. */
class Refusal extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** One run's side of the conversation; {@link SlimeDesk.handle} is served to slime, the rest is the engine's. */
export class SlimeDesk {
  readonly #options: Required<Omit<DeskOptions, "apiKey">> & Pick<DeskOptions, "apiKey">;
  readonly #life = new AbortController();
  #changed = Promise.withResolvers<void>();
  #question: Question | undefined;
  #answer: { id: number; bytes: Uint8Array<ArrayBuffer>; isFetched: boolean } | undefined;
  #closed: Refusal | undefined;
  #isTold = false;
  #polls = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Waits for slime's first question from now on. */
  constructor(options: DeskOptions) {
    const patience = {
      startMs: 3_600_000,
      updateMs: 6 * 3_600_000,
      silenceMs: 180_000,
      pollMs: 25_000,
    };
    this.#options = { ...patience, ...options };
    this.#watch();
  }

  /** Aborts, with an {@link EngineError}, when nothing more can come of slime. */
  get lifetime(): AbortSignal {
    return this.#life.signal;
  }

  /** The rollout that waits for its batch; waits for slime to ask. */
  async asked(signal?: AbortSignal): Promise<Question> {
    const newest = () =>
      this.#answer?.id === this.#question?.rollout_id ? undefined : this.#question;
    for (;;) {
      this.lifetime.throwIfAborted();
      signal?.throwIfAborted();
      const found = newest();
      if (found) return found;
      await this.#change(signal);
    }
  }

  /** Answers the rollout that waits. Repeated questions for it are answered so from now on. */
  give(id: number, text: string): void {
    this.#answer = { id, bytes: new TextEncoder().encode(text), isFetched: false };
    this.#tell();
    this.#watch();
  }

  /** Ends the conversation: slime is told `message` from now on, the engine's calls throw it. */
  close(status: 409 | 410 | 503, message: string): EngineError {
    const error = new EngineError(message);
    if (!this.#closed) {
      this.#closed = new Refusal(status, message);
      this.#life.abort(error);
      this.#tell();
      this.#watch();
    }
    return this.#life.signal.reason;
  }

  /** Resolves when slime, if it still asks, has heard that the conversation is closed; or after `ms`. */
  async told(ms: number): Promise<void> {
    if (!this.#question || this.#isTold) return;
    const wait = async (signal: AbortSignal) => {
      while (!this.#isTold && !signal.aborted) await this.#change(signal);
    };
    await limited("tell slime", ms, [], wait).catch(() => {});
  }

  /** Answers one HTTP request; `completed` resolves when the answer has arrived. */
  async handle(
    request: Request,
    { completed = Promise.resolve() }: { completed?: Promise<void> } = {},
  ): Promise<Response> {
    try {
      return await this.#route(request, completed);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return Response.json({ detail: error.message }, { status: error.status });
    }
  }

  async #route(request: Request, completed: Promise<void>): Promise<Response> {
    const { apiKey } = this.#options;
    if (apiKey !== undefined && request.headers.get("x-api-key") !== apiKey) {
      throw new Refusal(401, "Cannot answer: X-API-Key is not this run's key");
    }
    const { pathname } = new URL(request.url);
    const [, id] = /^\/slime\/v1\/rollouts\/(\d{1,9})$/.exec(pathname) ?? [];
    switch (`${request.method} ${id === undefined ? pathname : "rollout"}`) {
      case "POST /slime/v1/rollouts":
        return this.#take(await bodyOf(request, question));
      case "GET rollout":
        return await this.#look(Number(id), completed);
      case "POST /slime/v1/end": {
        const { session, reason } = await bodyOf(request, goodbye);
        if (session !== this.#question?.session) {
          throw new Refusal(409, "Cannot end: this slime is not the one that the run works with");
        }
        this.close(410, `Cannot go on: slime has ended (${reason})`);
        this.#isTold = true;
        this.#tell();
        return Response.json({});
      }
    }
    throw new Refusal(404, `Cannot answer ${request.method} ${pathname}: there is no such route`);
  }

  #take(asked: Question): Response {
    this.#assertOpen();
    this.#assertFits(asked);
    const id = asked.rollout_id;
    const newest = this.#question?.rollout_id;
    const isAnswered = newest !== undefined && this.#answer?.id === newest;
    if (newest !== undefined && id < newest) {
      throw new Refusal(
        409,
        `Cannot give rollout ${id}: it is over, this run is at rollout ${newest}; where slime was set back, ` +
          "stop the run and resume it",
      );
    }
    if (newest !== undefined && id > newest + (isAnswered ? 1 : 0)) {
      throw new Refusal(
        409,
        `Cannot give rollout ${id}: rollout ${newest} has ${
          isAnswered ? "just" : "not"
        } been given`,
      );
    }
    // a repeat is the same question: its sampler goes on
    if (JSON.stringify(asked) !== JSON.stringify(this.#question)) this.#question = asked;
    this.#tell();
    this.#watch();
    return Response.json({ rollout_id: id }, { status: 202 });
  }

  /** Refuses what this run cannot serve, with what to change. */
  #assertFits(asked: Question): void {
    if (asked.evaluation) {
      throw new Refusal(422, "Cannot evaluate for slime: start it without --eval-interval");
    }
    const wrong = wrongSettings(asked.settings, this.#options);
    if (wrong.length > 0) {
      throw new Refusal(422, `Cannot train as this run asks: ${wrong.join("; ")}`);
    }
    // one question more than updates: the last one says that the last update is done; one update may be extra [D20]
    const least = this.#options.rollouts + 2;
    if ((asked.num_rollout ?? least) < least) {
      throw new Refusal(
        422,
        `Cannot train ${this.#options.rollouts} rollouts: --num-rollout is ${asked.num_rollout}, must be at least ${least}`,
      );
    }
  }

  async #look(id: number, completed: Promise<void>): Promise<Response> {
    const newest = this.#question?.rollout_id;
    const answer = () => this.#answer?.id === id ? this.#answer : undefined;
    if (newest === undefined || id > newest) {
      this.#assertOpen();
      throw new Refusal(404, `Cannot give rollout ${id}: it was not asked for`);
    }
    if (id < newest && !answer()) {
      throw new Refusal(409, `Cannot give rollout ${id}: it is over, this run is at ${newest}`);
    }
    this.#polls++;
    this.#watch();
    try {
      const { pollMs } = this.#options;
      await limited("wait for a batch", pollMs, [], async (signal) => {
        while (!answer() && !this.#closed && !signal.aborted) await this.#change(signal);
      }).catch(() => {});
      const found = answer();
      if (!found) {
        this.#assertOpen();
        return Response.json({ rollout_id: id }, { status: 202 });
      }
      completed.then(() => {
        found.isFetched = true;
        this.#watch();
      }, () => {}); // cut: slime asks again
      return new Response(found.bytes, { headers: { "content-type": "application/json" } });
    } finally {
      this.#polls--;
      this.#watch();
    }
  }

  #assertOpen(): void {
    if (!this.#closed) return;
    this.#isTold = true;
    this.#tell();
    throw this.#closed;
  }

  /** Sets the end of whatever is waited for now. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#closed || this.#polls > 0) return;
    const { startMs, silenceMs, updateMs } = this.#options;
    const id = this.#question?.rollout_id;
    const isAnswered = id !== undefined && this.#answer?.id === id;
    const [ms, what] = id === undefined
      ? [startMs, "slime has asked for no rollout"]
      : isAnswered && this.#answer!.isFetched
      ? [updateMs, `slime has not asked for the rollout after ${id}`]
      : [silenceMs, `slime has not asked for rollout ${id} again`];
    this.#timer = setTimeout(
      () => this.close(409, `Cannot go on: ${what} within ${ms / 1000} s; is it running?`),
      ms,
    );
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Resolves at the next change, or when `signal` aborts. */
  #change(signal?: AbortSignal): Promise<void> {
    const { promise } = this.#changed;
    if (!signal) return promise;
    const aborted = Promise.withResolvers<void>();
    const abort = () => aborted.resolve();
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    return Promise.race([promise, aborted.promise]).finally(() =>
      signal.removeEventListener("abort", abort)
    );
  }
}

/** A JSON body in its form; whatever else comes is refused. */
async function bodyOf<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  // what a page in a browser may send without asking is something else
  if (!request.headers.get("content-type")?.startsWith("application/json")) {
    throw new Refusal(415, "Cannot read the question: its content type must be application/json");
  }
  let text = "";
  let size = 0;
  const decoder = new TextDecoder();
  try {
    await limited("read the question", BODY_MS, [], async () => {
      for await (const part of request.body ?? []) {
        size += part.length;
        if (size > MAX_BODY) break;
        text += decoder.decode(part, { stream: true });
      }
    });
  } catch (cause) {
    throw new Refusal(408, `Cannot read the question: ${(cause as Error).message}`);
  }
  if (size > MAX_BODY) {
    throw new Refusal(413, `Cannot read the question: it has more than ${MAX_BODY} bytes`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal(400, "Cannot read the question: it is not JSON");
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new Refusal(400, `Cannot read the question: ${path.join(".") || "its top"}: ${message}`);
}
