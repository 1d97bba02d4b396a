/** Small helpers of the tests of lib/grpo. */
import assert from "node:assert/strict";
import { type Outcome, Random, type RecordOf, scored } from "../../lib/core/mod.ts";
import { createBatch, dataOf, type GroupPlay, type Unit } from "../../lib/grpo/mod.ts";

/** Equality to a tolerance. */
export function close(actual: number | null, wanted: number | null, tolerance = 1e-9): void {
  if (typeof actual === "number" && typeof wanted === "number") {
    assert(Math.abs(actual - wanted) <= tolerance, `${actual} is not ${wanted}`);
  } else assert.equal(actual, wanted);
}

/** A plain play of environment `environmentId`; a number is a scored return. */
export function makePlay(
  environmentId: string,
  index: number,
  outcome: Outcome | number,
  fields: Partial<GroupPlay> = {},
): GroupPlay {
  return {
    id: `${environmentId}/${index}`,
    ...{ rollout: 0, environmentId, arm: "plain", index, seed: 100 + index, truncated: false },
    outcome: typeof outcome === "number" ? scored(outcome) : outcome,
    ...fields,
  };
}

/** Plays of one environment with the given outcomes. */
export function makePlays(environmentId: string, outcomes: (Outcome | number)[]): GroupPlay[] {
  return outcomes.map((outcome, index) => makePlay(environmentId, index, outcome));
}

/** A unit of one sequence with `tokens` trained tokens after one of the prompt. */
export function makeUnit(fields: Partial<Unit> & { id: string }, tokens = 3, logp = -1): Unit {
  const ids = Array.from({ length: tokens + 1 }, (_, i) => i);
  const trained = (value: number) => ids.map((_, i) => i === 0 ? 0 : value);
  return {
    role: "agent",
    advantage: 1,
    sequences: [{ ids, logps: trained(logp), mask: trained(1) }],
    ...fields,
  };
}

/** Batch of units with ids, rollout and scale that do not matter. */
export function makeBatch(units: Unit[]): RecordOf<"batch"> {
  return createBatch(units, { id: "b", rollout: 0, scale: 1 });
}

/** p0 equal to the sampler's log-probabilities plus noise. */
export function trainerLogps(
  batch: RecordOf<"batch">,
  shift: (random: Random) => number,
): number[][] {
  const random = new Random(1);
  return dataOf(batch).map(({ target }, i) =>
    target.map((_, t) => batch.logps[batch.sequences[i].start + t + 1] + shift(random))
  );
}
