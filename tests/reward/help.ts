/** Small helpers of the tests of lib/reward and lib/grpo. */
import assert from "node:assert/strict";
import { type Outcome, skipped } from "../../lib/core/mod.ts";
import type { EnvironmentWindow } from "../../lib/reward/mod.ts";

/** Equality to 1e-9, of numbers, null and outcomes. */
export function close(
  actual: number | null | Outcome,
  wanted: number | null | Outcome,
  tolerance = 1e-9,
): void {
  if (typeof actual === "number" && typeof wanted === "number") {
    assert(Math.abs(actual - wanted) <= tolerance, `${actual} is not ${wanted}`);
  } else if (
    actual && wanted && typeof actual === "object" && typeof wanted === "object" &&
    actual.kind === "scored" && wanted.kind === "scored"
  ) {
    close(actual.value, wanted.value, tolerance);
  } else assert.deepEqual(actual, wanted);
}

/** A window of the given returns by offset; successes are the returns of 1. */
export function makeWindow(
  fields: { offsets?: number[][]; hinted?: number[]; regret?: Outcome; skill?: string } = {},
): EnvironmentWindow {
  const { offsets = [], hinted = [], regret = skipped("not measured"), skill = "A" } = fields;
  return {
    environmentId: "e",
    skill,
    offsets: offsets.map((returns, offset) => ({ offset, returns })),
    successes: offsets.flat().filter((value) => value === 1).length,
    hinted,
    regret,
  };
}

/** The number of a scored outcome. */
export function valueOf(outcome: Outcome): number {
  assert.equal(outcome.kind, "scored");
  return (outcome as Extract<Outcome, { kind: "scored" }>).value;
}
