/**
 * Outcomes: a number that was measured, or the reason why there is none. Missing is never zero [D14].
 * @module
 */
import { z } from "zod";
import { sumOf } from "./numbers.ts";
import type { Same } from "./same.ts";

/** Who is to blame for a failure: the program's author, its player, the model server or this host. */
export type Blame = "designer" | "agent" | "model" | "host";

/** A failure named after the border it crossed. */
export interface Failure {
  /** Tells it from a number and from a skip. */
  kind: "failed";
  /** Whose fault it is; `model` and `host` are tried again. */
  blame: Blame;
  /** In a word or two, e.g. `deadline`, `crash`, `protocol`, `exception`. */
  reason: string;
  /** What was said, e.g. the exception's text. */
  detail?: string;
}

/** `scored(number) | failed(blame, reason) | skipped(reason)` (spade.md section 1). */
export type Outcome =
  | { kind: "scored"; value: number }
  | Failure
  | { kind: "skipped"; reason: string };

/** Schema of {@link Blame}. */
export const blame = z.enum(["designer", "agent", "model", "host"]);

/** Schema of {@link Failure}. */
export const failure = z.object({
  kind: z.literal("failed"),
  blame,
  reason: z.string(),
  detail: z.string().optional(),
});

/** Schema of {@link Outcome}. */
export const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("scored"), value: z.number() }),
  failure,
  z.object({ kind: z.literal("skipped"), reason: z.string() }),
]);

true satisfies Same<z.infer<typeof outcome>, Outcome>;

/** What a border call gives: a value, or a {@link Failure}. */
export type Result<T> = { kind: "ok"; value: T } | Failure;

/**
 * A measured number.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(scored(0.5), { kind: "scored", value: 0.5 });
 * assert.throws(() => scored(NaN), RangeError);
 * ```
 *
 * @throws {RangeError} when it is not finite.
 */
export function scored(value: number): Outcome {
  if (!Number.isFinite(value)) {
    throw new RangeError(`Cannot score a play: value is ${value}, must be finite`);
  }
  return { kind: "scored", value };
}

/**
 * A failure with its blame.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const crash = failed("designer", "exception", "KeyError: 'door'");
 * assert.deepEqual([crash.blame, crash.reason], ["designer", "exception"]);
 * ```
 */
export function failed(blame: Blame, reason: string, detail?: string): Failure {
  return detail === undefined
    ? { kind: "failed", blame, reason }
    : { kind: "failed", blame, reason, detail };
}

/**
 * No number, and nobody's fault.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(skipped("no scored hinted play"), {
 *   kind: "skipped",
 *   reason: "no scored hinted play",
 * });
 * ```
 */
export function skipped(reason: string): Outcome {
  return { kind: "skipped", reason };
}

/**
 * The value of a border call that went well.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const result = ok(3);
 * assert.equal(result.kind === "ok" && result.value, 3);
 * ```
 */
export function ok<T>(value: T): Result<T> {
  return { kind: "ok", value };
}

/** How many outcomes of each kind there are; always shown next to a mean. */
export interface OutcomeCounts {
  /** Outcomes with a number: the n of a mean. */
  scored: number;
  /** Failures, whoever is to blame. */
  failed: number;
  /** Outcomes left out with a reason. */
  skipped: number;
}

/**
 * Mean of the scored outcomes (undefined when there is none) with the counts of all kinds.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // a failed play is no zero: the mean is that of the two scored ones
 * const { mean, failed: lost } = meanScored([scored(1), scored(0), failed("host", "crash")]);
 * assert.deepEqual([mean, lost], [0.5, 1]);
 * ```
 */
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
