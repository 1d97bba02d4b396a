/** Past environments: kept, re-scored, drawn for prompts and for short sets. @module */
export * from "./describe.ts";
export * from "./pick.ts";
export * from "./records.ts";
