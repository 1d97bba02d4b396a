/**
 * slime, a trainer on Ray, as an engine with the roles turned round (engines.md section 4): it has no call that updates
 * weights, it asks a function of ours (`scripts/slime/spade_bridge.py`) for samples. We listen; plays are sampled from
 * slime's own SGLang router, a finished batch is handed over when slime asks for that rollout, and slime's next question
 * says that the update is done. slime's rollout number is the number of updates in its weights.
 *
 * slime keeps its own checkpoints. A run of ours goes on with slime at any number that its stored batches lead to: those
 * that slime has not had are given again, those that it had are not (what was given is noted beside the run's records).
 * Anything else is refused by name, on both sides.
 *
 * Not guaranteed: that slime's loss is SPADE's beyond the settings that are checked; log-probabilities of the trainer and
 * the gradient's norm are not told, they are in slime's own log.
 * @module
 */
import {
  type Engine,
  EngineError,
  type RecordOf,
  type Sampler,
  type SampleReply,
  type SampleRequest,
  sha256,
  type Trainer,
  type TrainerState,
} from "../../core/mod.ts";
import { SglangSampler } from "../sglang.ts";
import { Wire } from "../wire.ts";
import { type DeskOptions, type Question, SlimeDesk } from "./desk.ts";
import { slimeRollout } from "./samples.ts";

/** Where slime finds us, and what is noted of the run. */
export interface SlimeOptions extends DeskOptions {
  /** Where to listen, e.g. `http://127.0.0.1:8780`; the port is 8780 where none is given. */
  listen: string;
  /** File that what was given is noted in. */
  given: string;
  /** Of the run, for its manifest. */
  model: string;
  /** Hears of slime's questions. */
  tell?: (message: string) => void;
}

const PORT = 8780;
const isLoopback = (host: string) => /^(127(\.\d+){3}|localhost|\[::1\])$/.test(host);

/** One run's end of slime. */
export class SlimeEngine implements Engine {
  /** Hands batches to slime and waits for its step. */
  readonly trainer: Trainer;
  /** Samples from slime's SGLang. */
  readonly sampler: Sampler;
  /** Refuses: slime keeps no starting weights in its sampler. */
  readonly base: Sampler;
  readonly #options: SlimeOptions;
  readonly #desk: SlimeDesk;
  readonly #server: Deno.HttpServer;
  readonly #given: Map<number, string>;
  #done = 0;
  #lastBatchId: string | undefined;
  #router: { question: Question; sampler: SglangSampler } | undefined;
  /** By the name that SGLang gives its weights: the updates in them. */
  readonly #versions = new Map<string, number>();

  /**
   * Begins to listen.
   *
   * @throws {EngineError} where the address is taken, needs a key, or is no `http:` one.
   */
  constructor(options: SlimeOptions) {
    this.#options = options;
    this.#given = readGiven(options.given);
    this.#desk = new SlimeDesk(options);
    try {
      this.#server = serve(options, (request, info) => this.#desk.handle(request, info));
    } catch (error) {
      this.#desk.close(410, "Cannot go on: this run has not begun");
      throw error;
    }
    this.trainer = this.#asTrainer();
    this.sampler = { sample: (request, how) => this.#sample(request, how?.signal) };
    this.base = { sample: () => Promise.reject(unable("sample from the starting weights")) };
  }

  /** Where it listens. */
  get url(): string {
    const { hostname, port } = this.#server.addr as Deno.NetAddr;
    return `http://${hostname}:${port}`;
  }

  /** Nothing: slime's log is slime's. */
  log(): string {
    return "";
  }

  /**
   * Stops listening. A run with all its rollouts tells slime that it is over; else slime's bridge goes on asking, for a
   * run that is resumed.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const isOver = this.#done >= this.#options.rollouts;
    if (isOver) {
      this.#desk.close(410, "Cannot give another rollout: the run is over");
      await this.#desk.told(3_000);
    } else this.#desk.close(503, "Cannot go on: the run was stopped; resume it");
    await this.#server.shutdown();
  }

  async #sample(request: SampleRequest, signal?: AbortSignal): Promise<SampleReply> {
    const question = await this.#desk.asked(signal);
    return await this.#samplerOf(question).sample(request, { signal });
  }

  /** The sampler on the router of the question that waits. */
  #samplerOf(question: Question): Sampler {
    if (this.#router?.question === question) return this.#router.sampler;
    const { router_url: url, rollout_id: id, model } = question;
    this.#options.tell?.(`slime asks for rollout ${id}: ${model ?? "its model"} at ${url}`);
    // names of weights begin anew with each slime
    if (this.#router?.question.session !== question.session) this.#versions.clear();
    const wire = new Wire({ url: url.replace(/\/$/, ""), lifetime: this.#desk.lifetime });
    const sampler = new SglangSampler(wire, { versionOf: (name) => this.#version(name, id) });
    this.#router = { question, sampler };
    return sampler;
  }

  /**
   * How many updates are in the weights that SGLang calls `name`, while slime is at rollout `id`. slime gives its weights
   * a new name with every update, so a name that was there before is that of older weights.
   */
  #version(name: string, id: number): number {
    if (name === "default" || name === "0") return id;
    const known = this.#versions.get(name);
    if (known !== undefined) return known;
    const [other] = [...this.#versions].find(([, version]) => version === id) ?? [];
    if (other !== undefined) {
      throw new EngineError(
        `Cannot use a sampled reply: of slime's samplers one has weights ${name}, another ${other}`,
      );
    }
    this.#versions.set(name, id);
    return id;
  }

  async #takeBatch(batch: RecordOf<"batch">, signal?: AbortSignal): Promise<number> {
    const { rollout_id: id, global_batch_size: size } = await this.#desk.asked(signal);
    const { rollout } = batch;
    const answer = slimeRollout(batch);
    const text = JSON.stringify(answer);
    const digest = sha256(text);
    if (id === rollout) {
      if (answer.units === 0) {
        throw this.#desk.close(409, `Cannot give rollout ${id}: its batch is empty`);
      }
      if (size !== null && size !== answer.units) {
        throw this.#desk.close(
          409,
          `Cannot give rollout ${id}: it has ${answer.units} units and slime steps by ${size}, and this slime cannot ` +
            `be told; set --global-batch-size ${answer.units}`,
        );
      }
      this.#note(rollout, digest);
      this.#desk.give(rollout, text);
      await this.#desk.asked(signal);
    } else if (id < rollout || this.#given.get(rollout) !== digest) {
      throw this.#apart(id, rollout);
    }
    this.#done = rollout + 1;
    this.#lastBatchId = batch.id;
    return this.#done;
  }

  /** slime and the run do not go together; both are told. */
  #apart(id: number, rollout: number): EngineError {
    const from = rollout === 0
      ? "without a checkpoint of its own"
      : `from its checkpoint of ${rollout} rollouts, or an earlier one that this run has a checkpoint for, or none`;
    return this.#desk.close(
      409,
      `Cannot go on with slime at rollout ${id}: this run is at rollout ${rollout}; start slime ${from}`,
    );
  }

  #note(rollout: number, digest: string): void {
    this.#given.set(rollout, digest);
    Deno.writeTextFileSync(this.#options.given, `${rollout} ${digest}\n`, { append: true });
  }

  async #state(signal?: AbortSignal): Promise<TrainerState> {
    const { rollout_id: id } = await this.#desk.asked(signal);
    // one ahead, and given: the update that a stopped run did not hear of
    if (id !== this.#done && !(id === this.#done + 1 && this.#given.has(this.#done))) {
      throw this.#apart(id, this.#done);
    }
    return { step: this.#done, weightsVersion: this.#done, lastBatchId: this.#lastBatchId };
  }

  async #load(path: string, signal?: AbortSignal): Promise<TrainerState> {
    const [, digits] = /^slime\/(\d{1,9})$/.exec(path) ?? [];
    if (digits === undefined) throw unable(`load ${path}`);
    const { rollout_id: id } = await this.#desk.asked(signal);
    if (id < Number(digits)) {
      throw new EngineError(`Cannot load ${path}: slime is at rollout ${id}`);
    }
    this.#done = Number(digits);
    return { step: this.#done, weightsVersion: this.#done };
  }

  #asTrainer(): Trainer {
    const refuse = (what: string) => () => Promise.reject(unable(what));
    return {
      capabilities: {
        engine: "slime",
        engineVersion: "unknown",
        model: this.#options.model,
        maxContext: Infinity,
        adamPerCall: false,
        batchIds: false,
        reference: false,
      },
      state: ({ signal } = {}) => this.#state(signal),
      takeBatch: async (batch, { signal } = {}) => ({
        weightsVersion: await this.#takeBatch(batch, signal),
      }),
      forward: refuse("ask for log-probabilities"),
      forwardBackward: refuse("compute gradients"),
      optimStep: refuse("make an optimiser step"),
      publish: refuse("publish weights"),
      // the weights are slime's to keep: this is the place in the run that they belong to
      save: () => Promise.resolve(`slime/${this.#done}`),
      load: (path, { signal } = {}) => this.#load(path, signal),
    };
  }
}

function unable(what: string): EngineError {
  return new EngineError(`Cannot ${what} on slime: it takes whole batches and nothing else`);
}

function serve(options: SlimeOptions, handle: Deno.ServeHandler): Deno.HttpServer {
  const { listen, apiKey } = options;
  const { protocol, hostname, port, pathname } = new URL(listen);
  if (protocol !== "http:" || pathname !== "/") {
    throw new EngineError(`Cannot listen at ${listen}: must be http://HOST:PORT`);
  }
  if (!isLoopback(hostname) && apiKey === undefined) {
    throw new EngineError(
      `Cannot listen at ${listen}: others reach it, so it needs a key: set engineKeyFile, and SPADE_KEY for the bridge`,
    );
  }
  try {
    const at = { hostname: hostname.replace(/[[\]]/g, ""), port: Number(port || PORT) };
    return Deno.serve({ ...at, onListen: () => {}, onError: failed }, handle);
  } catch (cause) {
    const hint = cause instanceof Deno.errors.NotCapable
      ? `this command may not; set SPADE_ENGINE_HOST=${hostname} for it`
      : (cause as Error).message;
    throw new EngineError(`Cannot listen at ${listen}: ${hint}`, { cause });
  }
}

function failed(error: unknown): Response {
  return Response.json({ detail: `the run failed: ${(error as Error).message}` }, { status: 500 });
}

/** Digests of what was given, by rollout; the last one counts. */
function readGiven(file: string): Map<number, string> {
  let text = "";
  try {
    text = Deno.readTextFileSync(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const lines = text.split("\n").map((line) => line.split(" "));
  return new Map(lines.filter(({ length }) => length === 2).map(([id, it]) => [Number(id), it]));
}
