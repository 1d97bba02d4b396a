/** An engine that only samples: a server for a designer that is not trained, or for an evaluation. @module */
import { type Engine, EngineError, type Sampler, type Trainer } from "../core/mod.ts";

/**
 * `sampler` as an engine; every call of its trainer fails, by name.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const sampler = { sample: () => Promise.resolve({ ids: [7], logps: [-0.5], finish: "stop" as const, weightsVersion: 0 }) };
 * const engine = onlySamples(sampler, { engine: "vLLM", model: "Qwen3-4B" });
 * await assert.rejects(engine.trainer.forward([]), /it only samples/);
 * ```
 */
export function onlySamples(
  sampler: Sampler,
  of: { engine: string; model: string; maxContext?: number },
): Engine {
  const refuse = () =>
    Promise.reject(new EngineError(`Cannot train on ${of.engine}: it only samples`));
  const trainer: Trainer = {
    capabilities: {
      engine: of.engine,
      engineVersion: "unknown",
      model: of.model,
      maxContext: of.maxContext ?? Infinity,
      adamPerCall: false,
      batchIds: false,
      reference: false,
    },
    state: () => Promise.resolve({ step: 0, weightsVersion: 0 }),
    forward: refuse,
    forwardBackward: refuse,
    optimStep: refuse,
    publish: refuse,
    save: refuse,
    load: refuse,
  };
  return {
    trainer,
    sampler,
    base: sampler,
    log: () => "",
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
