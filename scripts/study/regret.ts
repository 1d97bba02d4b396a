/** The simulations behind the intervals of regret: coverage, what pairing is worth, the floor of the clipped signal. */
import { Random, seedOf } from "../../lib/core/mod.ts";
import {
  clippedSignal,
  estimateRegret,
  meanOf,
  noiseFloor,
  shrinkRegret,
} from "../../lib/reward/mod.ts";
import { type Arms, coin, drawPairs, kinds, parts, spreadOf } from "./returns.ts";

/** Coverage of the 95 % interval among data sets that get one. */
export interface CoverageCell {
  returns: string;
  /** Probability that both arms share their luck. */
  shared: number;
  pairs: number;
  /** Standard deviation of the difference of a pair. */
  spread: number;
  /** Null when fewer than 200 data sets got an interval. */
  covered: number | null;
  /** Share of data sets without an interval. */
  without: number;
}

/** Same seeds in both arms against different ones: mean width of the interval, deviation of the estimate. */
export interface PairingCell {
  returns: string;
  pairs: number;
  correlation: number;
  /** Paired over unpaired. */
  width: number;
  deviation: number;
}

/** Mean clipped signals with `plays` an arm; shrunken: plain plays of an epoch of 4 rollouts pooled. */
export interface FloorCell {
  plays: number;
  /** Standard deviation of a play's return. */
  spread: number;
  regret: number;
  published: number;
  /** The formula shown beside every regret; null unless true regret is 0. */
  formula: number | null;
  shrunken: number;
}

const pairCounts = [4, 8, 16, 32];

/** Coverage by kind of returns, shared luck and number of pairs. */
export function coverageCells(repetitions: number): CoverageCell[] {
  return Object.entries(kinds).flatMap(([returns, arms]) =>
    [0, 0.5].flatMap((shared) => {
      const { spread } = spreadOf(arms, shared);
      return pairCounts.map((pairs) => ({
        ...{ returns, shared, pairs, spread },
        ...coverage(arms, pairs, shared, repetitions),
      }));
    })
  );
}

function coverage(arms: Arms, pairs: number, shared: number, repetitions: number) {
  const truth = arms[1].mean - arms[0].mean;
  const random = new Random(seedOf("coverage", pairs, shared, truth));
  let inside = 0, none = 0;
  for (let i = 0; i < repetitions; i++) {
    const { low, high } = estimateRegret(drawPairs(arms, pairs, shared, random), { seed: i });
    if (low === null || high === null) none++;
    else if (low <= truth + 1e-12 && high >= truth - 1e-12) inside++;
  }
  const held = repetitions - none;
  return { covered: held < 200 ? null : inside / held, without: none / repetitions };
}

const pairingKinds: Record<string, Arms> = {
  "binary .4 / .6": [coin(0.4), coin(0.6)],
  "4 parts .4 / .6": [parts(4, 0.4), parts(4, 0.6)],
};

/** What equal seeds are worth, by how much of its luck an instance shares between the arms. */
export function pairingCells(repetitions: number): PairingCell[] {
  return Object.entries(pairingKinds).flatMap(([returns, arms]) =>
    [8, 16, 32].flatMap((pairs) => {
      const at = (shared: number) => {
        const random = new Random(seedOf("pairing", returns, pairs));
        const widths: number[] = [], estimates: number[] = [];
        for (let i = 0; i < repetitions; i++) {
          const list = drawPairs(arms, pairs, shared, random);
          const { low, high, outcome } = estimateRegret(list, { seed: i, draws: 500 });
          if (low !== null && high !== null) widths.push(high - low);
          if (outcome.kind === "scored") estimates.push(outcome.value);
        }
        const mean = meanOf(estimates);
        const variance = meanOf(estimates.map((value) => (value - mean) ** 2));
        return { width: meanOf(widths), deviation: Math.sqrt(variance) };
      };
      const apart = at(0);
      return [0, 0.25, 0.5, 0.75, 0.9].map((shared) => {
        const together = at(shared);
        return {
          returns,
          pairs,
          correlation: spreadOf(arms, shared).correlation,
          width: together.width / apart.width,
          deviation: together.deviation / apart.deviation,
        };
      });
    })
  );
}

/** Mean signals at true regrets of 0, .15 and .3 for win-or-lose plays of the given spread. */
export function floorCells(repetitions: number): FloorCell[] {
  const cells: FloorCell[] = [];
  for (const spread of [0.1, 0.2, 0.3, 0.42, 0.5]) {
    const p = (1 - Math.sqrt(Math.max(0, 1 - 4 * spread ** 2))) / 2;
    for (const regret of [0, 0.15, 0.3]) {
      for (const plays of [4, 8, 16, 32, 64]) {
        const random = new Random(seedOf("floor", spread, regret, plays));
        const draw = (n: number, rate: number) =>
          Array.from({ length: n }, () => random.next() < rate ? 1 : 0);
        let published = 0, shrunken = 0;
        for (let i = 0; i < repetitions; i++) {
          const plain = draw(4 * plays, p), hinted = draw(plays, p + regret);
          published += clippedSignal(meanOf(hinted) - meanOf(plain.slice(0, plays)));
          shrunken += clippedSignal(shrinkRegret(plain, hinted).value);
        }
        cells.push({
          ...{ plays, spread, regret },
          published: published / repetitions,
          formula: regret === 0 ? noiseFloor(spread, plays) : null,
          shrunken: shrunken / repetitions,
        });
      }
    }
  }
  return cells;
}
