/**
 * Regret: mean hinted return - mean plain return over plays scored in both arms with the same seed, with an interval
 * beside it [D15]. What it guarantees: an outage in one arm makes regret missing, never a number; the interval covers
 * at least 92 % in `deno task study:regret`. What it does not: pairs are taken as independent draws.
 * @module
 */
import { type Outcome, type RegretRow, type Row, scored, skipped } from "../core/mod.ts";
import { clippedNoise } from "./noise.ts";
import { meanOf, sampleVariance } from "./statistics.ts";
import { agrestiMin, bootstrapT, type Interval } from "./interval.ts";

/** Returns of one seed in both arms. */
export interface Pair {
  /** Return of the plain play, in [-1, 1]. */
  plain: number;
  /** Return of the hinted play with the same seed. */
  hinted: number;
}

/** One play as regret sees it. Records of the table `play` fit. */
export interface SeededOutcome {
  /** Seed of the instance; equal in both arms. */
  seed: number;
  /** The play's return, or why there is none. */
  outcome: Outcome;
}

/** Regret of one environment; the fields of the table `regret`. */
export type RegretEstimate = Omit<RegretRow, keyof Row | "environmentId">;

/**
 * Pairs of plays scored in both arms with the same seed, in order of seed [D1].
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { failed, scored } from "../core/mod.ts";
 * const plain = [{ seed: 1, outcome: scored(0) }, { seed: 2, outcome: scored(1) }];
 * const hinted = [{ seed: 1, outcome: scored(1) }, { seed: 2, outcome: failed("model", "sampler") }];
 * // seed 2 has no hinted return: it is in no pair
 * assert.deepEqual(pairPlays(plain, hinted), [{ plain: 0, hinted: 1 }]);
 * ```
 */
export function pairPlays(
  plain: readonly SeededOutcome[],
  hinted: readonly SeededOutcome[],
): Pair[] {
  const bySeed = valuesBySeed(plain, "plain"), other = valuesBySeed(hinted, "hinted");
  return [...bySeed].sort((a, b) => a[0] - b[0]).flatMap(([seed, value]) => {
    const match = other.get(seed);
    return match === undefined ? [] : [{ plain: value, hinted: match }];
  });
}

/**
 * Regret of pairs with its 95 % interval. Binary returns: Agresti-Min for paired proportions. Others: bootstrap-t on
 * the differences. No interval below 4 pairs (others: 4 distinct pairs) or when all differences are equal.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const pairs = [0, 0, 0, 1, 1, 0, 0, 0].map((plain, i) => ({ plain, hinted: i < 5 ? 1 : 0 }));
 * const { outcome, interval } = estimateRegret(pairs, { seed: 1 });
 * assert.deepEqual(outcome, { kind: "scored", value: 0.375 });
 * assert.equal(interval, "agresti-min");
 * ```
 *
 * @throws {RangeError} when a return is not finite.
 */
export function estimateRegret(
  pairs: readonly Pair[],
  options: { seed: number; draws?: number },
): RegretEstimate {
  const isUsable = (value: number) => Math.abs(value) <= 1e100;
  const bad = pairs.find((pair) => !isUsable(pair.plain) || !isUsable(pair.hinted));
  if (bad) {
    throw new RangeError(
      `Cannot estimate regret: a pair is (${bad.plain}, ${bad.hinted}), must be finite (1e100 at most)`,
    );
  }
  if (pairs.length === 0) return missingRegret("no pair scored in both arms");
  // In order of value, so that the order of the pairs changes no bit of any sum.
  pairs = [...pairs].sort((a, b) => a.plain - b.plain || a.hinted - b.hinted);
  const plainMean = meanOf(pairs.map((pair) => pair.plain));
  const hintedMean = meanOf(pairs.map((pair) => pair.hinted));
  const differences = pairs.map((pair) => pair.hinted - pair.plain);
  const interval = intervalOf(pairs, differences, options);
  return {
    outcome: scored(hintedMean - plainMean),
    pairs: pairs.length,
    ...interval,
    noiseFloor: pairs.length < 2
      ? null
      : clippedNoise(Math.sqrt(sampleVariance(differences) / pairs.length)),
    plainMean,
    hintedMean,
  };
}

/**
 * Regret of an environment from the plays of its first rollout. `parity` [P `finalize_regrets`]: hinted mean - plain
 * mean of whatever there is, a failed hinted play counting 0, a failed plain play dropped, no plain play as mean 0 and
 * no hinted play as regret 0; the interval is then still that of the pairs.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const plays = (values: number[]) =>
 *   values.map((value, seed) => ({ seed, outcome: scored(value) }));
 * const { outcome, low, high } = measureRegret(plays([0, 0, 1, 0]), plays([1, 0, 1, 1]), { seed: 0 });
 * assert.deepEqual(outcome, scored(0.5));
 * // four pairs say little: the interval holds 0
 * assert.ok(low! < 0 && high! > 0.5);
 * ```
 */
export function measureRegret(
  plain: readonly SeededOutcome[],
  hinted: readonly SeededOutcome[],
  options: { seed: number; parity?: boolean },
): RegretEstimate {
  const estimate = estimateRegret(pairPlays(plain, hinted), options);
  if (!options.parity) return estimate;
  if (hinted.length === 0) {
    return { ...estimate, outcome: scored(0), plainMean: null, hintedMean: null };
  }
  const hintedMean = meanOf(
    hinted.map(({ outcome }) => outcome.kind === "scored" ? outcome.value : 0),
  );
  const plainValues = plain.flatMap(({ outcome }) =>
    outcome.kind === "scored" ? [outcome.value] : []
  );
  const plainMean = plainValues.length === 0 ? 0 : meanOf(plainValues);
  return { ...estimate, outcome: scored(hintedMean - plainMean), plainMean, hintedMean };
}

function missingRegret(reason: string): RegretEstimate {
  return {
    outcome: skipped(reason),
    pairs: 0,
    low: null,
    high: null,
    interval: `none: ${reason}`,
    noiseFloor: null,
    plainMean: null,
    hintedMean: null,
  };
}

function intervalOf(
  pairs: readonly Pair[],
  differences: readonly number[],
  options: { seed: number; draws?: number },
): Interval {
  const none = (reason: string): Interval => ({
    low: null,
    high: null,
    interval: `none: ${reason}`,
  });
  const values = pairs.flatMap((pair) => [pair.plain, pair.hinted]);
  const binary = values.every((value) => value === 0 || value === 1);
  const distinct = binary
    ? pairs.length
    : new Set(pairs.map((pair) => `${pair.plain},${pair.hinted}`)).size;
  if (distinct < 4) return none("fewer than 4 distinct pairs");
  const spread = Math.max(...differences) - Math.min(...differences);
  if (spread <= 1e-9 * Math.max(1, ...differences.map(Math.abs))) return none("zero spread");
  if (binary) return agrestiMin(pairs);
  const bound = values.every((value) => Math.abs(value) <= 1) ? 2 : Infinity;
  return bootstrapT(differences, { ...options, bound });
}

function valuesBySeed(plays: readonly SeededOutcome[], arm: string): Map<number, number> {
  const seeds = new Set<number>(), values = new Map<number, number>();
  for (const { seed, outcome } of plays) {
    if (seeds.has(seed)) {
      throw new TypeError(
        `Cannot pair plays: seed ${seed} occurs twice in the ${arm} arm, must differ within a group`,
      );
    }
    seeds.add(seed);
    if (outcome.kind === "scored") values.set(seed, outcome.value);
  }
  return values;
}
