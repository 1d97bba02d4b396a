/**
 * Rows by key, keys ascending when they are numbers, else in order of appearance.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const groups = groupBy([12, 3, 14, 5], (n) => Math.floor(n / 10));
 * assert.deepEqual([...groups], [[0, [3, 5]], [1, [12, 14]]]);
 * ```
 */
export function groupBy<T, K extends string | number>(
  rows: readonly T[],
  keyOf: (row: T) => K,
): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const keys = [...groups.keys()];
  if (!keys.every((key) => typeof key === "number")) return groups;
  return new Map([...groups].sort(([a], [b]) => Number(a) - Number(b)));
}
