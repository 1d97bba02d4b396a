/**
 * Win rates of environments against the target band, from the plain plays.
 * @module
 */
import { hasNoSpread, meanScored, type OutcomeCounts, type RecordOf } from "../core/mod.ts";
import { quantileSorted, type Share, shareOf } from "./estimate.ts";
import { groupBy } from "./group.ts";

/** Target band of the win rate, both ends inside. */
export interface TargetBand {
  /** Lowest win rate in the band. */
  low: number;
  /** Highest win rate in the band. */
  high: number;
}

/** The default target of spade.md section 8. */
export const targetBand: TargetBand = { low: 0.4, high: 0.6 };

/** Where a win rate lies against the band. */
export type Place = "below" | "in" | "above";

/** What win rates and groups need of a play. */
export type PlayReturn = Pick<
  RecordOf<"play">,
  "rollout" | "environmentId" | "arm" | "outcome"
>;

/** Mean plain return of one environment in one rollout; `winRate` and `place` are missing without a score. */
export interface WinRate extends OutcomeCounts {
  /** Rollout of the plays; with `every`, the first rollout of the window. */
  rollout: number;
  /** The environment. */
  environmentId: string;
  /** Mean plain return of the scored plays, in [−1, 1]. */
  winRate?: number;
  /** Where it lies against the band. */
  place?: Place;
}

/**
 * Ordered by rollout, then environment. `every` pools that many consecutive rollouts under the first one: with the
 * epoch length, the window of spade.md section 1. @default one rollout
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { failed, scored } from "../core/mod.ts";
 * const play = { rollout: 0, environmentId: "e", arm: "plain" as const };
 * const plays = [scored(1), scored(0), failed("host", "deadline")]
 *   .map((outcome) => ({ ...play, outcome }));
 * const [rate] = winRates(plays);
 * assert.deepEqual([rate.winRate, rate.place, rate.scored, rate.failed], [0.5, "in", 2, 1]);
 * ```
 */
export function winRates(
  plays: readonly PlayReturn[],
  options: { band?: TargetBand; every?: number } = {},
): WinRate[] {
  const { band = targetBand, every = 1 } = options;
  const rates: WinRate[] = [];
  const first = (p: PlayReturn) => p.rollout - p.rollout % every;
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

/**
 * Where a win rate lies; 1e-9 of tolerance, as means of eighths and tenths are not exact.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual([0.375, 0.5, 0.625].map((rate) => placeOf(rate)), ["below", "in", "above"]);
 * assert.equal(placeOf(0.375, { low: 0.2, high: 0.4 }), "in");
 * ```
 */
export function placeOf(winRate: number, band: TargetBand = targetBand): Place {
  if (winRate < band.low - 1e-9) return "below";
  return winRate > band.high + 1e-9 ? "above" : "in";
}

/**
 * Rollouts that share one environment set: option `epoch` of the run, 1 where it is not given.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(epochLength({ config: { epoch: 4 } }), 4);
 * assert.equal(epochLength(undefined), 1);
 * ```
 */
export function epochLength(run: Pick<RecordOf<"run">, "config"> | undefined): number {
  const value = Number(run?.config.epoch ?? 1);
  return Number.isInteger(value) && value > 0 ? value : 1;
}

/**
 * The run's own target band: option `plateau` of the run, else {@link targetBand}.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(bandOf({ config: { plateau: { low: 0.2, high: 0.4 } } }), { low: 0.2, high: 0.4 });
 * assert.deepEqual(bandOf(undefined), { low: 0.4, high: 0.6 });
 * ```
 */
export function bandOf(run: Pick<RecordOf<"run">, "config"> | undefined): TargetBand {
  const plateau = (run?.config.plateau ?? {}) as Partial<TargetBand>;
  const { low, high } = plateau;
  return typeof low === "number" && typeof high === "number" ? { low, high } : targetBand;
}

/** Shares of a rollout's environments, quartiles of their win rates, and how many had no score. */
export interface BandShare {
  /** Rollout of the plays; with `every`, the first rollout of the window. */
  rollout: number;
  /** Below the band: too hard. */
  below: Share;
  /** In the band. */
  inside: Share;
  /** Above the band: too easy. */
  above: Share;
  /** 25, 50 and 75 % quantiles of the win rates; NaN where no environment has one. */
  quartiles: [number, number, number];
  /** Environments played, with a score or without. */
  environments: number;
  /** Environments without a scored play: in no share. */
  missing: number;
}

/**
 * One row a rollout, ascending, from the rates that {@link winRates} gives. Shares are of the environments that have a
 * win rate; their Wilson intervals take environments as independent.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const counts = { scored: 8, failed: 0, skipped: 0 };
 * const [row] = bandShares([
 *   { rollout: 0, environmentId: "a", winRate: 0.5, place: "in", ...counts },
 *   { rollout: 0, environmentId: "b", winRate: 1, place: "above", ...counts },
 *   { rollout: 0, environmentId: "c", ...counts, scored: 0, failed: 8 },
 * ]);
 * assert.deepEqual([row.inside.share, row.above.share, row.missing], [0.5, 0.5, 1]);
 * ```
 */
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

/**
 * Chance that the mean of `plays` win-or-lose plays with a true rate of one half lies in the band.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // Of 8 plays only 4 wins lie in the band: 70/256, so even a perfect designer stands above it or below it often.
 * assert.ok(Math.abs(chanceInBand(8) - 70 / 256) < 1e-12);
 * ```
 */
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
  /** Plain groups, short ones included. */
  groups: number;
  /** Every return is 0: all plays lost. */
  allZero: Share;
  /** Every return is 1: all plays won. */
  allOne: Share;
  /** All returns equal, whatever they are: every advantage is exactly 0. */
  zeroSpread: Share;
  /** Groups with fewer than two scored plays: in no share. */
  short: number;
}

/**
 * Shares over the plain groups (one environment in one rollout) with at least two scored plays.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const play = (environmentId: string, value: number) =>
 *   ({ rollout: 0, environmentId, arm: "plain" as const, outcome: scored(value) });
 * const health = groupHealth([play("a", 0), play("a", 0), play("b", 0), play("b", 1), play("c", 1)]);
 * assert.deepEqual([health.groups, health.allZero.share, health.short], [3, 0.5, 1]);
 * ```
 */
export function groupHealth(plays: readonly PlayReturn[]): GroupHealth {
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
