/**
 * Coverage of the 95 % interval beside regret [D15], by number of pairs and spread: simulated plays with a known true
 * regret. Coverage is among data sets that get an interval; the share without one stands beside it.
 *
 *     deno run scripts/bench/regret_coverage.ts [repetitions=2000]
 *
 * Exit status 1 when a cell is below 92 %.
 */
import { Random, seedOf } from "../../lib/core/mod.ts";
import { estimateRegret, type Pair } from "../../lib/reward/mod.ts";

/** A play's return given its own uniform number; and the true mean. */
interface Returns {
  mean: number;
  draw(uniform: number): number;
}

/** Success with probability p. */
function coin(p: number): Returns {
  return { mean: p, draw: (u) => u < p ? 1 : 0 };
}

/** Returns `values` with the probabilities `shares`. */
function discrete(values: number[], shares: number[]): Returns {
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
function parts(count: number, p: number): Returns {
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
function skewed(power: number): Returns {
  return { mean: 1 / (power + 1), draw: (u) => u ** power };
}

/** The same shape within [from, from + width]. */
function shrunk(returns: Returns, from: number, width: number): Returns {
  return {
    mean: from + width * returns.mean,
    draw: (uniform) => from + width * returns.draw(uniform),
  };
}

const cases: Record<string, [Returns, Returns]> = {
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
const counts = [4, 6, 8, 12, 16, 24, 32, 64];
const correlations = [0, 0.5];

/** Pairs whose arms share their luck with probability `correlation`. */
function drawPairs(arms: [Returns, Returns], n: number, correlation: number, random: Random) {
  return Array.from({ length: n }, (): Pair => {
    const first = random.next(), other = random.next();
    const second = random.next() < correlation ? first : other;
    return { plain: arms[0].draw(first), hinted: arms[1].draw(second) };
  });
}

/** Deviation of the paired difference, by simulation. */
function spreadOf(arms: [Returns, Returns], correlation: number): number {
  const pairs = drawPairs(arms, 20000, correlation, new Random(7));
  const truth = arms[1].mean - arms[0].mean;
  const squares = pairs.reduce((sum, p) => sum + (p.hinted - p.plain - truth) ** 2, 0);
  return Math.sqrt(squares / pairs.length);
}

/** Share of intervals that hold the truth, and of data sets without one. */
function coverage(arms: [Returns, Returns], n: number, correlation: number, repetitions: number) {
  const truth = arms[1].mean - arms[0].mean;
  let inside = 0, none = 0;
  const random = new Random(seedOf("coverage", n, correlation, truth));
  for (let i = 0; i < repetitions; i++) {
    const { low, high } = estimateRegret(drawPairs(arms, n, correlation, random), { seed: i });
    if (low === null || high === null) none++;
    else if (low <= truth + 1e-12 && high >= truth - 1e-12) inside++;
  }
  return {
    covered: inside / (repetitions - none),
    none: none / repetitions,
    n: repetitions - none,
  };
}

const repetitions = Number(Deno.args[0] ?? 2000);
let worst = 1;
console.log(`Coverage % (share without interval %), ${repetitions} data sets a cell\n`);
console.log(
  `| returns plain / hinted | shared luck | spread | ${counts.map((n) => `n=${n}`).join(" | ")} |`,
);
console.log(`|---|---|---|${counts.map(() => "---|").join("")}`);
for (const [name, arms] of Object.entries(cases)) {
  for (const correlation of correlations) {
    const cells = counts.map((n) => {
      const cell = coverage(arms, n, correlation, repetitions);
      if (cell.n < 200) return `too few (${(100 * cell.none).toFixed(0)})`;
      worst = Math.min(worst, cell.covered);
      return `${(100 * cell.covered).toFixed(1)} (${(100 * cell.none).toFixed(0)})`;
    });
    console.log(
      `| ${name} | ${correlation} | ${spreadOf(arms, correlation).toFixed(2)} | ${
        cells.join(" | ")
      } |`,
    );
  }
}
console.log(`\nLowest cell: ${(100 * worst).toFixed(1)} %`);
if (worst < 0.92) Deno.exit(1);
