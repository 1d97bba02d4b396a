/**
 * Items as sparse rows of features, and all their products by way of an inverted index.
 * @module
 */
import { rowStart, type Symmetric } from "./symmetric.ts";

/** Of one item: numbers of its features, each once, and how much it has of each. */
export interface FeatureRow {
  /** Numbers of its features. */
  ids: Int32Array;
  /** How much it has of each. */
  values: Float64Array;
}

/**
 * Products of all pairs of rows, `count` features in all. Work: for each item and feature of it, the items before
 * it that share the feature. Memory beside the result: 12 bytes a feature of an item.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const rows = [featureRow([[0, 1], [1, 2]]), featureRow([[1, 3]])];
 * assert.deepEqual([...products(rows, 2).values], [5, 6, 9]);
 * ```
 */
export function products(rows: readonly FeatureRow[], count: number): Symmetric {
  const starts = new Int32Array(count + 1);
  for (const { ids } of rows) for (const id of ids) starts[id + 1]++;
  for (let id = 0; id < count; id++) starts[id + 1] += starts[id];
  const ends = starts.slice(0, count);
  const items = new Int32Array(starts[count]), amounts = new Float64Array(starts[count]);
  const size = rows.length, values = new Float64Array(rowStart(size));
  rows.forEach((row, i) => {
    const start = rowStart(i);
    for (let k = 0; k < row.ids.length; k++) {
      const id = row.ids[k], amount = row.values[k], end = ends[id]++;
      items[end] = i;
      amounts[end] = amount;
      for (let at = starts[id]; at <= end; at++) values[start + items[at]] += amount * amounts[at];
    }
  });
  return { size, values };
}

/** A row from pairs of feature and amount. */
export function featureRow(pairs: Iterable<readonly [number, number]>): FeatureRow {
  const all = [...pairs];
  return {
    ids: Int32Array.from(all, ([id]) => id),
    values: Float64Array.from(all, ([, value]) => value),
  };
}

/** Cosines of all pairs; an item without features is like nothing but another such. */
export function cosines(rows: readonly FeatureRow[], count: number): Symmetric {
  return unitDiagonal(products(rows, count), (both, one, other) => both / Math.sqrt(one * other));
}

/**
 * Rewrites products in place as similarities in which everything is like itself. `alike` gets the product of two
 * items and of each with itself; items whose own product is 0 are alike among themselves and like nothing else.
 */
export function unitDiagonal(
  matrix: Symmetric,
  alike: (both: number, one: number, other: number) => number,
): Symmetric {
  const { size, values } = matrix;
  const own = Float64Array.from({ length: size }, (_, i) => values[rowStart(i) + i]);
  for (let i = 0, at = 0; i < size; i++) {
    for (let j = 0; j < i; j++, at++) {
      values[at] = own[i] > 0 && own[j] > 0
        ? alike(values[at], own[i], own[j])
        : Number(own[i] === own[j]);
    }
    values[at++] = 1;
  }
  return matrix;
}
