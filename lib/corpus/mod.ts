/** The corpus: parsed, cut to tokens, drawn without replacement. @module */
export * from "./document.ts";
export * from "./draw.ts";
export * from "./parse.ts";
export * from "./truncate.ts";
