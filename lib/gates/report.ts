/**
 * What the gates say about a program, and what they need for it.
 * @module
 */
import type { ParsedProgram, Sandbox, SandboxLimits } from "../core/mod.ts";

/**
 * Gates in their order. `oracle`, `leak` and `screen` take their places before and after
 * `duplicate`.
 */
export const gateNames = [
  "parse",
  "contract",
  "determinism",
  "presolved",
  "floor",
  "duplicate",
] as const;
export type GateName = typeof gateNames[number];

export interface GateVerdict {
  gate: GateName;
  verdict: "pass" | "refuse" | "skipped";
  /** Why it refused or was skipped; empty when it passed. */
  reason: string;
  /** Numbers and texts behind the verdict; a function of the program alone, never of time. */
  evidence: Record<string, unknown>;
}

export interface GateReport {
  /** Sha-256 of {@link source}. */
  environmentId: string;
  /** Canonical source. */
  source: string;
  /** No gate refused. */
  accepted: boolean;
  /** Passed `parse` and `contract`: the program "runs". */
  runs: boolean;
  /** One a gate, up to and including the first refusal. */
  verdicts: GateVerdict[];
  parsed?: ParsedProgram;
  className?: string;
  /** Some request exceeded its deadline. */
  hung: boolean;
}

/**
 * Reports by environment id, without `duplicate`; the caller keeps it, one for each set of options.
 */
export type GateCache = Map<string, GateReport>;

export interface GateOptions {
  sandbox: Sandbox;
  /** Configured turns; the smaller of it and the program's own counts. */
  maxTurns: number;
  signal?: AbortSignal;
  /**
   * Whether a program with this normalised syntax tree was met before; without it `duplicate` is
   * left to the caller.
   */
  known?: (treeHash: string) => boolean;
  /** Told the syntax tree's hash, or null, as soon as the `parse` gate is through. */
  onTree?: (treeHash: string | null) => void;
  /**
   * Refuse programs without `info["actions"]` in reset and every step (compact kind). @default
   * false
   */
  requireActions?: boolean;
  /** How rewards make a return (spade.md section 7). @default "last" */
  returns?: "last" | "sum";
  /** Of each probe process. */
  limits?: Partial<SandboxLimits>;
  /** The last gate to run; `contract` tells whether a text runs as emitted. @default "duplicate" */
  until?: GateName;
  cache?: GateCache;
}

export function pass(gate: GateName, evidence: Record<string, unknown> = {}): GateVerdict {
  return { gate, verdict: "pass", reason: "", evidence };
}

export function refuse(
  gate: GateName,
  reason: string,
  evidence: Record<string, unknown> = {},
): GateVerdict {
  return { gate, verdict: "refuse", reason, evidence };
}
