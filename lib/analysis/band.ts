/**
 * Win rates of environments against the target band, from the plain plays.
 * @module
 */
import { hasNoSpread, meanScored, type OutcomeCounts, type RecordOf } from "../core/mod.ts";
import { quantileSorted, type Share, shareOf } from "./estimate.ts";
import { groupBy } from "./group.ts";

/** Target band of the win rate, both ends inside. */
export interface TargetBand {
  low: number;
  high: number;
}

/** The default target of spade.md section 8. */
export const targetBand: TargetBand = { low: 0.4, high: 0.6 };

export type Place = "below" | "in" | "above";

/** Mean plain return of one environment in one rollout; `winRate` and `place` are missing without a score. */
export interface WinRate extends OutcomeCounts {
  rollout: number;
  environmentId: string;
  winRate?: number;
  place?: Place;
}

/**
 * Ordered by rollout, then environment. `every` pools that many consecutive rollouts under the first one: with the
 * epoch length, the window of spade.md section 1. @default one rollout
 */
export function winRates(
  plays: readonly RecordOf<"play">[],
  options: { band?: TargetBand; every?: number } = {},
): WinRate[] {
  const { band = targetBand, every = 1 } = options;
  const rates: WinRate[] = [];
  const first = (p: RecordOf<"play">) => p.rollout - p.rollout % every;
  for (const [rollout, rows] of groupBy(plays.filter((p) => p.arm === "plain"), first)) {
    const environments = groupBy(rows, (p) => p.environmentId);
    for (const environmentId of [...environments.keys()].sort()) {
      const of = environments.get(environmentId)!;
      const { mean, ...counts } = meanScored(of.map((p) => p.outcome));
      const place = mean === undefined ? undefined : placeOf(mean, band);
      rates.push({ rollout, environmentId, winRate: mean, place, ...counts });
    }
  }
  return rates;
}

/** Where a win rate lies; 1e-9 of tolerance, as means of eighths and tenths are not exact. */
export function placeOf(winRate: number, band: TargetBand = targetBand): Place {
  if (winRate < band.low - 1e-9) return "below";
  return winRate > band.high + 1e-9 ? "above" : "in";
}

/** Rollouts that share one environment set: option `epoch` of the run, 1 where it is not given. */
export function epochLength(run: RecordOf<"run"> | undefined): number {
  const value = Number(run?.config.epoch ?? 1);
  return Number.isInteger(value) && value > 0 ? value : 1;
}

/** The run's own target band: option `plateau` of the run, else {@link targetBand}. */
export function bandOf(run: RecordOf<"run"> | undefined): TargetBand {
  const plateau = (run?.config.plateau ?? {}) as Partial<TargetBand>;
  const { low, high } = plateau;
  return typeof low === "number" && typeof high === "number" ? { low, high } : targetBand;
}

/** Shares of a rollout's environments, quartiles of their win rates, and how many had no score. */
export interface BandShare {
  rollout: number;
  below: Share;
  inside: Share;
  above: Share;
  quartiles: [number, number, number];
  environments: number;
  /** Environments without a scored play: in no share. */
  missing: number;
}

export function bandShares(rates: readonly WinRate[]): BandShare[] {
  return [...groupBy(rates, (r) => r.rollout)].map(([rollout, of]) => {
    const known = of.filter((r) => r.winRate !== undefined);
    const sorted = known.map((r) => r.winRate!).sort((a, b) => a - b);
    const share = (place: Place) =>
      shareOf(known.filter((r) => r.place === place).length, known.length);
    return {
      rollout,
      below: share("below"),
      inside: share("in"),
      above: share("above"),
      quartiles: [0.25, 0.5, 0.75].map((p) => quantileSorted(sorted, p)) as [
        number,
        number,
        number,
      ],
      environments: of.length,
      missing: of.length - known.length,
    };
  });
}

/** Chance that the mean of `plays` win-or-lose plays with a true rate of one half lies in the band. */
export function chanceInBand(plays: number, band: TargetBand = targetBand): number {
  let chance = 0, log = -plays * Math.LN2;
  for (let wins = 0; wins <= plays; wins++) {
    if (placeOf(wins / plays, band) === "in") chance += Math.exp(log);
    log += Math.log(plays - wins) - Math.log(wins + 1);
  }
  return chance;
}

/** Plain groups whose plays all lost, all won or did not differ: they teach nothing [D17]. */
export interface GroupHealth {
  groups: number;
  allZero: Share;
  allOne: Share;
  zeroSpread: Share;
  /** Groups with fewer than two scored plays: in no share. */
  short: number;
}

/** Shares over the plain groups (one environment in one rollout) with at least two scored plays. */
export function groupHealth(plays: readonly RecordOf<"play">[]): GroupHealth {
  const plain = plays.filter((p) => p.arm === "plain");
  const groups = [...groupBy(plain, (p) => `${p.rollout}/${p.environmentId}`).values()];
  const returns = groups.map((of) =>
    of.flatMap((p) => p.outcome.kind === "scored" ? [p.outcome.value] : [])
  ).filter((values) => values.length >= 2);
  const count = (is: (values: number[]) => boolean) =>
    shareOf(returns.filter(is).length, returns.length);
  return {
    groups: groups.length,
    allZero: count((v) => v.every((x) => Math.abs(x) <= 1e-9)),
    allOne: count((v) => v.every((x) => x >= 1 - 1e-9)),
    zeroSpread: count(hasNoSpread),
    short: groups.length - returns.length,
  };
}
