import assert from "node:assert/strict";
import { eigenvalues, symmetricOf } from "../../../lib/analysis/mod.ts";
import { Random } from "../../../lib/core/mod.ts";
import { jacobi, packed } from "./help.ts";

const near = (found: ArrayLike<number>, expected: readonly number[], within: number) => {
  assert.equal(found.length, expected.length);
  expected.forEach((value, i) =>
    assert.ok(Math.abs(found[i] - value) <= within, `${i}: ${found[i]}, not ${value}`)
  );
};

Deno.test("eigenvalues() agrees with Jacobi's rotations for every size and shape", () => {
  const random = new Random(3);
  for (let n = 0; n <= 17; n++) {
    for (const fill of [1, 0.3]) {
      const rows = Array.from({ length: n }, () => new Array(n).fill(0));
      for (let i = 0; i < n; i++) {
        for (let j = 0; j <= i; j++) {
          rows[i][j] = rows[j][i] = random.next() < fill ? random.next() - 0.5 : 0;
        }
      }
      near(eigenvalues(packed(rows)), jacobi(rows), 1e-13 * Math.max(1, n));
    }
  }
});

Deno.test("eigenvalues() of matrices that are known: diagonal, of ones, of a path, graded", () => {
  near(eigenvalues(symmetricOf(5, (i, j) => i === j ? 5 - i : 0)), [1, 2, 3, 4, 5], 0);
  near(eigenvalues(symmetricOf(6, () => 1)), [0, 0, 0, 0, 0, 6], 1e-14);
  const path = symmetricOf(50, (i, j) => i === j ? 2 : i === j + 1 ? -1 : 0);
  const known = Array.from({ length: 50 }, (_, k) => 2 - 2 * Math.cos((k + 1) * Math.PI / 51));
  near(eigenvalues(path), known, 1e-13);
  const graded = symmetricOf(8, (i, j) => 10 ** (-2 * (i + j)));
  near(eigenvalues(graded).slice(0, 7), new Array(7).fill(0), 1e-15);
});

Deno.test("eigenvalues() keeps what is small beside a large pivot", () => {
  // The row's rest is 1e-9 of its pivot, its square lost beside the pivot's.
  near(
    eigenvalues(packed([[0, 0, 1e-9], [0, 0, 1], [1e-9, 1, 0]])),
    [-1, 0, 1],
    1e-15,
  );
  const values = eigenvalues(packed([[2, 0, 1e-9], [0, 1, 1], [1e-9, 1, 1]]));
  near(values, [0, 2, 2], 1e-9);
});

Deno.test("eigenvalues() leaves its matrix as it is and keeps trace and squares", () => {
  const random = new Random(9), n = 300;
  const matrix = symmetricOf(n, () => random.next() - 0.5), before = matrix.values.slice();
  const values = eigenvalues(matrix);
  assert.deepEqual(matrix.values, before);
  const sum = (f: (i: number, j: number, value: number) => number) => {
    let total = 0;
    for (let i = 0, at = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) total += f(i, j, before[at++]);
    }
    return total;
  };
  const trace = sum((i, j, value) => i === j ? value : 0);
  const squares = sum((i, j, value) => (i === j ? 1 : 2) * value * value);
  assert.ok(Math.abs(values.reduce((a, b) => a + b, 0) - trace) < 1e-11);
  assert.ok(Math.abs(values.reduce((a, b) => a + b * b, 0) / squares - 1) < 1e-13);
});

Deno.test("eigenvalues() refuses what is not finite", () => {
  assert.throws(() => eigenvalues(packed([[1, NaN], [NaN, 1]])), /entry is NaN, must be finite/);
});
