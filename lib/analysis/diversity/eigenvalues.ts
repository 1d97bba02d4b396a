/**
 * All eigenvalues of a dense symmetric matrix: Householder's reduction to three diagonals, then the implicit QL
 * iteration (Wilkinson & Reinsch 1971, contributions II/2 and II/3; Parlett, The Symmetric Eigenvalue Problem,
 * 1998).
 *
 * Both are backward stable: each eigenvalue is that of a matrix within a small multiple of n·2⁻⁵³·‖A‖ of the given
 * one, so small eigenvalues are good to that absolute error, not to a relative one. Work 4/3·n³ flops, nearly all
 * in {@link updateAndMultiply}; memory one copy of the triangle, 4n(n + 1) bytes, beside the matrix itself.
 * @module
 */
import { rowStart, type Symmetric } from "./symmetric.ts";

/**
 * Eigenvalues of a symmetric matrix, ascending; the matrix is left as it is. Throws {@link RangeError} where an
 * entry is not finite.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const values = eigenvalues({ size: 2, values: Float64Array.of(2, 1, 2) });
 * assert.ok(Math.abs(values[0] - 1) < 1e-12 && Math.abs(values[1] - 3) < 1e-12);
 * ```
 */
export function eigenvalues(matrix: Symmetric): Float64Array {
  return overwriteEigenvalues({ ...matrix, values: matrix.values.slice() });
}

/** As {@link eigenvalues}, but the matrix is used up: it saves a copy. */
export function overwriteEigenvalues(matrix: Symmetric): Float64Array {
  const wrong = matrix.values.find((value) => !Number.isFinite(value));
  if (wrong !== undefined) {
    throw new RangeError(`Cannot find eigenvalues: an entry is ${wrong}, must be finite`);
  }
  if (matrix.size === 0) return new Float64Array(0);
  const { diagonal, beside } = tridiagonalise(matrix);
  return settle(diagonal, beside).sort();
}

interface Tridiagonal {
  diagonal: Float64Array;
  /** `beside[i]` stands between rows i and i + 1; the last is 0. */
  beside: Float64Array;
}

/**
 * Overwrites `a`. Rows are reduced from the last one up. The update A − v·qᵀ − q·vᵀ that a reflection asks for is
 * put off and made in the same sweep as the next reflection's product A·x, so that each step reads memory once.
 */
function tridiagonalise({ size: n, values: a }: Symmetric): Tridiagonal {
  const diagonal = new Float64Array(n), beside = new Float64Array(n);
  // Zero: nothing is put off.
  let v = new Float64Array(n), x = new Float64Array(n);
  const q = new Float64Array(n), y = new Float64Array(n);
  for (let i = n - 1; i >= 1; i--) {
    const row = rowStart(i);
    let rest = 0;
    for (let j = 0; j <= i; j++) {
      const value = a[row + j] - v[i] * q[j] - q[i] * v[j];
      x[j] = value;
      if (j < i - 1) rest += value * value;
    }
    diagonal[i] = x[i];
    const pivot = x[i - 1];
    y.fill(0);
    if (rest < Number.MIN_VALUE / Number.EPSILON) {
      // The row has its shape already; the reflection is the identity.
      x.fill(0);
      beside[i - 1] = pivot;
      updateAndMultiply(a, i, v, q, x, y);
      q.fill(0);
    } else {
      const norm = Math.sqrt(rest + pivot * pivot);
      beside[i - 1] = pivot > 0 ? -norm : norm;
      x[i - 1] = pivot - beside[i - 1];
      const h = norm * norm - pivot * beside[i - 1];
      updateAndMultiply(a, i, v, q, x, y);
      let k = 0;
      for (let j = 0; j < i; j++) k += x[j] * y[j];
      for (let j = 0; j < i; j++) q[j] = (y[j] - k / (2 * h) * x[j]) / h;
    }
    [v, x] = [x, v];
  }
  diagonal[0] = a[0] - 2 * v[0] * q[0];
  return { diagonal, beside };
}

/**
 * A ← A − v·qᵀ − q·vᵀ, then y ← y + A·x, over the leading m rows of a packed triangle. Two rows at a time: each
 * number read serves both, which is worth a factor of two.
 */
function updateAndMultiply(
  a: Float64Array,
  m: number,
  v: Float64Array,
  q: Float64Array,
  x: Float64Array,
  y: Float64Array,
): void {
  let r = m % 2;
  if (r === 1) {
    a[0] -= 2 * v[0] * q[0];
    y[0] += a[0] * x[0];
  }
  for (; r < m; r += 2) {
    const s = r + 1, rowR = rowStart(r), rowS = rowStart(s);
    const vr = v[r], qr = q[r], xr = x[r], vs = v[s], qs = q[s], xs = x[s];
    let yr = 0, ys = 0;
    for (let j = 0; j < r; j++) {
      const vj = v[j], qj = q[j], xj = x[j];
      const ar = a[rowR + j] - vr * qj - qr * vj;
      const as = a[rowS + j] - vs * qj - qs * vj;
      a[rowR + j] = ar;
      a[rowS + j] = as;
      yr += ar * xj;
      ys += as * xj;
      y[j] += ar * xr + as * xs;
    }
    const rr = a[rowR + r] -= 2 * vr * qr;
    const sr = a[rowS + r] -= vs * qr + qs * vr;
    const ss = a[rowS + s] -= 2 * vs * qs;
    y[r] += yr + rr * xr + sr * xs;
    y[s] += ys + sr * xr + ss * xs;
  }
}

/**
 * Eigenvalues of a tridiagonal matrix, in `d`, in no order; both arrays are overwritten. `first` as (1, 0, 0 …)
 * becomes the first entries of the eigenvectors. Throws where one does not settle in 60 sweeps, which none should.
 */
export function settle(d: Float64Array, e: Float64Array, first?: Float64Array): Float64Array {
  const n = d.length;
  for (let low = 0; low < n; low++) {
    for (let sweep = 0;; sweep++) {
      let high = low;
      while (
        high < n - 1 &&
        Math.abs(e[high]) > Number.EPSILON * (Math.abs(d[high]) + Math.abs(d[high + 1]))
      ) high++;
      if (high === low) break;
      if (sweep === 60) throw new Error(`Cannot find eigenvalues: number ${low} does not settle`);
      sweepOnce(d, e, low, high, first);
    }
  }
  return d;
}

/** One QL sweep with Wilkinson's shift over the unreduced block low … high. */
function sweepOnce(
  d: Float64Array,
  e: Float64Array,
  low: number,
  high: number,
  first?: Float64Array,
): void {
  const half = (d[low + 1] - d[low]) / (2 * e[low]);
  const root = Math.sqrt(half * half + 1);
  let g = d[high] - d[low] + e[low] / (half + (half >= 0 ? root : -root));
  let sine = 1, cosine = 1, carried = 0;
  for (let i = high - 1; i >= low; i--) {
    const f = sine * e[i], b = cosine * e[i], r = Math.sqrt(f * f + g * g);
    e[i + 1] = r;
    if (r === 0) {
      // The block fell apart: what is above is finished in the next sweep.
      d[i + 1] -= carried;
      e[high] = 0;
      return;
    }
    sine = f / r;
    cosine = g / r;
    g = d[i + 1] - carried;
    const t = (d[i] - g) * sine + 2 * cosine * b;
    carried = sine * t;
    d[i + 1] = g + carried;
    g = cosine * t - b;
    if (first !== undefined) {
      const above = first[i], below = first[i + 1];
      first[i + 1] = sine * above + cosine * below;
      first[i] = cosine * above - sine * below;
    }
  }
  d[low] -= carried;
  e[low] = g;
  e[high] = 0;
}
