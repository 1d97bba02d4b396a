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

export interface RegretSummary {
  /** Mean regret, not clipped. */
  regret: Estimate;
  /** Mean clipped signal, in [0, 1]. */
  signal: Estimate;
  /** Mean noise floor of the signal over the same environments, in [0, 1]; missing where none is stored. */
  noiseFloor?: number;
  /** Mean clipped signal of the shrunken regret, and its floor; missing unless `shrunk` was given. */
  shrunk?: Estimate;
  shrunkFloor?: number;
  /** 5, 25, 50, 75 and 95 % quantiles of regret; NaN without records. */
  quantiles: number[];
  /** Records whose own interval lies above, around or below zero; those without interval are not in `of`. */
  above: Share;
  around: Share;
  below: Share;
  withoutInterval: number;
  /** Mean pairs a record. */
  pairs: number;
}

/** Options of a summary; `shrunk`: the result of `shrunkRegrets`. */
export interface RegretOptions extends BootstrapOptions {
  shrunk?: ReadonlyMap<string, ShrunkRegret>;
}

/** Summary over all records given; filter by rollout or skill before. */
export function regretSummary(
  regrets: readonly RecordOf<"regret">[],
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

/** One summary a rollout, for the development over time. */
export function regretByRollout(
  regrets: readonly RecordOf<"regret">[],
  options: RegretOptions = {},
): (RegretSummary & { rollout: number })[] {
  return [...groupBy(regrets, (r) => r.rollout)]
    .map(([rollout, of]) => ({ rollout, ...regretSummary(of, options) }));
}

/** One summary a skill, skills in alphabetical order; `skills` names each environment's. Records of others are left out. */
export function regretBySkill(
  regrets: readonly RecordOf<"regret">[],
  skills: ReadonlyMap<string, string>,
  options: RegretOptions = {},
): (RegretSummary & { skill: string })[] {
  const known = regrets.filter(({ environmentId }) => skills.has(environmentId));
  return [...groupBy(known, ({ environmentId }) => skills.get(environmentId)!)]
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([skill, of]) => ({ skill, ...regretSummary(of, options) }));
}

/** Scored regrets, in the order given. */
export function regretValues(regrets: readonly RecordOf<"regret">[]): number[] {
  return regrets.flatMap((r) => r.outcome.kind === "scored" ? [r.outcome.value] : []);
}

/** The error of a regret whose noise floor is `floor`: inverts `clippedNoise` by bisection, 6 at most. */
export function noiseDeviation(floor: number): number {
  let low = 0, high = 6;
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (clippedNoise(middle, { scale: signalScale }) < floor) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

export interface RegretBin {
  low: number;
  high: number;
  count: number;
  /** Count expected from measurement error alone, were every true regret zero. */
  byChance: number;
}

/**
 * Histogram of regret. Bins are centred on multiples of the step, so that regrets of eight pairs fall in the middle
 * of one. `byChance` takes every record's error as normal with the deviation that its noise floor implies; records
 * without floor have no error and stand in the bin of zero.
 */
export function regretHistogram(
  regrets: readonly RecordOf<"regret">[],
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
