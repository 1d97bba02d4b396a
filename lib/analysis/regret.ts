/**
 * The distribution of measured regrets, from the table `regret`; the corrected signal beside it comes from `shrunk.ts`.
 *
 * Two scales meet here and are kept apart by name. **Regret** is hinted minus plain mean return, in [−2, 2]. The
 * **signal** the designer is paid is regret/{@link signalScale} clipped to [0, 1] (spade.md section 8); clipping
 * makes it positive on average even where true regret is zero, and the record's `noiseFloor` is that average.
 * @module
 */
import { type Outcome, type RecordOf, scored } from "../core/mod.ts";
import {
  clippedNoise,
  clippedSignal,
  meanOf,
  normalCumulative,
  signalScale,
} from "../reward/mod.ts";
import {
  type BootstrapOptions,
  type Estimate,
  estimateMean,
  quantileSorted,
  type Share,
  shareOf,
} from "./estimate.ts";
import { groupBy } from "./group.ts";
import type { ShrunkRegret } from "./shrunk.ts";

export { clippedSignal, signalScale };

/** What a summary needs of a record of the table `regret`. */
export type RegretFacts = Pick<
  RecordOf<"regret">,
  "id" | "rollout" | "environmentId" | "outcome" | "pairs" | "low" | "high" | "noiseFloor"
>;

/** Regrets of several records in figures: their mean, the signal paid for them, and where they lie. */
export interface RegretSummary {
  /** Mean regret, not clipped. */
  regret: Estimate;
  /** Mean clipped signal, in [0, 1]. */
  signal: Estimate;
  /** Mean noise floor of the signal over the same environments, in [0, 1]; missing where none is stored. */
  noiseFloor?: number;
  /** Mean clipped signal of the shrunken regret, and its floor; missing unless `shrunk` was given. */
  shrunk?: Estimate;
  /** Mean noise floor of the shrunken signal; missing where `shrunk` is. */
  shrunkFloor?: number;
  /** 5, 25, 50, 75 and 95 % quantiles of regret; NaN without records. */
  quantiles: number[];
  /** Records whose own interval lies above, around or below zero; those without interval are not in `of`. */
  above: Share;
  /** Their interval holds zero: nothing is shown either way. */
  around: Share;
  /** Their interval lies below zero: the hint does harm. */
  below: Share;
  /** Scored records that have no interval. */
  withoutInterval: number;
  /** Mean pairs a record. */
  pairs: number;
}

/** Options of a summary; `shrunk`: the result of `shrunkRegrets`. */
export interface RegretOptions extends BootstrapOptions {
  /** Shrunken regrets by the id of their record. */
  shrunk?: ReadonlyMap<string, ShrunkRegret>;
}

/**
 * Summary over all records given; filter by rollout or skill before.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const of = (id: string, regret: number, low: number, high: number): RegretFacts =>
 *   ({ id, rollout: 0, environmentId: id, outcome: scored(regret), pairs: 8, low, high, noiseFloor: 0.36 });
 * const summary = regretSummary([of("a", 0.5, 0.1, 0.8), of("b", -0.25, -0.6, 0.2)]);
 * assert.deepEqual([summary.regret.mean, summary.above.count, summary.around.count], [0.125, 1, 1]);
 * // The second regret is negative and pays nothing; the first is clipped at 1.
 * assert.equal(summary.signal.mean, 0.5);
 * ```
 */
export function regretSummary(
  regrets: readonly RegretFacts[],
  options: RegretOptions = {},
): RegretSummary {
  const { shrunk } = options;
  const values = regretValues(regrets).sort((a, b) => a - b);
  const signalOf = (regret: Outcome) =>
    regret.kind === "scored" ? scored(clippedSignal(regret.value)) : regret;
  const signals = regrets.map((r) => ({ cluster: r.environmentId, outcome: signalOf(r.outcome) }));
  const corrected = regrets.flatMap((r) => {
    const regret = shrunk?.get(r.id);
    return regret ? [{ cluster: r.environmentId, ...regret }] : [];
  });
  const correctedFloors = corrected.flatMap((r) => r.noiseFloor ?? []);
  const known = regrets.filter((r) => r.outcome.kind === "scored");
  const floors = known.flatMap((r) => r.noiseFloor === null ? [] : [r.noiseFloor]);
  const held = known.filter((r) => r.low !== null && r.high !== null);
  const above = held.filter((r) => r.low! > 0).length;
  const below = held.filter((r) => r.high! < 0).length;
  return {
    regret: estimateMean(
      regrets.map((r) => ({ cluster: r.environmentId, outcome: r.outcome })),
      options,
    ),
    signal: estimateMean(signals, options),
    noiseFloor: floors.length > 0 ? meanOf(floors) : undefined,
    shrunk: shrunk && estimateMean(
      corrected.map((r) => ({ cluster: r.cluster, outcome: signalOf(r.outcome) })),
      options,
    ),
    shrunkFloor: correctedFloors.length > 0 ? meanOf(correctedFloors) : undefined,
    quantiles: [0.05, 0.25, 0.5, 0.75, 0.95].map((p) => quantileSorted(values, p)),
    above: shareOf(above, held.length),
    around: shareOf(held.length - above - below, held.length),
    below: shareOf(below, held.length),
    withoutInterval: known.length - held.length,
    pairs: known.length > 0 ? meanOf(known.map((r) => r.pairs)) : 0,
  };
}

/**
 * One summary a rollout, for the development over time.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const of = (rollout: number, regret: number): RegretFacts => ({ id: `${rollout}`, rollout, environmentId: "e",
 *   outcome: scored(regret), pairs: 8, low: null, high: null, noiseFloor: null });
 * const rows = regretByRollout([of(2, 0.25), of(0, 0.5)]);
 * assert.deepEqual(rows.map(({ rollout, regret }) => [rollout, regret.mean]), [[0, 0.5], [2, 0.25]]);
 * ```
 */
export function regretByRollout(
  regrets: readonly RegretFacts[],
  options: RegretOptions = {},
): (RegretSummary & { rollout: number })[] {
  return [...groupBy(regrets, (r) => r.rollout)]
    .map(([rollout, of]) => ({ rollout, ...regretSummary(of, options) }));
}

/**
 * One summary a skill, skills in alphabetical order; `skills` names each environment's. Records of others are left out.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const of = (environmentId: string, regret: number): RegretFacts => ({ id: environmentId, rollout: 0, environmentId,
 *   outcome: scored(regret), pairs: 8, low: null, high: null, noiseFloor: null });
 * const rows = regretBySkill([of("a", 0.5), of("b", 0), of("c", 1)], new Map([["a", "Optimization"], ["b", "Logic"]]));
 * assert.deepEqual(rows.map(({ skill, regret }) => [skill, regret.mean]), [["Logic", 0], ["Optimization", 0.5]]);
 * ```
 */
export function regretBySkill(
  regrets: readonly RegretFacts[],
  skills: ReadonlyMap<string, string>,
  options: RegretOptions = {},
): (RegretSummary & { skill: string })[] {
  const known = regrets.filter(({ environmentId }) => skills.has(environmentId));
  return [...groupBy(known, ({ environmentId }) => skills.get(environmentId)!)]
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([skill, of]) => ({ skill, ...regretSummary(of, options) }));
}

/**
 * Scored regrets, in the order given.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored, skipped } from "../core/mod.ts";
 * assert.deepEqual(regretValues([{ outcome: scored(0.5) }, { outcome: skipped("no pairs") }]), [0.5]);
 * ```
 */
export function regretValues(regrets: readonly Pick<RegretFacts, "outcome">[]): number[] {
  return regrets.flatMap((r) => r.outcome.kind === "scored" ? [r.outcome.value] : []);
}

/**
 * The error of a regret whose noise floor is `floor`: inverts `clippedNoise` by bisection, 6 at most.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // A floor of .36 of the signal, as 8 pairs have it, stands for a standard error of about .2 of regret.
 * assert.ok(Math.abs(noiseDeviation(0.36) - 0.2) < 0.05);
 * ```
 */
export function noiseDeviation(floor: number): number {
  let low = 0, high = 6;
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (clippedNoise(middle, { scale: signalScale }) < floor) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** One bar of the histogram. */
export interface RegretBin {
  /** Lower end, inside. */
  low: number;
  /** Upper end, outside. */
  high: number;
  /** Regrets in it. */
  count: number;
  /** Count expected from measurement error alone, were every true regret zero. */
  byChance: number;
}

/**
 * Histogram of regret. Bins are centred on multiples of the step, so that regrets of eight pairs fall in the middle
 * of one. `byChance` takes every record's error as normal with the deviation that its noise floor implies; records
 * without floor have no error and stand in the bin of zero.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const bins = regretHistogram([{ outcome: scored(0.25), noiseFloor: null }, { outcome: scored(0), noiseFloor: null }]);
 * assert.deepEqual(bins.find(({ low }) => low === 0.1875), { low: 0.1875, high: 0.3125, count: 1, byChance: 0 });
 * ```
 */
export function regretHistogram(
  regrets: readonly Pick<RegretFacts, "outcome" | "noiseFloor">[],
  options: { step?: number } = {},
): RegretBin[] {
  const { step = 0.125 } = options;
  const values = regretValues(regrets);
  const sigmas = regrets.filter((r) => r.outcome.kind === "scored")
    .map((r) => r.noiseFloor === null ? 0 : noiseDeviation(r.noiseFloor));
  const from = Math.round(Math.min(-0.5, ...values) / step);
  const to = Math.round(Math.max(0.5, ...values) / step);
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const low = (from + i - 0.5) * step, high = low + step;
    const count = values.filter((v) => v >= low && v < high).length;
    const chance = (sigma: number) =>
      sigma > 0
        ? normalCumulative(high / sigma) - normalCumulative(low / sigma)
        : low < 0 && high > 0
        ? 1
        : 0;
    return { low, high, count, byChance: sigmas.reduce((sum, s) => sum + chance(s), 0) };
  });
}
