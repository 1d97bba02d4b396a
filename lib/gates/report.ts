/**
 * What the gates say about a program, and what they need for it.
 * @module
 */
import type { ParsedProgram, Sandbox, SandboxLimits } from "../core/mod.ts";
import type { Screen } from "./screen.ts";

/** Gates in their order. */
export const gateNames = [
  "parse",
  "contract",
  "determinism",
  "presolved",
  "floor",
  "oracle",
  "leak",
  "duplicate",
  "screen",
] as const;
/** Name of a gate. */
export type GateName = typeof gateNames[number];

/** What one gate says. */
export interface GateVerdict {
  /** Which gate. */
  gate: GateName;
  /** `skipped`: it could not judge, and neither admits nor refuses. */
  verdict: "pass" | "refuse" | "skipped";
  /** Why it refused or was skipped; empty when it passed. */
  reason: string;
  /** Numbers and texts behind the verdict; but for `screen` a function of the program alone, never of time. */
  evidence: Record<string, unknown>;
}

/** What all gates say about one program. */
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
  /** Facts of its text; absent where it does not parse. */
  parsed?: ParsedProgram;
  /** Name of its environment class. */
  className?: string;
  /** Some request exceeded its deadline. */
  hung: boolean;
}

/**
 * By environment id: reports without `duplicate` and `screen`, and opinions of the screen; the caller keeps it, one for
 * each set of options.
 */
export type GateCache = Map<string, GateReport & { opinion?: GateVerdict }>;

/** What the gates need, and what they demand. */
export interface GateOptions {
  /** Runs the program; nothing else does. */
  sandbox: Sandbox;
  /** Configured turns; the smaller of it and the program's own counts. */
  maxTurns: number;
  /** Gives up; there is then no report. */
  signal?: AbortSignal;
  /**
   * Whether a program with this normalised syntax tree was met before; without it `duplicate` is
   * left to the caller.
   */
  known?: (treeHash: string) => boolean;
  /** Programs that a new one must not resemble; asked together with `known`. @default near-duplicates are let in */
  similar?: {
    /** Largest share of equal shingles (Jaccard), in [0, 1]. */
    threshold: number;
    known: () => Iterable<{ id: string; shingles: readonly number[] }>;
  };
  /** Take the program's shingles, for a caller that leaves out `similar` and judges near-duplicates. @default false */
  shingles?: boolean;
  /** Told the facts of the syntax tree, or null, as soon as the `parse` gate is through. */
  onParsed?: (parsed: ParsedProgram | null) => void;
  /**
   * Refuse programs without `info["actions"]` in reset and every step (compact kind). @default
   * false
   */
  requireActions?: boolean;
  /** Refuse programs that are not for tool use. @default false */
  requireTools?: boolean;
  /** Refuse programs without `solution()`. @default false */
  requireSolution?: boolean;
  /** How rewards make a return (spade.md section 7). @default "last" */
  returns?: "last" | "sum";
  /** Of each probe process. */
  limits?: Partial<SandboxLimits>;
  /** The gates to run; their order is fixed. @default all */
  gates?: readonly GateName[];
  /** The last gate to run; `contract` tells whether a text runs as emitted. @default "screen" */
  until?: GateName;
  /** A model's opinion; it can refuse, never accept [D8]. @default none is asked */
  screen?: Screen;
  /** Refuse where the screen gave no opinion. @default false */
  screenRequired?: boolean;
  /** Reports by environment id, so that a program met again is not run again. */
  cache?: GateCache;
}

/** Kinds of environment (spade.md section 3). */
export type EnvironmentKind =
  | "compact"
  | "game-single"
  | "game-multiturn"
  | "game-corpus"
  | "tool-use";

/**
 * What each kind demands of a program.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(gateRules("game-corpus").returns, "sum");
 * assert.equal(gateRules("tool-use").requireSolution, true);
 * ```
 */
export function gateRules(
  kind: EnvironmentKind,
): Pick<GateOptions, "requireActions" | "requireTools" | "requireSolution" | "returns"> {
  return {
    requireActions: kind === "compact",
    requireTools: kind === "tool-use",
    requireSolution: kind === "game-single" || kind === "tool-use",
    returns: kind === "game-corpus" ? "sum" : "last",
  };
}

/** The gate has nothing against the program. */
export function pass(gate: GateName, evidence: Record<string, unknown> = {}): GateVerdict {
  return { gate, verdict: "pass", reason: "", evidence };
}

/** The gate refuses the program. */
export function refuse(
  gate: GateName,
  reason: string,
  evidence: Record<string, unknown> = {},
): GateVerdict {
  return { gate, verdict: "refuse", reason, evidence };
}

/** The gate could not judge. */
export function skip(
  gate: GateName,
  reason: string,
  evidence: Record<string, unknown> = {},
): GateVerdict {
  return { gate, verdict: "skipped", reason, evidence };
}
