/**
 * Forward and backward passes: data cut to what a server takes in one call, in JSON or protocol buffers, and the answers
 * checked against what was sent.
 * @module
 */
import { type Datum, EngineError, type LossName } from "../core/mod.ts";
import type { Model, TrainingCalls } from "./calls.ts";
import { type Chunk, chunks, requestBytes } from "./data.ts";
import * as replies from "./replies.ts";
import type { Session } from "./session.ts";

/** Encoding of training calls; `auto` begins in JSON and changes at the first refusal of it (415, 422). */
export type Encoding = "json" | "proto" | "auto";

/** What one pass gives: log-probabilities a datum, and the summed loss where the server says it. */
export interface PassReply {
  /** A list a datum, NaN where nothing was computed. */
  logps: number[][];
  /** Sum over the chunk. */
  loss?: number;
}

/** The passes of one session. */
export class Passes {
  readonly #calls: TrainingCalls;
  readonly #limits: Session["chunk"];
  #encoding: Encoding;

  /** Nothing is sent before the first pass. */
  constructor(calls: TrainingCalls, limits: Session["chunk"], encoding: Encoding) {
    this.#calls = calls;
    this.#limits = limits;
    this.#encoding = encoding;
  }

  /** Encoding, as far as it is settled. */
  get encoding(): Encoding {
    return this.#encoding;
  }

  /** Data as single calls carry them. */
  chunks(data: readonly Datum[], loss: LossName): Chunk[] {
    if (data.length === 0) {
      throw new RangeError("Cannot train on no data: must be at least one datum");
    }
    return chunks(data, loss, this.#limits);
  }

  /** Log-probabilities at every position, whatever the weights. */
  async look(
    model: Model,
    data: readonly Datum[],
    options: { signal?: AbortSignal },
  ): Promise<number[][]> {
    const got = this.chunks(data, "cross_entropy").map((chunk) =>
      this.pass(model, "forward", chunk, {}, options)
    );
    return (await Promise.all(got)).flatMap((part) => part.logps);
  }

  /** One chunk. `extra` goes with JSON; its place in the order is taken now. */
  async pass(
    model: Model,
    path: "forward" | "forward_backward",
    chunk: Chunk,
    extra: Record<string, unknown>,
    options: { config?: Record<string, number>; signal?: AbortSignal },
  ): Promise<PassReply> {
    const { loss, data, lengths } = chunk;
    const { config, signal } = options;
    const action = `run ${path} on ${data.length} data`;
    const json = () =>
      this.#calls.run(model, path, { [`${path}_input`]: { data, loss_fn: loss, ...extra } }, {
        ...{ schema: replies.lossReply, action, signal },
      });
    const proto = () => {
      const seqId = ++model.seqId;
      const call = { modelId: model.id, seqId, forwardOnly: path === "forward", config };
      return this.#calls.send("forward_backward", () => requestBytes(chunk, call), {
        ...{ schema: replies.anyLossReply, action, signal, binary: true },
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
}
