/** The corpus: parsed, cut to tokens, drawn without replacement. @module */
export * from "./document.ts";
export * from "./draw.ts";
export { parseFolder, parseJsonl, type ParseOptions } from "./parse.ts";
export { parseParquet } from "./parquet.ts";
export * from "./stats.ts";
export * from "./truncate.ts";
