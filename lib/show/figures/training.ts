/** A training while it goes on. @module */
import * as Plot from "@observablehq/plot";
import type { RolloutReport } from "../../core/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatChange, formatNumber } from "../format.ts";
import { colour, series, type SeriesStyle } from "../style.ts";
import {
  axis,
  axisUp,
  counted,
  ends,
  type FigureOptions,
  grid,
  layout,
  lineMarks,
  margins,
} from "./parts.ts";

interface Line {
  label: string;
  style: SeriesStyle;
  y: (report: RolloutReport) => number | undefined;
}

const returns: Line[] = [
  { label: "plain", style: series.first, y: ({ plainMean }) => plainMean },
  { label: "hinted", style: series.second, y: ({ hintedMean }) => hintedMean },
];
const signals: Line[] = [
  { label: "regret signal", style: series.third, y: ({ signalMean }) => signalMean },
  { label: "its noise floor", style: series.fourth, y: ({ noiseFloor }) => noiseFloor },
];

/**
 * Mean returns of both arms and the regret signal over its noise floor, rollout by rollout; what is still to come is left
 * free. Draw it anew after each rollout of `train()`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(trainingFigure([]).text, "no rollout");
 * ```
 */
export function trainingFigure(
  reports: readonly RolloutReport[],
  options: FigureOptions = {},
): Figure {
  const { width, panel } = layout(options, 2);
  const scored = reports.reduce((sum, report) => sum + report.scored, 0);
  const failed = reports.reduce((sum, report) => sum + report.failed, 0);
  const planned = ends(reports.map(({ rollouts }) => rollouts)).last;
  const isEmpty = reports.length === 0;
  return composeFigure({
    title: "The training so far: returns of both arms, and the regret signal",
    subtitle: `Means over the set of a rollout; hinted plays where a set is new. n = ${
      counted(scored, "plain play")
    }, ${reports.length} of ${counted(planned, "rollout")}.`,
    legend: isEmpty ? [] : [...returns, ...signals],
    panels: isEmpty ? [] : [
      linePanel(reports, returns, { name: "mean return", planned, width: panel }),
      linePanel(reports, signals, { name: "clip(regret / .15, 0, 1)", planned, width: panel }),
    ],
    caption: isEmpty ? "No rollout is done." : "One seed: a line alone shows no learning.",
    warnings: failed > 0 ? [`${counted(failed, "plain play")} without a score left out`] : [],
    text: reports.map((report) =>
      `rollout ${report.rollout}: plain ${formatNumber(report.plainMean)}, hinted ${
        formatNumber(report.hintedMean)
      }, regret ${formatChange(report.regretMean)}`
    ).join("\n") || "no rollout",
    width,
  });
}

function linePanel(
  reports: readonly RolloutReport[],
  lines: readonly Line[],
  { name, planned, width }: { name: string; planned: number; width: number },
): Panel {
  const values = reports.flatMap((report) => lines.flatMap(({ y }) => y(report) ?? []));
  const { first, last } = ends(values);
  const domain = [-0.6, Math.max(1, planned) - 0.4];
  return drawPanel({
    ...margins,
    width,
    height: 230,
    x: axis("rollout", { domain, ticks: Math.min(planned, 8), tickFormat: "d" }),
    y: axisUp(name, { domain: [Math.min(0, first), Math.max(1, last)], ticks: 5 }),
    marks: [
      grid(),
      ...lines.flatMap(({ y, style }) =>
        lineMarks(reports, { x: ({ rollout }) => rollout, y: (report) => y(report) ?? NaN, style })
      ),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  });
}
