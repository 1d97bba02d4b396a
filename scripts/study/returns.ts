/** Returns of simulated plays with a known mean, and pairs of plays whose arms share their luck. */
import { Random } from "../../lib/core/mod.ts";
import type { Pair } from "../../lib/reward/mod.ts";

/** A play's return given its own uniform number; and the true mean. */
export interface Returns {
  mean: number;
  draw(uniform: number): number;
}

/** Success with probability p. */
export function coin(p: number): Returns {
  return { mean: p, draw: (u) => u < p ? 1 : 0 };
}

/** Returns `values` with the probabilities `shares`. */
export function discrete(values: number[], shares: number[]): Returns {
  const mean = values.reduce((sum, value, i) => sum + value * shares[i], 0);
  return {
    mean,
    draw: (u) => {
      let left = u;
      for (let i = 0; i < values.length - 1; i++) if ((left -= shares[i]) < 0) return values[i];
      return values[values.length - 1];
    },
  };
}

/** Partial sums k/parts, each part won with probability p: binomial. */
export function parts(count: number, p: number): Returns {
  const values: number[] = [], shares: number[] = [];
  let ways = 1;
  for (let k = 0; k <= count; k++) {
    values.push(k / count);
    shares.push(ways * p ** k * (1 - p) ** (count - k));
    ways = ways * (count - k) / (k + 1);
  }
  return discrete(values, shares);
}

/** u^power: power 1 is uniform, more is skewed to 0. */
export function skewed(power: number): Returns {
  return { mean: 1 / (power + 1), draw: (u) => u ** power };
}

/** The same shape within [from, from + width]. */
export function shrunk(returns: Returns, from: number, width: number): Returns {
  return {
    mean: from + width * returns.mean,
    draw: (uniform) => from + width * returns.draw(uniform),
  };
}

/** Both arms of an environment: plain, hinted. */
export type Arms = [Returns, Returns];

/** Kinds of returns whose intervals are tried, from many successes to rare ones and from coarse to smooth. */
export const kinds: Record<string, Arms> = {
  "binary .5 / .5": [coin(0.5), coin(0.5)],
  "binary .2 / .5": [coin(0.2), coin(0.5)],
  "binary .05 / .1": [coin(0.05), coin(0.1)],
  "binary .05 / .9": [coin(0.05), coin(0.9)],
  "binary .9 / .95": [coin(0.9), coin(0.95)],
  "4 parts .5 / .5": [parts(4, 0.5), parts(4, 0.5)],
  "4 parts .2 / .6": [parts(4, 0.2), parts(4, 0.6)],
  "3 parts .1 / .2": [parts(3, 0.1), parts(3, 0.2)],
  "all or partial": [
    discrete([0, 0.25, 0.5, 1], [0.5, 0.2, 0.1, 0.2]),
    discrete([0, 0.25, 0.5, 1], [0.2, 0.2, 0.1, 0.5]),
  ],
  "mostly 1, rare 0": [
    discrete([0, 0.5, 1], [0.3, 0.2, 0.5]),
    discrete([0, 0.5, 1], [0.05, 0.05, 0.9]),
  ],
  "-1, 0 or 1": [
    discrete([-1, 0, 1], [0.3, 0.4, 0.3]),
    discrete([-1, 0, 1], [0.2, 0.3, 0.5]),
  ],
  "uniform": [skewed(1), skewed(1)],
  "skewed": [skewed(6), skewed(2)],
  "very skewed": [skewed(20), skewed(6)],
  "rare partial": [skewed(40), skewed(15)],
  "narrow": [shrunk(skewed(1), 0, 0.1), shrunk(skewed(1), 0.1, 0.1)],
};

/**
 * Pairs whose arms share their luck with probability `shared`: the same instance is easy or hard in both. At 0 the
 * pairs are those of plays with different seeds.
 */
export function drawPairs(arms: Arms, n: number, shared: number, random: Random): Pair[] {
  return Array.from({ length: n }, (): Pair => {
    const first = random.next(), other = random.next();
    const second = random.next() < shared ? first : other;
    return { plain: arms[0].draw(first), hinted: arms[1].draw(second) };
  });
}

/** Standard deviation of the paired difference, and the correlation of the arms, by simulation. */
export function spreadOf(arms: Arms, shared: number): { spread: number; correlation: number } {
  const pairs = drawPairs(arms, 20_000, shared, new Random(7));
  const mean = (pick: (pair: Pair) => number) =>
    pairs.reduce((sum, pair) => sum + pick(pair), 0) / pairs.length;
  const [p, h] = [mean((pair) => pair.plain), mean((pair) => pair.hinted)];
  const cross = mean((pair) => (pair.plain - p) * (pair.hinted - h));
  const [vp, vh] = [mean((pair) => (pair.plain - p) ** 2), mean((pair) => (pair.hinted - h) ** 2)];
  return {
    spread: Math.sqrt(Math.max(0, vp + vh - 2 * cross)),
    correlation: vp * vh > 0 ? cross / Math.sqrt(vp * vh) : 0,
  };
}
