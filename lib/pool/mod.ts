/** Pools of environments that no designer writes: files of questions, published pools, and their exchange. @module */
export * from "./exchange.ts";
export * from "./questions.ts";
export {
  poolColumns,
  poolFile,
  poolKinds,
  type PoolRow,
  poolRow,
  rowOf,
  statedClass,
  statedSkill,
} from "./row.ts";
export type { PoolProgram } from "./program.ts";
export * from "./reasoning_gym.ts";
export * from "./reasoning_gym_sandbox.ts";
export * from "./reasoning_gym_suite.ts";
export * from "./rlve.ts";
