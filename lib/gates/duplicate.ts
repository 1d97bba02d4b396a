/**
 * Gate `duplicate`: the same program under other names, comments and formatting is no new
 * environment; nor, above a configured threshold, is one that shares most of its pieces.
 * @module
 */
import { type GateVerdict, pass, refuse } from "./report.ts";

/** The known environment that a program resembles most. */
export interface Resemblance {
  /** Its environment id. */
  id: string;
  /** Share of equal shingles, in [0, 1]. */
  share: number;
}

/**
 * Verdict on a program whose normalised syntax tree is known, or not, and on its nearest relative. Callers that gate
 * programs concurrently leave `known` out of {@link checkProgram} and judge themselves, in the order of slots.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(duplicateVerdict(true).verdict, "refuse");
 * assert.equal(duplicateVerdict(false, { id: "a", share: 0.93, threshold: 0.9 }).verdict, "refuse");
 * ```
 */
export function duplicateVerdict(
  isKnown: boolean,
  nearest?: Resemblance & { threshold: number },
): GateVerdict {
  if (isKnown) return refuse("duplicate", "same syntax tree as a known environment");
  if (nearest === undefined) return pass("duplicate");
  const { id, share, threshold } = nearest;
  const evidence = { nearest: id, share: Math.round(share * 1e4) / 1e4, threshold };
  return share > threshold
    ? refuse("duplicate", "shares most of its pieces with a known environment", evidence)
    : pass("duplicate", evidence);
}

/** Smallest hashes kept of a program; see sandbox/runner/parse.py. */
const sketchSize = 1024;

/**
 * Estimated share of equal shingles of two programs (Jaccard index) from their smallest hashes, ascending: of the
 * smallest 1,024 hashes of both together, those that both have (Broder's bottom-k sketch; exact up to 1,024 shingles).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(resemblance([1, 2, 3], [2, 3, 4]), 0.5);
 * assert.equal(resemblance([], []), 1);
 * ```
 */
export function resemblance(one: readonly number[], other: readonly number[]): number {
  let [i, j, all, both] = [0, 0, 0, 0];
  for (; all < sketchSize && (i < one.length || j < other.length); all++) {
    const [a, b] = [one[i] ?? Infinity, other[j] ?? Infinity];
    if (a === b) both += 1;
    if (a <= b) i += 1;
    if (b <= a) j += 1;
  }
  return all === 0 ? 1 : both / all;
}

/**
 * The known program that resembles `shingles` most; undefined when none is known.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const known = [{ id: "a", shingles: [1, 2, 3, 4] }, { id: "b", shingles: [3, 4, 5, 6] }];
 * assert.deepEqual(nearestOf([1, 2, 3], known), { id: "a", share: 0.75 });
 * assert.equal(nearestOf([1], []), undefined);
 * ```
 */
export function nearestOf(
  shingles: readonly number[],
  known: Iterable<{ id: string; shingles: readonly number[] }>,
): Resemblance | undefined {
  let nearest: Resemblance | undefined;
  for (const { id, shingles: other } of known) {
    const share = resemblance(shingles, other);
    if (nearest === undefined || share > nearest.share) nearest = { id, share };
  }
  return nearest;
}
