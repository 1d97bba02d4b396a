/**
 * An engine that already runs elsewhere and speaks the Tinker routes; where it is ours, replies come by the batch route,
 * of weights that this client published: others may train on the same server.
 * @module
 */
import type { Engine } from "../core/mod.ts";
import { BatchSampler } from "./sampler.ts";
import { type Profile, type ProfileName, profiles } from "./profiles.ts";
import type { SessionOptions } from "./session.ts";
import { TinkerTrainer } from "./tinker.ts";
import { Wire } from "./wire.ts";

export interface RemoteOptions extends SessionOptions {
  url: string;
  /** Sent as `X-API-Key`. */
  apiKey?: string;
}

/**
 * Opens a trained model of its own on a running server; the server outlives it.
 *
 * @throws {EngineError} where nothing answers at `url`, or it speaks something else.
 */
export async function connectEngine(options: RemoteOptions): Promise<Engine> {
  const { url, apiKey = profileKey(options.profile), ...asked } = options;
  const headers: Record<string, string> = apiKey === undefined ? {} : { "x-api-key": apiKey };
  const wire = new Wire({ url: url.replace(/\/$/, ""), headers });
  const trainer = await TinkerTrainer.connect(wire, asked);
  const { current, base } = trainer.capabilities.batchIds
    ? {
      current: new BatchSampler(wire, { model: () => trainer.samplingSession, echo: true }),
      base: new BatchSampler(wire, { model: "base", echo: true }),
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

function profileKey(name: ProfileName | undefined): string | undefined {
  const profile: Profile | undefined = name && profiles[name];
  return profile?.anyKey;
}
