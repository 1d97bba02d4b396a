/**
 * Programs that say the same thing again: duplicates, near-duplicates, and runs of them. What is near depends on
 * the kernel: thresholds are for pieces of syntax trees (`treeKernel`), as the gate `duplicate` compares, and for
 * tokens.
 * @module
 */
import type { RecordOf } from "../../core/mod.ts";
import { groupBy } from "../group.ts";
import { rowStart, type Symmetric } from "./symmetric.ts";

/** Programs with one normalised syntax tree: they differ in names, comments and layout only. */
export interface Duplicates {
  /** Hash of the tree they share. */
  treeHash: string;
  /** In the order given. */
  environmentIds: string[];
}

/**
 * Groups of two or more, the largest first.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const groups = duplicateGroups([
 *   { id: "a", treeHash: "t1" },
 *   { id: "b", treeHash: "t2" },
 *   { id: "c", treeHash: "t1" },
 * ]);
 * assert.deepEqual(groups, [{ treeHash: "t1", environmentIds: ["a", "c"] }]);
 * ```
 */
export function duplicateGroups(
  environments: readonly Pick<RecordOf<"environment">, "id" | "treeHash">[],
): Duplicates[] {
  return [...groupBy(environments, ({ treeHash }) => treeHash)]
    .map(([treeHash, of]) => ({ treeHash, environmentIds: of.map(({ id }) => id) }))
    .filter(({ environmentIds }) => environmentIds.length > 1)
    .sort((a, b) => b.environmentIds.length - a.environmentIds.length);
}

/** Two items by number, `one` before `other`. */
export interface NearPair {
  /** The earlier. */
  one: number;
  /** The later. */
  other: number;
  /** Entry of the kernel. */
  similarity: number;
}

/**
 * Pairs with at least this similarity, most alike first, equal ones by number. @default threshold .9
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const kernel = { size: 3, values: Float64Array.of(1, 0.95, 1, 0.2, 0.3, 1) };
 * assert.deepEqual(nearPairs(kernel), [{ one: 0, other: 1, similarity: 0.95 }]);
 * ```
 */
export function nearPairs(kernel: Symmetric, options: { threshold?: number } = {}): NearPair[] {
  const { threshold = 0.9 } = options, pairs: NearPair[] = [];
  for (let other = 0; other < kernel.size; other++) {
    const row = rowStart(other);
    for (let one = 0; one < other; one++) {
      const similarity = kernel.values[row + one];
      if (similarity >= threshold) pairs.push({ one, other, similarity });
    }
  }
  return pairs.sort((a, b) => b.similarity - a.similarity || a.one - b.one || a.other - b.other);
}

/** Successive items, each near the first of them. */
export interface CollapseRun {
  /** Number of its first item. */
  start: number;
  /** Items in it. */
  length: number;
  /** Least similarity with the first; 1 for a run of one. */
  similarity: number;
}

/**
 * The items cut into runs: a run goes on while the next one is at least `threshold` like its first, so that slow
 * drift ends it. Runs of `least` items and more, the longest first: a designer in collapse has long ones. @default
 * threshold .9, least 2
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { symmetricOf } from "./symmetric.ts";
 * // Three copies of one program, then another.
 * const kernel = symmetricOf(4, (i, j) => i === j || i < 3 ? 1 : 0.1);
 * assert.deepEqual(collapseRuns(kernel), [{ start: 0, length: 3, similarity: 1 }]);
 * ```
 */
export function collapseRuns(
  kernel: Symmetric,
  options: { threshold?: number; least?: number } = {},
): CollapseRun[] {
  const { threshold = 0.9, least = 2 } = options, runs: CollapseRun[] = [];
  for (let i = 0; i < kernel.size; i++) {
    const run = runs.at(-1), similarity = run && kernel.values[rowStart(i) + run.start];
    if (run && similarity! >= threshold) {
      run.length += 1;
      run.similarity = Math.min(run.similarity, similarity!);
    } else runs.push({ start: i, length: 1, similarity: 1 });
  }
  return runs.filter(({ length }) => length >= least)
    .sort((a, b) => b.length - a.length || a.start - b.start);
}
