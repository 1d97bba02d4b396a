/** Runs of near-identical programs in the order in which they were accepted. @module */
import * as Plot from "@observablehq/plot";
import type { CollapseRun } from "../../analysis/mod.ts";
import { composeFigure, drawPanel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatNumber, formatPercent } from "../format.ts";
import { colour, fills } from "../style.ts";
import {
  axis,
  axisUp,
  counted,
  ends,
  type FigureOptions,
  fillOf,
  layout,
  margins,
  omittedWarning,
} from "./parts.ts";

/** How many programs there are, the threshold of the runs, and the width. */
export interface CollapseFigureOptions extends FigureOptions {
  /** Programs in all. @default the end of the last run */
  n?: number;
  /** The one {@linkcode collapseRuns} was given. @default 0.9 */
  threshold?: number;
  /** Earlier programs that were not looked at. @default 0 */
  omitted?: number;
}

/**
 * Each run of {@linkcode collapseRuns} as a bar as long and as high as it has programs.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { text } = collapseFigure([{ start: 4, length: 3, similarity: 0.93 }], { n: 40 });
 * assert.equal(text, "3 programs from number 4, similarity at least 0.93");
 * ```
 */
export function collapseFigure(
  runs: readonly CollapseRun[],
  options: CollapseFigureOptions = {},
): Figure {
  const { threshold = 0.9 } = options;
  const { width } = layout(options);
  const bars = runs.map((run) => ({ ...run, end: run.start + run.length }));
  const n = options.n ?? ends(bars.map(({ end }) => end)).last;
  const inRuns = bars.filter(({ length }) => length > 1)
    .reduce((sum, { length }) => sum + length, 0);
  const longest = ends(bars.map(({ length }) => length)).last;
  return composeFigure({
    title: "Mode collapse: runs of near-identical programs",
    subtitle: `In order of acceptance; a run goes on while similarity with its first is at least ${
      formatNumber(threshold)
    }; n = ${counted(n, "program")}, ${counted(bars.length, "run")}.`,
    legend: [],
    panels: n === 0 ? [] : [drawPanel({
      ...margins,
      width,
      height: 170,
      x: axis("number of the program", { domain: [0, n], ticks: 8, tickFormat: "d" }),
      y: axisUp("length of the run", {
        domain: [0, Math.max(4, longest)],
        ticks: 4,
        tickFormat: "d",
      }),
      marks: [
        Plot.gridY({ stroke: colour("rule"), strokeOpacity: 1, ticks: 4 }),
        Plot.rect(bars, { x1: "start", x2: "end", y1: 0, y2: "length", ...fillOf(fills.dark) }),
        Plot.ruleY([0], { stroke: colour("ink") }),
      ],
    })],
    caption: n === 0
      ? "No program was accepted."
      : bars.length === 0
      ? "No program is followed by one that is so much like it."
      : `Longest run: ${counted(longest, "program")}; ${
        formatPercent(inRuns / n)
      } of programs stand in a run.`,
    warnings: omittedWarning(options.omitted),
    text: bars.slice(0, 20).map(({ start, length, similarity }) =>
      `${length} programs from number ${start}, similarity at least ${formatNumber(similarity)}`
    ).join("\n") || "no runs",
    width,
  });
}
