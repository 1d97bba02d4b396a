/**
 * The Environment Designer: what it is told, what it answers, the program inside the answer.
 * @module
 */
export * from "./ask.ts";
export * from "./boxed.ts";
export * from "./doubling.ts";
export * from "./markers.ts";
export * from "./natural.ts";
export * from "./program.ts";
export * from "./prompt.ts";
export * from "./skills.ts";
export * from "./template.ts";
