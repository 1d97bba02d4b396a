/** Two runs, or two ways to train over several seeds, on held-out environments. @module */
import * as Plot from "@observablehq/plot";
import {
  differenceBetween,
  differenceOverSeeds,
  type Estimate,
  type Evaluation,
  type HeldoutOptions,
  learningCurve,
} from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatChange, formatInterval } from "../format.ts";
import { colour, series, type SeriesStyle } from "../style.ts";
import { intervalPanel } from "./interval_panel.ts";
import {
  axis,
  axisUp,
  counted,
  ends,
  type FigureOptions,
  grid,
  labelOf,
  layout,
  lineMarks,
  margins,
} from "./parts.ts";

/** Held-out plays of both ways with one seed. */
export interface ComparedRuns {
  /** The way that is the measure. */
  first: readonly Evaluation[];
  /** The way that is compared with it. */
  second: readonly Evaluation[];
}

/** Held-out set and bootstrap, names, and width. */
export interface ComparisonFigureOptions extends HeldoutOptions, FigureOptions {
  /** Names of the two ways. @default "first", "second" */
  names?: readonly [string, string];
}

type Difference = Estimate & {
  mode: string;
  part: string;
  bySeed: readonly (number | undefined)[];
};
interface Line {
  way: number;
  points: { updates: number; mean: number }[];
}

/**
 * Learning curves of both ways, and the difference of their last evaluations over pairs of the same environment and
 * play. With one pair of runs the interval is about these two runs; with several, one a seed, about the ways.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(comparisonFigure([{ first: [], second: [] }]).text.split("\n")[0], "nothing to compare");
 * ```
 */
export function comparisonFigure(
  runs: readonly ComparedRuns[],
  options: ComparisonFigureOptions = {},
): Figure {
  const { set = "dev", names = ["first", "second"] } = options;
  const { width, panel } = layout(options, 2);
  const [one, other] = names.map((name) => labelOf(name, 32));
  const differences: Difference[] = runs.length === 1
    ? differenceBetween(runs[0].first, runs[0].second, options)
      .map((rise) => ({ ...rise, bySeed: [] }))
    : differenceOverSeeds(runs, options);
  const lines = runs.flatMap(({ first, second }) =>
    [first, second].map((rows, way): Line => ({ way, points: curveOf(rows, set) }))
  );
  const isEmpty = lines.every(({ points }) => points.length === 0);
  const lost = differences.reduce((sum, d) => sum + d.failed + d.skipped, 0);
  const bare = differences.filter(({ low }) => low === undefined).length;
  const seeds = runs.length > 1 ? counted(runs.length, "seed") : "one seed";
  const pairs = Math.max(0, ...differences.map((d) => d.scored));
  const unit = runs.length > 1 ? "seed" : "pair";
  return composeFigure({
    title: `${other} against ${one}, held-out environments (${set} set)`,
    subtitle: `Mean return at temperature 1 by updates, and the last difference; ${seeds}, n = ${
      counted(pairs, unit)
    }. Intervals: 95 % bootstrap over ${runs.length > 1 ? "seeds" : "environments"}.`,
    legend: isEmpty ? [] : [
      { label: one, style: series.first },
      { label: other, style: series.second },
    ],
    panels: isEmpty ? [] : [
      curvePanel(lines, panel),
      ...(differences.length > 0 ? [differencePanel(differences, panel)] : []),
    ],
    caption: isEmpty
      ? "No held-out evaluation is stored in these runs."
      : differences.length === 0
      ? "The last evaluations have no environment and play in common."
      : undefined,
    warnings: [
      ...(lost > 0 ? [`${counted(lost, unit)} without a score in both, left out`] : []),
      ...(bare > 0 ? [`${counted(bare, "difference")} without interval`] : []),
      ...(runs.length === 1 ? ["one seed: it says nothing about other seeds"] : []),
    ],
    text: differences.map((d) =>
      `${d.mode}, ${d.part}: ${formatChange(d.mean)} ${formatInterval(d)}${
        d.bySeed.length > 0
          ? ` (by seed ${d.bySeed.map((v) => formatChange(v)).join(", ")})`
          : ""
      }`
    ).join("\n") || "nothing to compare",
    width,
  });
}

function curveOf(rows: readonly Evaluation[], set: Evaluation["set"]): Line["points"] {
  return learningCurve(rows, { set, draws: 0 })
    .filter(({ mode, part }) => mode === "sampled" && part === "all")
    .flatMap(({ updates, mean }) => mean === undefined ? [] : [{ updates, mean }]);
}

/** Mean over the lines at the updates that all of them have. */
function meanLine(lines: readonly Line[]): Line["points"] {
  const all = lines.flatMap(({ points }) => points);
  return [...new Set(all.map(({ updates }) => updates))].sort((a, b) => a - b).flatMap(
    (updates) => {
      const at = all.filter((point) => point.updates === updates);
      const mean = at.reduce((sum, point) => sum + point.mean, 0) / at.length;
      return at.length === lines.length ? [{ updates, mean }] : [];
    },
  );
}

function curvePanel(lines: readonly Line[], width: number): Panel {
  const styles: SeriesStyle[] = [series.first, series.second];
  const all = lines.flatMap(({ points }) => points);
  const values = ends(all.map(({ mean }) => mean));
  return drawPanel({
    ...margins,
    width,
    height: 260,
    x: axis("updates", {
      domain: [0, Math.max(1, ends(all.map((p) => p.updates)).last)],
      ticks: 6,
    }),
    y: axisUp("mean return", {
      domain: [Math.min(0, values.first), Math.max(0.1, values.last) * 1.1],
      ticks: 5,
    }),
    marks: [
      grid(),
      ...(lines.length > 2 ? lines : []).map(({ way, points }) =>
        Plot.lineY(points, {
          x: "updates",
          y: "mean",
          stroke: colour(styles[way].colour),
          strokeDasharray: styles[way].dash,
          strokeOpacity: 0.3,
        })
      ),
      ...styles.flatMap((style, way) =>
        lineMarks(meanLine(lines.filter((line) => line.way === way)), {
          x: ({ updates }) => updates,
          y: ({ mean }) => mean,
          style,
        })
      ),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  }, lines.length > 2 ? "Mean over seeds; faint: each seed" : "Temperature 1, all families");
}

function differencePanel(differences: readonly Difference[], width: number): Panel {
  const dots = differences.flatMap(({ bySeed }, at) =>
    bySeed.flatMap((mean) => mean === undefined ? [] : [{ at, mean }])
  );
  return intervalPanel(
    differences.map((row) => ({
      ...row,
      name: `${row.mode}, ${row.part}`,
      note: formatChange(row.mean, 3),
    })),
    {
      width,
      label: "difference of mean return",
      heading: dots.length > 0 ? "Difference; ticks: each seed" : "Difference",
      style: series.second,
      below: [Plot.tickX(dots, { x: "mean", y: "at", stroke: colour("muted") })],
    },
  );
}
