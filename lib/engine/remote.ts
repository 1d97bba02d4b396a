/**
 * An engine that already runs elsewhere and speaks the Tinker routes and the batch route of our own server.
 * @module
 */
import type { Engine } from "../core/mod.ts";
import { BatchSampler } from "./sampler.ts";
import { TinkerTrainer } from "./tinker.ts";
import { Wire } from "./wire.ts";

/**
 * Opens a trained model of its own on a running server; the server outlives it.
 *
 * @throws {EngineError} where nothing answers at `url`, or it speaks something else.
 */
export async function connectEngine(
  options: { url: string; signal?: AbortSignal },
): Promise<Engine> {
  const wire = new Wire({ url: options.url.replace(/\/$/, "") });
  const trainer = await TinkerTrainer.connect(wire, { signal: options.signal });
  return {
    trainer,
    sampler: new BatchSampler(wire, { model: "current" }),
    base: new BatchSampler(wire, { model: "base" }),
    log: () => "",
    [Symbol.asyncDispose]: () => trainer[Symbol.asyncDispose](),
  };
}
