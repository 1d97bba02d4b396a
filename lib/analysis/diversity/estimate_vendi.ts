/**
 * A Vendi score of more items than exact eigenvalues allow: 2n² flops for each of about 500 products instead of
 * 4/3·n³.
 *
 * tr f(A), A = K/n, is split by the span Q of the leading eigenvectors, roughly found (Hutch++: Meyer et al., SOSA
 * 2021): the part in Q is summed column by column, the part outside is the mean over random directions. Each
 * vᵀf(A)v is a Gauss quadrature by Lanczos with full reorthogonalisation (Golub & Meurant 2010). As tr 1, tr A and
 * tr A² are known exactly, f is replaced outside Q by what no parabola explains of it, which is little.
 *
 * The interval adds two errors: 95 % of the random directions (Student's t over directions, one degree of freedom
 * lost for each known trace) and the distance between the Gauss and the Gauss–Radau quadrature, which for q ≤ 2
 * enclose vᵀf(A)v.
 * @module
 */
import { Random, seedOf } from "../../core/mod.ts";
import { studentQuantile } from "../estimate.ts";
import { settle } from "./eigenvalues.ts";
import type { Symmetric } from "./symmetric.ts";
import { entropyFrom, gain } from "./vendi.ts";

/** An estimated score and how far it may be off. */
export interface VendiEstimate {
  /** The estimate. */
  score: number;
  /** Ends of the 95 % interval of the estimation error; it says nothing about other samples of items. */
  low: number;
  /** Upper end. */
  high: number;
  /** Products with the kernel: 4n² bytes read, 2n² flops each. */
  products: number;
}

/** Order, and how much work to spend. */
export interface VendiEstimateOptions {
  /** Order, in (0, ∞). @default 1 */
  q?: number;
  /** Seeds the random directions. @default 0 */
  seed?: number;
  /** Random directions, and as many columns of Q; more is more exact. @default 10 */
  directions?: number;
  /** Products a direction. @default 25 */
  steps?: number;
}

/** Nodes and weights: vᵀf(A)v ≈ Σ weight·f(node). */
interface Quadrature {
  nodes: Float64Array;
  weights: Float64Array;
}

/**
 * Estimate of `vendiScore(kernel, { q })`; memory 8n·steps bytes beside the kernel.
 * Throws {@link RangeError} where q is not in (0, ∞), or there are fewer than 20 items.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { symmetricOf } from "./symmetric.ts";
 * // Sixty items of three kinds that share nothing.
 * const kernel = symmetricOf(60, (i, j) => i % 3 === j % 3 ? 1 : 0);
 * const { score, low, high } = estimateVendi(kernel);
 * assert.ok(Math.abs(score - 3) < 1e-6 && low <= 3 && 3 <= high);
 * ```
 */
export function estimateVendi(
  kernel: Symmetric,
  options: VendiEstimateOptions = {},
): VendiEstimate {
  const { q = 1, seed = 0, directions = 10, steps = 25 } = options;
  if (!(q > 0 && q < Infinity)) {
    throw new RangeError(`Cannot estimate: order q is ${q}, must be above 0 and finite`);
  }
  const { size: n } = kernel, count = Math.min(directions, Math.floor(n / 4));
  if (count < 5) throw new RangeError(`Cannot estimate: ${n} items, must be 20 or more`);
  const random = new Random(seedOf(seed, "vendi", n));
  const normal = () => Float64Array.from({ length: n }, () => gaussian(random));
  const basis = orthonormal(Array.from({ length: count }, normal));
  const span = orthonormal(
    orthonormal(basis.map((v) => product(kernel, v)))
      .map((v) => product(kernel, v)),
  );
  const inside = span.map((v) => quadrature(kernel, v, steps));
  const outside = Array.from({ length: count }, () => {
    const [direction] = orthonormal([normal()], span);
    return quadrature(kernel, direction, steps);
  });
  const f = (value: number) => gain(value, q);
  const powers = [() => 1, (x: number) => x, (x: number) => x * x];
  const known = [n, 1, squares(kernel)];
  const traces = powers.map((power, k) =>
    known[k] - inside.reduce((sum, { gauss }) => sum + integral(gauss, power), 0)
  );
  const rest = n - span.length;
  const { sum, error } = controlled(outside.map(({ gauss }) => gauss), f, powers, traces, rest);
  const within = inside.reduce((total, { gauss }) => total + integral(gauss, f), 0);
  const gap = (of: typeof inside) =>
    of.reduce((total, { gauss, radau }) => total + integral(gauss, f) - integral(radau, f), 0);
  const between = gap(inside) + gap(outside) / outside.length * rest;
  const ends = [0, -between].flatMap((shift) =>
    [-error, error].map((e) => Math.exp(entropyFrom(within + sum + shift + e, q)))
  );
  return {
    score: Math.exp(entropyFrom(within + sum - between / 2, q)),
    low: Math.max(1, Math.min(...ends) * (1 - rounding)),
    high: Math.min(n, Math.max(...ends) * (1 + rounding)),
    products: 2 * count + 2 * count * steps,
  };
}

/** Relative, of sums and products over n items. */
const rounding = 1e-11;

/** Lanczos from a unit vector: the Gauss rule, and the Gauss–Radau rule with a node at 0. */
function quadrature(
  kernel: Symmetric,
  start: Float64Array,
  steps: number,
): { gauss: Quadrature; radau: Quadrature } {
  const basis = [start], diagonal: number[] = [], beside: number[] = [];
  for (let k = 0;; k++) {
    const next = product(kernel, basis[k]);
    diagonal.push(dot(next, basis[k]));
    // Twice is enough (Kahan and Parlett).
    for (let turn = 0; turn < 2; turn++) for (const v of basis) removePart(next, v);
    const norm = Math.sqrt(dot(next, next));
    // The space is used up: the Gauss rule is exact.
    if (norm < 1e-14) return { gauss: rule(diagonal, beside), radau: rule(diagonal, beside) };
    if (k === steps - 1) {
      let ratio = diagonal[0];
      for (let i = 1; i <= k; i++) ratio = diagonal[i] - beside[i - 1] ** 2 / ratio;
      return {
        gauss: rule(diagonal, beside),
        radau: rule([...diagonal, norm * norm / ratio], [...beside, norm]),
      };
    }
    beside.push(norm);
    basis.push(next.map((value) => value / norm));
  }
}

function rule(diagonal: readonly number[], beside: readonly number[]): Quadrature {
  const first = new Float64Array(diagonal.length);
  first[0] = 1;
  const nodes = settle(Float64Array.from(diagonal), Float64Array.from([...beside, 0]), first);
  return { nodes, weights: first.map((value) => value * value) };
}

function integral({ nodes, weights }: Quadrature, f: (x: number) => number): number {
  return nodes.reduce((sum, node, i) => sum + weights[i] * f(node), 0);
}

/**
 * The trace of f outside Q and its 95 % error: f's least-squares fit by functions of known trace, over the nodes of
 * all directions, whose residual has mean zero there.
 */
function controlled(
  rules: readonly Quadrature[],
  f: (x: number) => number,
  powers: readonly ((x: number) => number)[],
  traces: readonly number[],
  rest: number,
): { sum: number; error: number } {
  const nodes = rules.flatMap((r) => [...r.nodes]), weights = rules.flatMap((r) => [...r.weights]);
  const inner = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, i) => sum + weights[i] * value * b[i], 0);
  let left = nodes.map(f), sum = 0;
  const used: { values: number[]; trace: number; square: number }[] = [];
  powers.forEach((power, k) => {
    let values = nodes.map(power), trace = traces[k];
    for (const one of used) {
      const part = inner(values, one.values) / one.square;
      values = values.map((value, i) => value - part * one.values[i]);
      trace -= part * one.trace;
    }
    const square = inner(values, values);
    // Nodes are good to about 1e-16: what differs by less than a hundred times that is one value.
    if (!(square > 1e-28 * rules.length)) return;
    used.push({ values, trace, square });
    const part = inner(left, values) / square;
    left = left.map((value, i) => value - part * values[i]);
    sum += part * trace;
  });
  let at = 0, spread = 0;
  for (const { nodes: own } of rules) {
    let mean = 0;
    for (let i = 0; i < own.length; i++, at++) mean += weights[at] * left[at];
    spread += mean * mean;
  }
  const freedom = rules.length - used.length;
  const deviation = Math.sqrt(spread / freedom / rules.length);
  return { sum, error: rest * deviation * studentQuantile(freedom) };
}

/** (K/n)·x, two rows at a time as in eigenvalues.ts is not worth it here: memory is what it waits for. */
function product({ size: n, values }: Symmetric, x: Float64Array): Float64Array {
  const y = new Float64Array(n);
  for (let i = 0, at = 0; i < n; i++) {
    const own = x[i];
    let sum = 0;
    for (let j = 0; j < i; j++, at++) {
      const value = values[at];
      sum += value * x[j];
      y[j] += value * own;
    }
    y[i] += sum + values[at++] * own;
  }
  return y.map((value) => value / n);
}

/** tr (K/n)². */
function squares({ size: n, values }: Symmetric): number {
  let sum = 0;
  for (let i = 0, at = 0; i < n; i++) {
    for (let j = 0; j < i; j++, at++) sum += 2 * values[at] * values[at];
    sum += values[at] * values[at];
    at++;
  }
  return sum / (n * n);
}

/**
 * Unit vectors at right angles to each other and to `others`, spanning what is given; what adds nothing is left
 * out.
 */
function orthonormal(
  vectors: readonly Float64Array[],
  others: readonly Float64Array[] = [],
): Float64Array[] {
  const found: Float64Array[] = [];
  for (const vector of vectors) {
    const own = vector.slice(), before = Math.sqrt(dot(own, own));
    for (let turn = 0; turn < 2; turn++) {
      for (const v of others) removePart(own, v);
      for (const v of found) removePart(own, v);
    }
    const norm = Math.sqrt(dot(own, own));
    if (norm > 1e-10 * before) found.push(own.map((value) => value / norm));
  }
  return found;
}

function removePart(from: Float64Array, unit: Float64Array): void {
  const part = dot(from, unit);
  for (let i = 0; i < from.length; i++) from[i] -= part * unit[i];
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** Box and Muller's normal number. */
function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
