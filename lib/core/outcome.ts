/**
 * Outcomes: a number that was measured, or the reason why there is none. Missing is never zero [D14].
 * @module
 */
import { z } from "zod";
import { sumOf } from "./numbers.ts";

/** Who is to blame for a failure: the program's author, its player, the model server or this host. */
export const blame = z.enum(["designer", "agent", "model", "host"]);
export type Blame = z.infer<typeof blame>;

/** A failure named after the border it crossed, e.g. `deadline`, `crash`, `protocol`, `exception`. */
export const failure = z.object({
  kind: z.literal("failed"),
  blame,
  reason: z.string(),
  detail: z.string().optional(),
});
export type Failure = z.infer<typeof failure>;

/** `scored(number) | failed(blame, reason) | skipped(reason)` (spade.md section 1). */
export const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("scored"), value: z.number() }),
  failure,
  z.object({ kind: z.literal("skipped"), reason: z.string() }),
]);
export type Outcome = z.infer<typeof outcome>;

/** What a border call gives: a value, or a {@link Failure}. */
export type Result<T> = { kind: "ok"; value: T } | Failure;

export function scored(value: number): Outcome {
  if (!Number.isFinite(value)) {
    throw new RangeError(`Cannot score a play: value is ${value}, must be finite`);
  }
  return { kind: "scored", value };
}

export function failed(blame: Blame, reason: string, detail?: string): Failure {
  return detail === undefined
    ? { kind: "failed", blame, reason }
    : { kind: "failed", blame, reason, detail };
}

export function skipped(reason: string): Outcome {
  return { kind: "skipped", reason };
}

export function ok<T>(value: T): Result<T> {
  return { kind: "ok", value };
}

/** How many outcomes of each kind there are; always shown next to a mean. */
export interface OutcomeCounts {
  scored: number;
  failed: number;
  skipped: number;
}

/** Mean of the scored outcomes (undefined when there is none) with the counts of all kinds. */
export function meanScored(
  outcomes: readonly Outcome[],
): { mean: number | undefined } & OutcomeCounts {
  const counts = { scored: 0, failed: 0, skipped: 0 };
  const values: number[] = [];
  for (const item of outcomes) {
    counts[item.kind] += 1;
    if (item.kind === "scored") values.push(item.value);
  }
  return { mean: counts.scored > 0 ? sumOf(values) / counts.scored : undefined, ...counts };
}
