/** Gates: what a program must pass before it is played. @module */
export * from "./check.ts";
export { duplicateVerdict } from "./duplicate.ts";
export { floorLimit } from "./floor.ts";
export { probeAgents, type ProbePolicy } from "./agents.ts";
export * from "./report.ts";
