/** How many different programs there are: Vendi scores by epoch, and against the number of programs. @module */
import * as Plot from "@observablehq/plot";
import type { CurveStep, EpochDiversity, VendiInterval } from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatInterval, formatNumber } from "../format.ts";
import { colour, series } from "../style.ts";
import {
  axis,
  axisUp,
  bandMarks,
  counted,
  type FigureOptions,
  grid,
  labelOf,
  layout,
  lineMarks,
  margins,
  omittedWarning,
  rolloutAxis,
} from "./parts.ts";

/** Name of the kernel for the subtitle, and the width. */
export interface DiversityFigureOptions extends FigureOptions {
  /** `name` of the kernel: scores of different kernels do not compare. */
  kernel?: string;
  /** Earlier programs that were not looked at. @default 0 */
  omitted?: number;
}

/** What the figure shows; all from one kernel. */
export interface DiversityData {
  /** Of {@linkcode diversityByEpoch}; rows of single skills are not drawn. */
  epochs: readonly EpochDiversity[];
  /** Of {@linkcode subsampleCurve}. */
  curve?: readonly CurveStep[];
  /** Of {@linkcode vendiInterval}. */
  interval?: VendiInterval;
}

const orders = [
  { label: "q = 1 (Shannon)", style: series.first, y: (row: EpochDiversity) => row.shannon },
  { label: "q = 2 (collision)", style: series.second, y: (row: EpochDiversity) => row.collision },
  { label: "q = ∞ (largest kind)", style: series.third, y: (row: EpochDiversity) => row.dominance },
];

/**
 * Vendi scores of the programs accepted in each epoch, and the subsample curve with its interval.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { text } = diversityFigure({
 *   epochs: [],
 *   curve: [{ n: 8, mean: 2.5, low: 2.2, high: 2.9, draws: 20 }],
 * });
 * assert.equal(text, "8 programs: 2.50");
 * ```
 */
export function diversityFigure(
  { epochs, curve = [], interval }: DiversityData,
  options: DiversityFigureOptions = {},
): Figure {
  const all = epochs.filter(({ skill }) => skill === undefined);
  const rows = all.flatMap((row) => row.epoch === undefined ? [] : [{ ...row, epoch: row.epoch }]);
  const whole = all.find(({ epoch }) => epoch === undefined);
  const { width, panel } = layout(options, curve.length > 0 ? 2 : 1);
  const n = whole?.n ?? curve.at(-1)?.n ?? 0;
  const uneven = new Set(rows.map((row) => row.n)).size > 1;
  const score = interval &&
    `Vendi score of all ${formatNumber(interval.score)} ${formatInterval(interval)}`;
  const kernel = options.kernel === undefined ? "" : `Kernel: ${labelOf(options.kernel, 60)}. `;
  return composeFigure({
    title: "Diversity of the accepted programs (Vendi score)",
    subtitle: `${kernel}1: all alike; n: nothing in common. n = ${counted(n, "program")}${
      rows.length === 0 ? "" : ` in ${counted(rows.length, "epoch")}`
    }.`,
    legend: rows.length === 0 ? [] : orders.map(({ label, style }) => ({ label, style })),
    panels: [
      ...(rows.length === 0 ? [] : [epochPanel(rows, panel)]),
      ...(curve.length === 0 ? [] : [curvePanel(curve, interval, panel)]),
    ],
    caption: n === 0 ? "No program was accepted." : score && `${score} (${interval.interval}).`,
    warnings: [
      ...omittedWarning(options.omitted),
      ...(uneven
        ? [`epochs have ${least(rows)} to ${most(rows)} programs: scores compare only at equal n`]
        : []),
    ],
    text: [
      ...(score === undefined ? [] : [score]),
      ...rows.map((row) =>
        `epoch from rollout ${row.epoch}: ${
          orders.map(({ y }) => formatNumber(y(row))).join(" / ")
        } (q = 1, 2, ∞), n = ${row.n}`
      ),
      ...curve.map((step) => `${step.n} programs: ${formatNumber(step.mean)}`),
    ].join("\n") || "no programs",
    width,
  });
}

const least = (rows: readonly EpochDiversity[]) => Math.min(...rows.map(({ n }) => n));
const most = (rows: readonly EpochDiversity[]) => Math.max(...rows.map(({ n }) => n));

function epochPanel(
  rows: readonly (EpochDiversity & { epoch: number })[],
  width: number,
): Panel {
  return drawPanel({
    ...margins,
    width,
    height: 250,
    x: rolloutAxis(rows.map(({ epoch }) => epoch), width, { label: "first rollout of the epoch" }),
    y: axisUp("Vendi score", {
      domain: [1, Math.max(1.5, ...rows.map(({ shannon }) => shannon)) * 1.1],
      ticks: 6,
    }),
    marks: [
      grid(6),
      ...orders.flatMap(({ style, y }) => lineMarks(rows, { x: ({ epoch }) => epoch, y, style })),
    ],
  }, "By epoch");
}

function curvePanel(
  curve: readonly CurveStep[],
  interval: VendiInterval | undefined,
  width: number,
): Panel {
  const x = ({ n }: CurveStep) => n, style = series.first;
  const held = interval?.low === undefined ? [] : [{ ...interval, n: curve.at(-1)!.n }];
  const top = Math.max(...curve.map(({ high }) => high), interval?.high ?? 0);
  return drawPanel({
    ...margins,
    width,
    height: 250,
    x: axis("programs in the subset", {
      type: "log",
      base: 2,
      ticks: width > 300 ? 6 : 4,
      tickFormat: "d",
    }),
    y: axisUp("Vendi score, q = 1", { domain: [1, Math.max(1.5, top) * 1.1], ticks: 6 }),
    marks: [
      grid(6),
      ...bandMarks(curve, { x, low: ({ low }) => low, high: ({ high }) => high, style }),
      ...lineMarks(curve, { x, y: ({ mean }) => mean, style }),
      Plot.ruleX(held, { x: "n", y1: "low", y2: "high", stroke: colour("ink"), strokeWidth: 2.5 }),
    ],
  }, "Subsets: mean, 10–90 %; bar: 95 % interval");
}
