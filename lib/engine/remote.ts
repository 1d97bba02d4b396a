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

/** Where the server is and what is asked of it. */
export interface RemoteOptions extends SessionOptions {
  /** Without a path, e.g. `http://127.0.0.1:8000`. */
  url: string;
  /** Sent as `X-API-Key`. */
  apiKey?: string;
}

/**
 * Opens a trained model of its own on a running server; the server outlives it.
 *
 * ```ts ignore check
 * import { connectEngine } from "@spade/spade";
 *
 * await using engine = await connectEngine({ url: "http://127.0.0.1:8000", profile: "skyrl" });
 * const params = { maxTokens: 16, temperature: 1, stopIds: [] };
 * const { ids } = await engine.sampler.sample({ prompt: [9707, 11], params, seed: 0 });
 * ```
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
