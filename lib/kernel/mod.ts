/** Notebooks without a front end: a kernel's client, a runner, and the policy of a kernel that may touch little. @module */
export { answer, type AuditEntry, type BrokerOptions, serveBroker } from "./broker.ts";
export type { CellResult, Connection, ExecuteOptions } from "./client.ts";
export { type PolicyFacts, policyText, readFacts } from "./facts.ts";
export { type InterruptKind, interruptKind, listensTo, SHELL } from "./interrupt.ts";
export type { KernelMessage } from "./message.ts";
export {
  type Cell,
  hasTag,
  isStripped,
  type Notebook,
  parseNotebook,
  sourceOf,
  stripped,
  writeNotebook,
} from "./notebook.ts";
export { type DataOutput, type Output, OutputCollector } from "./outputs.ts";
export {
  type Access,
  decide,
  type Decision,
  parsePolicy,
  type Policy,
  type RealPath,
  type Rules,
} from "./policy.ts";
export { Kernel, type KernelOptions, kill } from "./process.ts";
export { realPathFrom } from "./real_path.ts";
export { relayControl, type RelayOptions } from "./relay.ts";
export { type CellFailure, runNotebook, type RunNotebookOptions } from "./run_notebook.ts";
export { syntaxError } from "./syntax.ts";
