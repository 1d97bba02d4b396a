/** Records, outcomes, errors, seeds, events and the ports; imports npm packages only. @module */
export * from "./errors.ts";
export * from "./events.ts";
export * from "./formats.ts";
export * from "./numbers.ts";
export * from "./outcome.ts";
export * from "./ports.ts";
export * from "./records.ts";
export * from "./rows/mod.ts";
export type { Same } from "./same.ts";
export * from "./says.ts";
export * from "./seed.ts";
export * from "./tool_response.ts";
