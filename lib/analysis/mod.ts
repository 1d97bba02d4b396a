/** Tables and statistics of a run: pure functions over arrays of records. @module */
export * from "./band.ts";
export * from "./cost.ts";
export * from "./environments.ts";
export * from "./estimate.ts";
export * from "./facts.ts";
export * from "./group.ts";
export * from "./learning.ts";
export * from "./regret.ts";
export * from "./shrunk.ts";
export * from "./tables.ts";
export * from "./validity.ts";
