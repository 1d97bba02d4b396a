/** Gates: what a program must pass before it is played. @module */
export * from "./check.ts";
export { duplicateVerdict, nearestOf, type Resemblance, resemblance } from "./duplicate.ts";
export { floorLimit } from "./floor.ts";
export { probeAgents, type ProbePolicy } from "./agents.ts";
export * from "./report.ts";
export { type Opinion, opinionIn, type Screen, screenGate } from "./screen.ts";
export { toolProblem } from "./tools.ts";
