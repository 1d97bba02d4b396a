/**
 * Gate `duplicate`: the same program under other names, comments and formatting is no new
 * environment.
 * @module
 */
import { type GateVerdict, pass, refuse } from "./report.ts";

/**
 * Verdict on a program whose normalised syntax tree is known, or not. Callers that gate programs
 * concurrently leave `known` out of {@link checkProgram} and judge themselves, in the order of
 * slots.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(duplicateVerdict(true).verdict, "refuse");
 * ```
 */
export function duplicateVerdict(isKnown: boolean): GateVerdict {
  return isKnown
    ? refuse("duplicate", "same syntax tree as a known environment")
    : pass("duplicate");
}
