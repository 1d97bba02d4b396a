/**
 * What the audits of reward hacking return: for each check and environment, how often, of how many, and whether
 * that is too often. A finding asks for a look at the environment; it is not a proof.
 * @module
 */
import { type Share, shareOf } from "../estimate.ts";
import { groupBy } from "../group.ts";

/** What was looked for. */
export type HackCheck =
  | "early win"
  | "constant answer"
  | "reward text"
  | "changed seed"
  | "reworded";

/** One check of one environment. */
export interface HackFinding {
  /** What was looked for. */
  check: HackCheck;
  /** The environment. */
  environmentId: string;
  /** Cases of the check among all that could be one; what a case is, each check says. */
  cases: Share;
  /** `unknown`: what it takes to judge is missing. */
  verdict: "flagged" | "clean" | "unknown";
  /** Up to three cases, as text. */
  examples: string[];
}

/** One check over all environments. */
export interface HackSummary {
  /** What was looked for. */
  check: HackCheck;
  /** Environments with a finding, whatever its verdict. */
  environments: number;
  /** Of those that could be judged. */
  flagged: Share;
  /** Those that could not. */
  unknown: number;
  /** Cases over all environments. */
  cases: Share;
  /** Of flagged environments, with their ids. */
  examples: { environmentId: string; text: string }[];
}

/**
 * One row a check; `flagged` is over the environments that could be judged.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { shareOf } from "../estimate.ts";
 * const of = (environmentId: string, count: number, verdict: HackFinding["verdict"]): HackFinding =>
 *   ({ check: "early win", environmentId, cases: shareOf(count, 8), verdict, examples: [] });
 * const [row] = summariseHacks([of("a", 8, "flagged"), of("b", 0, "clean"), of("c", 0, "unknown")]);
 * assert.deepEqual([row.flagged.count, row.flagged.of, row.unknown], [1, 2, 1]);
 * ```
 */
export function summariseHacks(findings: readonly HackFinding[]): HackSummary[] {
  return [...groupBy(findings, ({ check }) => check)].map(([check, of]) => {
    const flagged = of.filter(({ verdict }) => verdict === "flagged");
    const unknown = of.filter(({ verdict }) => verdict === "unknown").length;
    const sum = (name: "count" | "of") => of.reduce((total, { cases }) => total + cases[name], 0);
    return {
      check,
      environments: of.length,
      flagged: shareOf(flagged.length, of.length - unknown),
      unknown,
      cases: shareOf(sum("count"), sum("of")),
      examples: flagged.slice(0, 3).map(({ environmentId, examples }) => ({
        environmentId,
        text: examples[0] ?? "",
      })),
    };
  });
}

/** Examples kept of a finding. */
export const mostExamples = 3;
