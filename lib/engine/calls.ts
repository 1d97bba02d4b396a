/**
 * Training calls of one session: each takes its place in the order (`seq_id`) when it is made, one body at a time is in
 * memory, and every call has a deadline and ends when the session is closed.
 * @module
 */
import type { z } from "zod";
import { limited } from "./deadline.ts";
import { submit, type Turn } from "./futures.ts";
import { API } from "./session.ts";
import type { Wire } from "./wire.ts";

/** A model of the server, and the number of calls made on it. */
export interface Model {
  /** The server's name for it. */
  id: string;
  /** Place of the last call in the order. */
  seqId: number;
}

/** What is expected of a call. */
export interface CallTerms<T> {
  /** Form of the answer. */
  schema: z.ZodType<T>;
  /** What it does, for messages: "take an optimiser step". */
  action: string;
  /** Ends the wait. */
  signal?: AbortSignal;
}

/** The calls of one session. */
export class TrainingCalls {
  readonly #wire: Wire;
  readonly #options: { deadlineMs: number; closed: AbortSignal; countsTwice: boolean };
  /** Settles when the last body so far is sent. */
  #posts: Promise<unknown> = Promise.resolve();

  /** `countsTwice`: a call sent again would count again, so it is sent once. */
  constructor(
    wire: Wire,
    options: { deadlineMs: number; closed: AbortSignal; countsTwice: boolean },
  ) {
    this.#wire = wire;
    this.#options = options;
  }

  /** One call in JSON: its place in the order is taken now, before anything is awaited. */
  run<T>(
    model: Model,
    path: string,
    body: Record<string, unknown>,
    terms: CallTerms<T>,
  ): Promise<T> {
    const seq_id = ++model.seqId;
    const sent = () => ({ model_id: model.id, seq_id, ...body });
    return this.send(path, sent, { ...terms, binary: false });
  }

  /** Sends a body that has its place in the order already. */
  send<T>(
    path: string,
    body: () => unknown,
    terms: CallTerms<T> & { binary: boolean },
  ): Promise<T> {
    const { schema, action, binary } = terms;
    const { deadlineMs, closed, countsTwice } = this.#options;
    const once = path !== "forward" && countsTwice;
    const turn: Turn = (send) => {
      const sent = this.#posts.then(send);
      this.#posts = sent.catch(() => {});
      return sent;
    };
    return limited(action, deadlineMs, [closed, terms.signal], (signal) => {
      const call = { action, deadlineMs, signal, binary, once, turn };
      return submit(this.#wire, API + path, body, schema, call);
    });
  }
}
