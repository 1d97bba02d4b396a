/** Plain definitions to compare with: nothing here is shared with lib/. */
import { Random, type RecordOf } from "../../../lib/core/mod.ts";
import { type Symmetric, symmetricOf } from "../../../lib/analysis/mod.ts";

/** Eigenvalues by Jacobi's rotations, ascending. */
export function jacobi(rows: readonly (readonly number[])[]): number[] {
  const a = rows.map((row) => [...row]), n = a.length;
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        off += a[p][q] ** 2;
        if (a[p][q] === 0) continue;
        const angle = Math.atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2;
        const c = Math.cos(angle), s = Math.sin(angle);
        for (let k = 0; k < n; k++) {
          [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
        }
        for (let k = 0; k < n; k++) {
          [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
        }
      }
    }
    if (off < 1e-30) break;
  }
  return a.map((row, i) => row[i]).sort((x, y) => x - y);
}

/** The score as defined: exp of the entropy of order q of the eigenvalues of K/n. */
export function plainVendi(rows: readonly (readonly number[])[], q: number): number {
  const n = rows.length;
  const values = jacobi(rows.map((row) => row.map((value) => value / n)))
    .filter((value) => value > 1e-12);
  if (q === 1) return Math.exp(-values.reduce((sum, x) => sum + x * Math.log(x), 0));
  if (q === Infinity) return 1 / Math.max(...values);
  return values.reduce((sum, x) => sum + x ** q, 0) ** (1 / (1 - q));
}

/** Cosines of token runs, counted or not, by maps of joined words. */
export function plainCosines(
  lists: readonly (readonly string[])[],
  longest: number,
  isCounted = false,
): number[][] {
  const counts = lists.map((words) => {
    const of = new Map<string, number>();
    for (let length = 1; length <= longest; length++) {
      for (let i = 0; i + length <= words.length; i++) {
        const gram = JSON.stringify(words.slice(i, i + length));
        of.set(gram, isCounted ? (of.get(gram) ?? 0) + 1 : 1);
      }
    }
    return of;
  });
  const dot = (a: Map<string, number>, b: Map<string, number>) =>
    [...a].reduce((sum, [gram, n]) => sum + n * (b.get(gram) ?? 0), 0);
  return counts.map((a) => counts.map((b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))));
}

export const packed = (rows: readonly (readonly number[])[]): Symmetric =>
  symmetricOf(rows.length, (i, j) => rows[i][j]);

/** Programs made of a few words. */
export function madePrograms(n: number, seed = 1, vocabulary = 30): string[] {
  const random = new Random(seed);
  return Array.from(
    { length: n },
    () =>
      Array.from({ length: 20 + random.integer(40) }, () => `w${random.integer(vocabulary)}`)
        .join(" "),
  );
}

export function environment(
  id: string,
  of: Partial<RecordOf<"environment">> = {},
): RecordOf<"environment"> {
  return {
    id,
    rollout: 0,
    source: "",
    className: "AEnv",
    description: "",
    skill: "s",
    treeHash: id,
    replyId: `reply/${id}`,
    documentId: null,
    parents: [],
    ...of,
  };
}
