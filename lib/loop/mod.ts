/** The training loop, resume and verify; the only room that knows every stage. @module */
export * from "./checkpoint.ts";
export { changesOf, checkConfig, configAt, type ConfigChange, selectionRule } from "./config.ts";
export * from "./context.ts";
export * from "./evaluate.ts";
export * from "./expect.ts";
export { askOptions } from "./generate.ts";
export { heldoutEpisode, type Player, throwOnOutage } from "./groups.ts";
export { gateOptions } from "./judge.ts";
export { settled } from "./settled.ts";
export type { Config } from "./options.ts";
export { type PresetReader, resolveConfig } from "./presets.ts";
export * from "./state.ts";
export * from "./train.ts";
export * from "./validity.ts";
export * from "./verify.ts";
