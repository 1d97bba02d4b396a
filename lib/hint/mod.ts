/** Hints: one sentence or three of privileged advice an accepted environment gets. @module */
export * from "./leak.ts";
export * from "./write.ts";
