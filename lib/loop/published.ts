/**
 * The engine as a run sees it: a reply counts only when the weights that this run published last gave it. Between two
 * updates nothing else may change what plays are sampled from, so other weights mean a restarted server, a replica that
 * was not told, or another client that publishes on the same one. An older reply would be corrected by its own
 * log-probabilities, but it is not the play that the run believes to train on.
 * @module
 */
import { type Engine, EngineError, type Sampler, type Trainer } from "../core/mod.ts";
import type { Loop } from "./context.ts";

/**
 * The loop with an engine whose sampler refuses replies of other weights. A refused play is repeated once as any fault
 * of the model; where that does not help, the next look at the trainer's state stops the run with the same error.
 */
export async function withPublished(loop: Loop): Promise<Loop> {
  const { engine, signal } = loop;
  const { weightsVersion } = await engine.trainer.state({ signal });
  return { ...loop, engine: publishedEngine(engine, weightsVersion) };
}

function publishedEngine(engine: Engine, first: number): Engine {
  const inner = engine.trainer;
  let published = first;
  let fault: EngineError | undefined;
  const stands = (version: number) => {
    published = version;
    fault = undefined;
  };
  const trainer: Trainer = {
    capabilities: inner.capabilities,
    state(options) {
      return fault ? Promise.reject(fault) : inner.state(options);
    },
    forward: (data, options) => inner.forward(data, options),
    forwardBackward: (data, loss, options) => inner.forwardBackward(data, loss, options),
    ...inner.reference ? { reference: (data, options) => inner.reference!(data, options) } : {},
    optimStep: (adam, options) => inner.optimStep(adam, options),
    ...inner.takeBatch
      ? {
        async takeBatch(batch, options) {
          const taken = await inner.takeBatch!(batch, options);
          stands(taken.weightsVersion);
          return taken;
        },
      } satisfies Partial<Trainer>
      : {},
    async publish(options) {
      const version = await inner.publish(options);
      stands(version);
      return version;
    },
    save: (name, options) => inner.save(name, options),
    async load(path, options) {
      const state = await inner.load(path, options);
      stands(state.weightsVersion);
      return state;
    },
  };
  const sampler: Sampler = {
    async sample(request, options) {
      const asked = published;
      const reply = await engine.sampler.sample(request, options);
      if (reply.weightsVersion === asked) return reply;
      fault = new EngineError(
        `Cannot use a sampled reply: it is of weights version ${reply.weightsVersion}, must be ${asked}, ` +
          "the one published last; was the engine restarted, or does another client publish on it?",
      );
      throw fault;
    },
  };
  return {
    trainer,
    sampler,
    base: engine.base,
    log: () => engine.log(),
    ...engine.keepOnly ? { keepOnly: (paths) => engine.keepOnly!(paths) } : {},
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
