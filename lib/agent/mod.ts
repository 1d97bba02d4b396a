/** The Reasoning Agent: one play of one environment. @module */
export * from "./play.ts";
export { parseToolReply, type ToolCall, type ToolProblem, type ToolReply } from "./tools.ts";
