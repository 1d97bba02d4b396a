/** Adapters of the ports Sampler and Trainer: the Tinker protocol, the batch route, the embedded engine, slime. @module */
export { type Address, parseAddress } from "./address.ts";
export { onlySamples } from "./only_samples.ts";
export { type SamplingSession, TinkerSampler } from "./asample.ts";
export { BatchSampler, type BatchSamplerOptions } from "./sampler.ts";
export { EmbeddedEngine, type EmbeddedOptions } from "./embedded.ts";
export { type OpenAiOptions, OpenAiSampler } from "./openai.ts";
export { readTape, recordEngine, replayEngine, type TapeLine, writeTapeLine } from "./tape.ts";
export { SlimeEngine, type SlimeOptions } from "./slime/engine.ts";
export { type SglangOptions, SglangSampler } from "./sglang.ts";
export { type Profile, type ProfileName, profiles } from "./profiles.ts";
export { type Finding, probeEngine, type ProbeOptions } from "./probe.ts";
export { connectEngine, type RemoteOptions } from "./remote.ts";
export type { SessionOptions } from "./session.ts";
export { type TinkerOptions, TinkerTrainer } from "./tinker.ts";
export { type CallOptions, type ReplySchema, Wire, type WireOptions } from "./wire.ts";
