/** Statistics of the nano study: one number a seed, t intervals over seeds. Missing is never zero. */
import type { RecordOf } from "../../lib/core/mod.ts";

export interface ArmResult {
  arm: string;
  seed: number;
  /** Test-set plays with the starting and the final weights. */
  evaluations: RecordOf<"evaluation">[];
  /** Designs of the starting and the final weights to the same prompts, as far as measured. */
  validity?: { base: Share; current: Share };
  seconds: number;
}

/** Designer replies, and those whose program passes `parse` and `contract`. */
export interface Share {
  replies: number;
  runs: number;
}

export interface Interval {
  mean: number;
  low: number;
  high: number;
  n: number;
}

/** 97.5 % quantiles of Student's t by degrees of freedom. */
const quantiles = [NaN, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

/** Mean over seeds with its 95 % t interval; null below 2 seeds. */
export function overSeeds(values: readonly (number | undefined)[]): Interval | null {
  const known = values.filter((value) => value !== undefined);
  const n = known.length;
  if (n < 2 || n > quantiles.length) return null;
  const mean = known.reduce((sum, value) => sum + value, 0) / n;
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = quantiles[n - 1] * Math.sqrt(variance / n);
  return { mean, low: mean - half, high: mean + half, n };
}

type Mode = "sampled" | "greedy";

const validShare = ({ replies, runs }: Share) => runs / replies;

function rate(
  result: ArmResult,
  weights: "base" | "current",
  mode: Mode,
  seen?: boolean,
): number | undefined {
  const plays = result.evaluations.filter((row) =>
    row.weights === weights && row.mode === mode && row.outcome.kind === "scored" &&
    (seen === undefined || row.seen === seen)
  );
  if (plays.length === 0) return undefined;
  return plays.filter(({ success }) => success).length / plays.length;
}

function rise(result: ArmResult, mode: Mode, seen?: boolean): number | undefined {
  const before = rate(result, "base", mode, seen);
  const after = rate(result, "current", mode, seen);
  return before === undefined || after === undefined ? undefined : after - before;
}

export interface ArmSummary {
  arm: string;
  seeds: number;
  /** Plays a seed and mode, failed ones not counted. */
  plays: number;
  sampledBase: Interval | null;
  sampled: Interval | null;
  rise: Interval | null;
  riseSeen: Interval | null;
  riseUnseen: Interval | null;
  greedyBase: Interval | null;
  greedy: Interval | null;
  greedyRise: Interval | null;
  greedyRiseSeen: Interval | null;
  greedyRiseUnseen: Interval | null;
  /** Share of designs that run before training, and its change: the same prompts and sampling seeds in both. */
  validityBase: Interval | null;
  validity: Interval | null;
  /** Rise of `spade` less that of this arm, seed by seed. */
  spadeMinus: Interval | null;
  minutes: Interval | null;
}

export function summarize(results: readonly ArmResult[]): ArmSummary[] {
  const byArm = Map.groupBy(results, ({ arm }) => arm);
  const spade = new Map(byArm.get("spade")?.map((result) => [result.seed, result]));
  return [...byArm].map(([arm, own]): ArmSummary => {
    const all = own.toSorted((a, b) => a.seed - b.seed);
    const over = (value: (result: ArmResult) => number | undefined) => overSeeds(all.map(value));
    return {
      arm,
      seeds: all.length,
      plays: all[0].evaluations.filter((row) =>
        row.weights === "current" && row.mode === "sampled" && row.outcome.kind === "scored"
      ).length,
      sampledBase: over((result) =>
        rate(result, "base", "sampled")
      ),
      sampled: over((result) => rate(result, "current", "sampled")),
      rise: over((result) => rise(result, "sampled")),
      riseSeen: over((result) => rise(result, "sampled", true)),
      riseUnseen: over((result) => rise(result, "sampled", false)),
      greedyBase: over((result) => rate(result, "base", "greedy")),
      greedy: over((result) => rate(result, "current", "greedy")),
      greedyRise: over((result) => rise(result, "greedy")),
      greedyRiseSeen: over((result) => rise(result, "greedy", true)),
      greedyRiseUnseen: over((result) => rise(result, "greedy", false)),
      validityBase: over(({ validity }) => validity && validShare(validity.base)),
      validity: over(({ validity }) =>
        validity && validShare(validity.current) - validShare(validity.base)
      ),
      spadeMinus: arm === "spade" ? null : over((result) => {
        const twin = spade.get(result.seed);
        const [a, b] = [twin && rise(twin, "sampled"), rise(result, "sampled")];
        return a === undefined || b === undefined ? undefined : a - b;
      }),
      minutes: over(({ seconds }) => seconds / 60),
    };
  });
}

/** The README's table. */
export function tableOf(summary: readonly ArmSummary[]): string {
  const points = (interval: Interval | null) => {
    if (interval === null) return "–";
    const at = (value: number) => `${value >= 0 ? "+" : "−"}${Math.abs(100 * value).toFixed(1)}`;
    return `${at(interval.mean)} [${at(interval.low)}, ${at(interval.high)}]`;
  };
  const percent = (interval: Interval | null) =>
    interval === null ? "–" : (100 * interval.mean).toFixed(1);
  const head = [
    "arm",
    "seeds",
    "T = 1: base → end (%)",
    "rise (points)",
    "seen",
    "unseen",
    "greedy: base → end (%)",
    "greedy rise",
    "validity change",
    "SPADE's rise less this arm's",
  ];
  const rows = summary.map((item) => [
    item.arm,
    String(item.seeds),
    `${percent(item.sampledBase)} → ${percent(item.sampled)}`,
    points(item.rise),
    points(item.riseSeen),
    points(item.riseUnseen),
    `${percent(item.greedyBase)} → ${percent(item.greedy)}`,
    points(item.greedyRise),
    points(item.validity),
    item.arm === "spade" ? "" : points(item.spadeMinus),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
