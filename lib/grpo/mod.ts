/** From returns and raw rewards to a batch and its weights: advantages, units, delay queue, loss. @module */
export * from "./advantages.ts";
export * from "./batch.ts";
export * from "./delay.ts";
export * from "./designer.ts";
export * from "./groups.ts";
export * from "./sequences.ts";
export * from "./server_losses.ts";
export * from "./skills.ts";
export * from "./statistics.ts";
export * from "./weights.ts";
