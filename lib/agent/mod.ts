/** The Reasoning Agent: one play of one environment. @module */
export * from "./play.ts";
