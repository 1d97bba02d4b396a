/**
 * An engine that already runs elsewhere and speaks the Tinker routes; where it is ours, replies come by the batch route.
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
  options: { url: string; baseModel?: string; apiKey?: string; signal?: AbortSignal },
): Promise<Engine> {
  const wire = new Wire({
    url: options.url.replace(/\/$/, ""),
    ...options.apiKey === undefined ? {} : { headers: { "x-api-key": options.apiKey } },
  });
  const trainer = await TinkerTrainer.connect(wire, {
    signal: options.signal,
    baseModel: options.baseModel,
  });
  const { current, base } = trainer.capabilities.batchIds
    ? {
      current: new BatchSampler(wire, { model: "current" }),
      base: new BatchSampler(wire, { model: "base" }),
    }
    : trainer.samplers();
  return {
    trainer,
    sampler: current,
    base,
    log: () => "",
    [Symbol.asyncDispose]: () => trainer[Symbol.asyncDispose](),
  };
}
