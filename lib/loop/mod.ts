/** The training loop, resume and verify; the only room that knows every stage. @module */
export * from "./checkpoint.ts";
export * from "./config.ts";
export * from "./context.ts";
export * from "./evaluate.ts";
export * from "./expect.ts";
export { heldoutEpisode, type Player, throwOnOutage } from "./groups.ts";
export * from "./state.ts";
export * from "./train.ts";
export * from "./validity.ts";
export * from "./verify.ts";
