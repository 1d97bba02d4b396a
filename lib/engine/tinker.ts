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
import { type Model, TrainingCalls } from "./calls.ts";
import { crossEntropy, SUMMED, summed } from "./means.ts";
import { Passes } from "./passes.ts";
import { Published } from "./published.ts";
import * as replies from "./replies.ts";
import { API, createModel, openSession, type Session, type SessionOptions } from "./session.ts";
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

/** Trains one model on a Tinker server. */
export class TinkerTrainer implements Trainer, AsyncDisposable {
  /** What this server can do. */
  readonly capabilities: TrainerCapabilities;
  readonly #wire: Wire;
  readonly #opened: Session;
  readonly #shortMs: number;
  readonly #calls: TrainingCalls;
  readonly #passes: Passes;
  readonly #published: Published;
  /** The trained model, and the one that is never updated: opened when first asked for. */
  readonly #model: Model;
  #reference?: Promise<Model>;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  readonly #closed = new AbortController();
  #incomplete = false;

  private constructor(wire: Wire, opened: Session, options: TinkerOptions) {
    const { deadlineMs = 3_600_000, shortDeadlineMs = 60_000 } = options;
    const { profile } = opened;
    this.capabilities = opened.capabilities;
    this.#wire = wire;
    this.#opened = opened;
    this.#shortMs = shortDeadlineMs;
    this.#model = { id: opened.modelId, seqId: 0 };
    const closed = this.#closed.signal;
    const countsTwice = profile.countsTwice ?? false;
    this.#calls = new TrainingCalls(wire, { deadlineMs, closed, countsTwice });
    this.#passes = new Passes(this.#calls, opened.chunk, options.encoding ?? profile.encoding);
    this.#published = new Published(wire, opened, shortDeadlineMs);
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
    return this.#passes.encoding;
  }

  /** Counts the server keeps with the weights. */
  async state(options: { signal?: AbortSignal } = {}): Promise<TrainerState> {
    const info = await this.#wire.post(
      API + "get_info",
      { model_id: this.#model.id },
      replies.infoReply,
      { action: "read the trainer's state", deadlineMs: this.#shortMs, ...options },
    );
    return {
      step: info.spade_steps ?? 0,
      weightsVersion: info.spade_weights_version ?? this.#published.version,
      ...(info.spade_batch_id ? { lastBatchId: info.spade_batch_id } : {}),
    };
  }

  /** Log-probabilities at every position, whatever the weights. Changes nothing. */
  async forward(
    data: readonly Datum[],
    options: { signal?: AbortSignal } = {},
  ): Promise<number[][]> {
    return await this.#passes.look(this.#model, data, options);
  }

  /** As {@link forward}, with the starting weights: a second model in the same session, made at the first call. */
  async reference(
    data: readonly Datum[],
    options: { signal?: AbortSignal } = {},
  ): Promise<number[][]> {
    this.#reference ??= createModel(this.#wire, this.#opened, 2, {
      action: "create the reference model",
      deadlineMs: this.#shortMs,
      signal: this.#closed.signal,
    }).then((id) => ({ id, seqId: 0 }));
    // a model that could not be made is asked for again
    this.#reference.catch(() => this.#reference = undefined);
    return await this.#passes.look(await this.#reference, data, options);
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
    const asked = isMean
      ? this.#passes.chunks(summed(data), "cispo")
      : this.#passes.chunks(data, loss);
    // all places in the order are taken here, before anything is awaited
    const parts = asked.map((chunk) =>
      this.#passes.pass(this.#model, "forward_backward", chunk, extra, {
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
    const reply = await this.#run(
      "save_weights_for_sampler",
      { sampling_session_seq_id: this.#published.nextSession() },
      replies.publishReply,
      "publish the weights",
      options.signal,
    );
    return this.#published.take(reply);
  }

  /** On our server: what the batch route calls the weights that this trainer published last, or the starting ones. */
  get samplingSession(): string {
    return this.#published.session;
  }

  /** Samplers over `asample`: of the last published weights, and of the starting ones. */
  samplers(): { current: Sampler; base: Sampler } {
    return this.#published.samplers({ isBinary: () => this.encoding === "proto" });
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

  #run<T>(
    path: string,
    body: Record<string, unknown>,
    schema: z.ZodType<T>,
    action: string,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#calls.run(this.#model, path, body, { schema, action, signal });
  }

  #beat(): void {
    const body = { session_id: this.#opened.sessionId };
    const call = { action: "send a heartbeat", deadlineMs: 5_000, signal: this.#closed.signal };
    // a lost beat harms nothing: the next real call says what is wrong
    this.#wire.post(API + "session_heartbeat", body, replies.anything, call).catch(() => {});
  }
}
