/** How complex programs are, and how much of them plays use, by rollout. @module */
import * as Plot from "@observablehq/plot";
import type { RolloutComplexity, Spread } from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatNumber, formatPercent } from "../format.ts";
import { colour, series } from "../style.ts";
import {
  axisUp,
  bandMarks,
  counted,
  type FigureOptions,
  grid,
  layout,
  lineMarks,
  margins,
  rolloutAxis,
} from "./parts.ts";

const sizes: { name: "lines" | "depth" | "branches" | "tools" | "used"; heading: string }[] = [
  { name: "lines", heading: "Lines of code" },
  { name: "depth", heading: "Depth, in blocks" },
  { name: "branches", heading: "Branches" },
  { name: "tools", heading: "Tools" },
  { name: "used", heading: "Turns used ÷ offered" },
];

/**
 * Small panels of {@linkcode complexityByRollout}: mean and 5 to 95 %, and wins that need the hint.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { complexityByRollout } from "../../analysis/mod.ts";
 * assert.equal(complexityFigure(complexityByRollout([], [], { maxTurns: 8 })).text, "no programs");
 * ```
 */
export function complexityFigure(
  rows: readonly RolloutComplexity[],
  options: FigureOptions = {},
): Figure {
  const { width, panel } = layout(options, 3);
  const environments = rows.reduce((sum, row) => sum + row.environments, 0);
  const shown = sizes.filter(({ name }) => rows.some((row) => row[name].most > 0));
  const absent = sizes.filter(({ name }) => !shown.some((size) => size.name === name));
  const needs = rows.filter(({ needsHint }) => needsHint.of > 0);
  return composeFigure({
    title: "Complexity of the accepted programs by rollout",
    subtitle: `Mean, and 5 to 95 % shaded; n = ${counted(environments, "program")} of ${
      counted(rows.length, "rollout")
    }.`,
    legend: [],
    panels: [
      ...shown.map(({ name, heading }) => spreadPanel(rows, (row) => row[name], heading, panel)),
      ...(needs.length === 0 ? [] : [needsPanel(needs, panel)]),
    ],
    caption: rows.length === 0
      ? "No program was accepted."
      : absent.length > 0
      ? `Zero throughout or unknown: ${
        absent.map(({ heading }) => heading.toLowerCase()).join(", ")
      }.`
      : undefined,
    warnings: rows.length > needs.length
      ? [`${counted(rows.length - needs.length, "rollout")} without a win with the hint`]
      : [],
    text: rows.map((row) =>
      `rollout ${row.rollout}: ${
        shown.map(({ name, heading }) =>
          `${heading.toLowerCase()} ${formatNumber(row[name].mean, 1)}`
        ).join(", ")
      }, wins that need the hint ${formatPercent(row.needsHint.share)} of ${row.needsHint.of}`
    ).join("\n") || "no programs",
    width,
  });
}

function spreadPanel(
  all: readonly RolloutComplexity[],
  of: (row: RolloutComplexity) => Spread,
  heading: string,
  width: number,
): Panel {
  const rows = all.filter((row) => of(row).n > 0), style = series.first;
  const x = ({ rollout }: RolloutComplexity) => rollout;
  return drawPanel({
    ...margins,
    width,
    height: 180,
    x: rolloutAxis(all.map(x), width),
    y: axisUp("mean", { zero: true, nice: true, ticks: 4 }),
    marks: [
      grid(4),
      ...bandMarks(rows, { x, low: (row) => of(row).low, high: (row) => of(row).high, style }),
      ...lineMarks(rows, { x, y: (row) => of(row).mean, style }),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  }, heading);
}

function needsPanel(rows: readonly RolloutComplexity[], width: number): Panel {
  const x = ({ rollout }: RolloutComplexity) => rollout, style = series.second;
  return drawPanel({
    ...margins,
    width,
    height: 180,
    x: rolloutAxis(rows.map(x), width),
    y: axisUp("share", { domain: [0, 1], ticks: 4 }),
    marks: [
      grid(4),
      ...bandMarks(rows, {
        x,
        low: ({ needsHint }) => needsHint.low!,
        high: ({ needsHint }) => needsHint.high!,
        style,
      }),
      ...lineMarks(rows, { x, y: ({ needsHint }) => needsHint.share!, style }),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  }, "Wins that need the hint");
}
