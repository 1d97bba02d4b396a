/**
 * What a trainer has published, and the sampling sessions on it: of the newest published weights and of the starting
 * ones, each opened when first sampled from.
 * @module
 */
import type { z } from "zod";
import type { Sampler } from "../core/mod.ts";
import { publishedSession, type SamplingSession, TinkerSampler } from "./asample.ts";
import type { publishReply } from "./replies.ts";
import { createSamplingSession, type Session } from "./session.ts";
import type { Wire } from "./wire.ts";

/** Published weights of one session. */
export class Published {
  readonly #wire: Wire;
  readonly #opened: Session;
  readonly #deadlineMs: number;
  #version = 0;
  /** Sampling sessions opened so far. */
  #sessions = 0;
  #sampling?: () => Promise<SamplingSession>;
  #session = "base";
  #base?: Promise<SamplingSession>;

  /** Nothing is published yet: the starting weights are version 0. */
  constructor(wire: Wire, opened: Session, deadlineMs: number) {
    this.#wire = wire;
    this.#opened = opened;
    this.#deadlineMs = deadlineMs;
  }

  /** Version of the newest published weights, as the server or else this client counts. */
  get version(): number {
    return this.#version;
  }

  /** On our server: what the batch route calls the newest published weights, or the starting ones. */
  get session(): string {
    return this.#session;
  }

  /** Number of the next sampling session. */
  nextSession(): number {
    return ++this.#sessions;
  }

  /** Takes what the server said of a publication. Returns the version. */
  take(reply: z.infer<typeof publishReply>): number {
    this.#version = reply.spade_weights_version ?? this.#version + 1;
    this.#session = reply.sampling_session_id ?? this.#session;
    let opened: Promise<SamplingSession> | undefined;
    this.#sampling = () => opened ??= this.#sessionOf(publishedSession(reply));
    return this.#version;
  }

  /** Samplers over `asample`: of the newest published weights, and of the starting ones. */
  samplers(options: { isBinary: () => boolean }): { current: Sampler; base: Sampler } {
    const base = () => this.#base ??= this.#sessionOf({ path: undefined });
    return {
      current: new TinkerSampler(this.#wire, () => (this.#sampling ?? base)(), options),
      base: new TinkerSampler(this.#wire, base, options),
    };
  }

  async #sessionOf(weights: { id: string } | { path?: string }): Promise<SamplingSession> {
    const weightsVersion = "path" in weights && weights.path === undefined ? 0 : this.#version;
    if ("id" in weights) return { id: weights.id, weightsVersion };
    const call = { action: "open a sampling session", deadlineMs: this.#deadlineMs };
    const seq = this.nextSession();
    return {
      id: await createSamplingSession(this.#wire, this.#opened, seq, weights, call),
      weightsVersion,
    };
  }
}
