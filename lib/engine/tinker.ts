/**
 * Trainer over the Tinker REST protocol: JSON, or protocol buffers where a server takes nothing else.
 *
 * Guarantees: calls run in the order they are made (`seq_id`); a repeated call is one call, and is not repeated where the
 * server does not know it again; a batch too large for one request is cut in chunks whose gradients add up; after a
 * `forwardBackward` that failed half-way no step is taken until weights are loaded again. Not guaranteed by other servers
 * than ours: batch ids and Adam fields per call (see {@link TinkerTrainer.capabilities}).
 * @module
 */
import type { z } from "zod";
import {
  type AdamParams,
  type Datum,
  EngineError,
  type LossName,
  type Sampler,
  type Trainer,
  type TrainerCapabilities,
  type TrainerState,
} from "../core/mod.ts";
import { type Chunk, chunks, requestBytes } from "./data.ts";
import { limited } from "./deadline.ts";
import { submit, type Turn } from "./futures.ts";
import { SUMMED, summed } from "./means.ts";
import * as replies from "./replies.ts";
import { publishedSession, type SamplingSession, TinkerSampler } from "./asample.ts";
import {
  API,
  createModel,
  createSamplingSession,
  openSession,
  type Session,
  type SessionOptions,
} from "./session.ts";
import type { Wire } from "./wire.ts";

/** Names and deadlines of a {@link TinkerTrainer}. */
export interface TinkerOptions extends SessionOptions {
  /** For one training call, waiting for its turn included. @default 3_600_000 */
  deadlineMs?: number;
  /** Between heartbeats. @default 10_000 */
  heartbeatMs?: number;
  /**
   * Of training calls; `auto` begins in JSON and changes at the first refusal of it (415, 422).
   * @default the profile's
   */
  encoding?: "json" | "proto" | "auto";
}

/** A model of the server, and the number of calls made on it. */
interface Model {
  id: string;
  seqId: number;
}

/** Trains one model on a Tinker server. */
export class TinkerTrainer implements Trainer, AsyncDisposable {
  /** What this server can do. */
  readonly capabilities: TrainerCapabilities;
  readonly #wire: Wire;
  readonly #deadlines: { long: number; short: number };
  readonly #opened: Session;
  /** The trained model, and the one that is never updated: opened when first asked for. */
  readonly #model: Model;
  #reference?: Promise<Model>;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  readonly #closed = new AbortController();
  #published = 0;
  /** Sampling sessions opened so far, the one of the published weights, and the one of the starting weights. */
  #sessions = 0;
  #sampling?: () => Promise<SamplingSession>;
  #session = "base";
  #base?: Promise<SamplingSession>;
  #incomplete = false;
  /** Settles when the last body so far is sent: one at a time is in memory. */
  #posts: Promise<unknown> = Promise.resolve();
  #encoding: "json" | "proto" | "auto";

  private constructor(wire: Wire, opened: Session, options: TinkerOptions) {
    this.capabilities = opened.capabilities;
    this.#wire = wire;
    this.#opened = opened;
    this.#model = { id: opened.modelId, seqId: 0 };
    this.#deadlines = {
      long: options.deadlineMs ?? 3_600_000,
      short: options.shortDeadlineMs ?? 60_000,
    };
    this.#encoding = options.encoding ?? opened.profile.encoding;
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs ?? 10_000);
    Deno.unrefTimer(this.#heartbeat);
  }

  /** Opens a session and a fully trained model on it. */
  static async connect(
    wire: Wire,
    options: TinkerOptions = {},
  ): Promise<TinkerTrainer> {
    return new TinkerTrainer(wire, await openSession(wire, options), options);
  }

  /** Encoding of training calls, as far as it is settled. */
  get encoding(): "json" | "proto" | "auto" {
    return this.#encoding;
  }

  /** Counts the server keeps with the weights. */
  async state(options: { signal?: AbortSignal } = {}): Promise<TrainerState> {
    const info = await this.#wire.post(
      API + "get_info",
      { model_id: this.#model.id },
      replies.infoReply,
      { action: "read the trainer's state", deadlineMs: this.#deadlines.short, ...options },
    );
    return {
      step: info.spade_steps ?? 0,
      weightsVersion: info.spade_weights_version ?? this.#published,
      ...(info.spade_batch_id ? { lastBatchId: info.spade_batch_id } : {}),
    };
  }

  /** Log-probabilities at every position, whatever the weights. Changes nothing. */
  async forward(
    data: readonly Datum[],
    options: { signal?: AbortSignal } = {},
  ): Promise<number[][]> {
    return await this.#look(this.#model, data, options);
  }

  /** As {@link forward}, with the starting weights: a second model in the same session, made at the first call. */
  async reference(
    data: readonly Datum[],
    options: { signal?: AbortSignal } = {},
  ): Promise<number[][]> {
    this.#reference ??= createModel(this.#wire, this.#opened, 2, {
      action: "create the reference model",
      deadlineMs: this.#deadlines.short,
      signal: this.#closed.signal,
    }).then((id) => ({ id, seqId: 0 }));
    // a model that could not be made is asked for again
    this.#reference.catch(() => this.#reference = undefined);
    return await this.#look(await this.#reference, data, options);
  }

  /**
   * Sums over all chunks. On the embedded engine only positions that carry weight are computed: the others come back as
   * NaN, which is not zero. On a server that averages, cross-entropy only, and one call a step.
   */
  async forwardBackward(
    data: readonly Datum[],
    loss: LossName,
    options: { config?: Record<string, number>; signal?: AbortSignal } = {},
  ): Promise<{ logps: number[][]; loss: number }> {
    const isMean = this.#opened.profile.gradient === "mean";
    if (isMean && loss !== "cross_entropy") {
      throw new RangeError(
        `Cannot train with ${loss}: ${this.#opened.profile.name} averages it, the loss must be cross_entropy`,
      );
    }
    const config = isMean ? SUMMED : options.config;
    const extra = {
      ...(config ? { loss_fn_config: config } : {}),
      ...(this.capabilities.batchIds ? { spade_positions: "weighted" } : {}),
    };
    const asked = isMean ? this.#chunks(summed(data), "cispo") : this.#chunks(data, loss);
    // all places in the order are taken here, before anything is awaited
    const parts = asked.map((chunk) =>
      this.#learn(this.#model, "forward_backward", "forward_backward_input", chunk, extra, {
        config,
        signal: options.signal,
      })
    );
    try {
      const done = await Promise.all(parts);
      const logps = done.flatMap((part) => part.logps);
      const sums = done.map(({ loss }) => loss).filter((loss) => loss !== undefined);
      if (isMean && sums.length === 0) return { logps, loss: crossEntropy(data, logps) };
      if (!isMean && sums.length === done.length) {
        return { logps, loss: sums.reduce((a, b) => a + b, 0) };
      }
      // the two kinds are told apart by it, and the gradient is wrong where they are confused
      throw new EngineError(
        isMean
          ? "Cannot train: the reply has a loss:sum, so this is not the server that profile jax is for"
          : "Cannot train: the reply has no loss:sum; is it SkyRL's JAX backend? It averages: name it jax:URL",
      );
    } catch (error) {
      this.#incomplete = true;
      throw error;
    }
  }

  /** One AdamW step (decay on every weight, as torch does) with the hyper-parameters of this call. */
  async optimStep(
    adam: AdamParams,
    options: { batchId: string; signal?: AbortSignal },
  ): Promise<{ applied: boolean; gradNorm?: number }> {
    if (this.#incomplete) {
      throw new EngineError(
        "Cannot take a step: a forwardBackward before it failed, so the gradient is incomplete; load a checkpoint",
      );
    }
    const reply = await this.#run(
      "optim_step",
      {
        adam_params: {
          learning_rate: adam.learningRate,
          beta1: adam.beta1,
          beta2: adam.beta2,
          eps: adam.epsilon,
          weight_decay: adam.weightDecay,
          grad_clip_norm: adam.gradClipNorm,
        },
        ...(this.capabilities.batchIds ? { spade_batch_id: options.batchId } : {}),
      },
      replies.stepReply,
      "take an optimiser step",
      options.signal,
    );
    const gradNorm = reply.metrics?.grad_norm ?? reply.metrics?.["skyrl.ai/grad_norm"];
    const applied = reply.spade_already_applied !== true;
    return { applied, ...(gradNorm === undefined ? {} : { gradNorm }) };
  }

  /** Publishes; on our server the version grows only when a step was taken since the last publish. */
  async publish(options: { signal?: AbortSignal } = {}): Promise<number> {
    const body = { sampling_session_seq_id: ++this.#sessions };
    const reply = await this.#run(
      "save_weights_for_sampler",
      body,
      replies.publishReply,
      "publish the weights",
      options.signal,
    );
    this.#published = reply.spade_weights_version ?? this.#published + 1;
    this.#session = reply.sampling_session_id ?? this.#session;
    let opened: Promise<SamplingSession> | undefined;
    this.#sampling = () => opened ??= this.#sessionOf(publishedSession(reply));
    return this.#published;
  }

  /** On our server: what the batch route calls the weights that this trainer published last, or the starting ones. */
  get samplingSession(): string {
    return this.#session;
  }

  /** Samplers over `asample`: of the last published weights, and of the starting ones. */
  samplers(): { current: Sampler; base: Sampler } {
    const isBinary = () => this.#encoding === "proto";
    const base = () => this.#base ??= this.#sessionOf({ path: undefined });
    return {
      current: new TinkerSampler(this.#wire, () => (this.#sampling ?? base)(), { isBinary }),
      base: new TinkerSampler(this.#wire, base, { isBinary }),
    };
  }

  async #sessionOf(weights: { id: string } | { path?: string }): Promise<SamplingSession> {
    const weightsVersion = "path" in weights && weights.path === undefined ? 0 : this.#published;
    if ("id" in weights) return { id: weights.id, weightsVersion };
    const call = { action: "open a sampling session", deadlineMs: this.#deadlines.short };
    const seq = ++this.#sessions;
    return {
      id: await createSamplingSession(this.#wire, this.#opened, seq, weights, call),
      weightsVersion,
    };
  }

  /** Replaces what was saved under `name`. */
  async save(name: string, options: { signal?: AbortSignal } = {}): Promise<string> {
    const body = { path: name, overwrite: true };
    const action = `save the weights as ${name}`;
    return (await this.#run("save_weights", body, replies.pathReply, action, options.signal)).path;
  }

  /** Weights that were published when saved are the sampler's again, on our server under their old version. */
  async load(path: string, options: { signal?: AbortSignal } = {}): Promise<TrainerState> {
    const body = { path, optimizer: true };
    const action = `load the weights ${path}`;
    if (this.#incomplete && this.#opened.profile.keepsGradients) {
      // what it does to the optimiser is loaded over
      const adam_params = { learning_rate: 0, weight_decay: 0 };
      await this.#run("optim_step", { adam_params }, replies.stepReply, action, options.signal);
    }
    const reply = await this.#run("load_weights", body, replies.loadReply, action, options.signal);
    this.#incomplete = false; // loading drops gradients
    if (reply.spade_published !== false) await this.publish(options);
    return await this.state(options);
  }

  /** Ends the heartbeat and frees the model. Never throws: the engine may be gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#heartbeat);
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(new EngineError("The trainer was closed"));
    const opened = [this.#model, await this.#reference?.catch(() => undefined)];
    await Promise.all(opened.map((model) =>
      model && this.#wire.post(
        API + "unload_model",
        { model_id: model.id },
        replies.anything,
        { action: "unload the model", deadlineMs: 2_000 },
      ).catch(() => {})
    ));
  }

  #chunks(data: readonly Datum[], loss: LossName): Chunk[] {
    if (data.length === 0) {
      throw new RangeError("Cannot train on no data: must be at least one datum");
    }
    return chunks(data, loss, this.#opened.chunk);
  }

  async #look(
    model: Model,
    data: readonly Datum[],
    options: { signal?: AbortSignal },
  ): Promise<number[][]> {
    const got = this.#chunks(data, "cross_entropy").map((chunk) =>
      this.#learn(model, "forward", "forward_input", chunk, {}, options)
    );
    return (await Promise.all(got)).flatMap((part) => part.logps);
  }

  async #learn(
    model: Model,
    path: string,
    field: string,
    chunk: Chunk,
    extra: Record<string, unknown>,
    options: { config?: Record<string, number>; signal?: AbortSignal },
  ): Promise<{ logps: number[][]; loss?: number }> {
    const { loss, data, lengths } = chunk;
    const action = `run ${path} on ${data.length} data`;
    const json = () =>
      this.#run(
        path,
        { [field]: { data, loss_fn: loss, ...extra } },
        replies.lossReply,
        action,
        options.signal,
        model,
      );
    const proto = () => {
      const seqId = ++model.seqId;
      const call = {
        modelId: model.id,
        seqId,
        forwardOnly: path === "forward",
        config: options.config,
      };
      return this.#send("forward_backward", () => requestBytes(chunk, call), {
        ...{ schema: replies.anyLossReply, action, signal: options.signal, binary: true },
      });
    };
    const reply = this.#encoding === "proto" ? await proto() : await json().catch((error) => {
      const isRefusedForm = error instanceof EngineError &&
        (error.status === 415 || error.status === 422);
      if (this.#encoding !== "auto" || !isRefusedForm) throw error;
      return proto().then((given) => (this.#encoding = "proto", given), () => {
        throw error; // what JSON was refused with says more
      });
    });
    const logps = reply.loss_fn_outputs.map(({ logprobs }) => logprobs.data.map((v) => v ?? NaN));
    const wrong = lengths.findIndex((length, i) => logps[i]?.length !== length);
    if (logps.length !== lengths.length || wrong >= 0) {
      throw new EngineError(
        `Cannot ${action}: the reply has log-probabilities of other lengths than the data`,
      );
    }
    return { logps, loss: reply.metrics["loss:sum"] ?? reply.metrics["total_loss:sum"] };
  }

  /** One training call: its place in the order is taken now, before anything is awaited. */
  #run<T>(
    path: string,
    body: Record<string, unknown>,
    schema: z.ZodType<T>,
    action: string,
    signal?: AbortSignal,
    model = this.#model,
  ): Promise<T> {
    const seq_id = ++model.seqId;
    const sent = () => ({ model_id: model.id, seq_id, ...body });
    return this.#send(path, sent, { schema, action, signal, binary: false });
  }

  #send<T>(
    path: string,
    body: () => unknown,
    of: { schema: z.ZodType<T>; action: string; signal?: AbortSignal; binary: boolean },
  ): Promise<T> {
    const { schema, action, binary } = of;
    const once = path !== "forward" && this.#opened.profile.countsTwice;
    const deadlineMs = this.#deadlines.long;
    const turn: Turn = (send) => {
      const sent = this.#posts.then(send);
      this.#posts = sent.catch(() => {});
      return sent;
    };
    return limited(action, deadlineMs, [this.#closed.signal, of.signal], (signal) => {
      const call = { action, deadlineMs, signal, binary, once, turn };
      return submit(this.#wire, API + path, body, schema, call);
    });
  }

  #beat(): void {
    const body = { session_id: this.#opened.sessionId };
    const call = { action: "send a heartbeat", deadlineMs: 5_000, signal: this.#closed.signal };
    // a lost beat harms nothing: the next real call says what is wrong
    this.#wire.post(API + "session_heartbeat", body, replies.anything, call).catch(() => {});
  }
}

/** The summed loss, which a server that averages does not say. */
function crossEntropy(data: readonly Datum[], logps: readonly (readonly number[])[]): number {
  let sum = 0;
  data.forEach(({ weights }, i) =>
    logps[i].forEach((logp, t) => {
      const weight = weights?.[t] ?? 1;
      if (weight !== 0) sum -= weight * logp;
    })
  );
  return sum;
}
