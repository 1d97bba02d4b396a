/** Evaluation items that were met in what a run was trained on. @module */
import * as Plot from "@observablehq/plot";
import type { Contamination, ContaminationReport, ContaminationWay } from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatNumber, formatShare } from "../format.ts";
import { fills } from "../style.ts";
import { intervalPanel } from "./interval_panel.ts";
import {
  barsAlong,
  countAxis,
  counted,
  ends,
  type FigureOptions,
  gridUp,
  labelOf,
  layout,
  margins,
  namedRows,
} from "./parts.ts";

const ways: { way: ContaminationWay | "any"; label: string }[] = [
  { way: "run", label: "run of words" },
  { way: "line", label: "whole line" },
  { way: "embedding", label: "embedding" },
  { way: "any", label: "any of them" },
];

/**
 * Share of items met by each way, and how much of each item met was found.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { findContamination } from "../../analysis/mod.ts";
 * const line = "How many pears has Ada left after the market?";
 * const found = findContamination([{ id: "q", text: line }], [{ id: "d", text: `A quiz.\n${line}` }]);
 * assert.match(contaminationFigure(found).text, /whole line: 100 % \(1 of 1\)/);
 * ```
 */
export function contaminationFigure(
  report: ContaminationReport,
  options: FigureOptions = {},
): Figure {
  const { width, panel } = layout(options, 2);
  const n = report.items.any.of;
  // A report does not say whether vectors were given: a row of zero would claim that they were.
  const shown = ways.filter(({ way }) => way !== "embedding" || report.items[way].count > 0);
  return composeFigure({
    title: "Contamination: evaluation items met in the training text",
    subtitle: `n = ${counted(n, "item")}; an item counts once a way. Intervals: Wilson, 95 %.`,
    legend: [],
    panels: n === 0 ? [] : [
      sharePanel(report, shown, panel),
      ...(report.found.length === 0 ? [] : [foundPanel(report.found, panel)]),
    ],
    caption: n === 0
      ? "No item was compared."
      : report.found.length === 0
      ? "No item was met."
      : `By run and line: share of the item's own runs or lines; by embedding: the cosine.`,
    warnings: report.ignored > 0
      ? [
        `${
          counted(report.ignored, "run or line", "runs and lines")
        } that many texts share were left out as form`,
      ]
      : [],
    text: [
      ...shown.map(({ way, label }) => `${label}: ${formatShare(report.items[way])}`),
      ...report.found.slice(0, 10).map(({ itemId, sourceId, way, share, example }) =>
        `${labelOf(itemId)} in ${labelOf(sourceId)} by ${way}, ${formatNumber(share)}: ${
          labelOf(example, 100)
        }`
      ),
      ...(report.found.length > 10 ? [`… and ${report.found.length - 10} more`] : []),
    ].join("\n") || "nothing compared",
    width,
  });
}

function sharePanel(report: ContaminationReport, shown: typeof ways, width: number): Panel {
  const rows = shown.map(({ way, label }) => {
    const { share, low, high, count, of } = report.items[way];
    const note = `${formatCount(count)}/${formatCount(of)}`;
    return { name: label, mean: share, low, high, note };
  });
  const top = Math.max(0.05, ...rows.map(({ high }) => high ?? 0));
  return intervalPanel(rows, {
    width,
    label: "share of items",
    heading: "Items met",
    tickFormat: "~%",
    domain: [0, Math.min(1, top)],
  });
}

function foundPanel(found: readonly Contamination[], width: number): Panel {
  const bins = 10;
  const counts = Array.from({ length: bins }, (_, i) => ({
    at: bins - 1 - i,
    from: 0,
    to: found.filter(({ share }) => Math.min(bins - 1, Math.floor(share * bins)) === i).length,
  }));
  const names = Array.from({ length: bins }, (_, i) => {
    const low = bins - 1 - i;
    return `${formatNumber(low / bins, 1)}–${formatNumber((low + 1) / bins, 1)}`;
  });
  return drawPanel({
    ...margins,
    width,
    height: 56 + 17 * bins,
    ...namedRows(names),
    marginTop: 10,
    marginRight: 50,
    x: countAxis("meetings", ends(counts.map(({ to }) => to)).last),
    marks: [
      gridUp(),
      ...barsAlong(counts, fills.dark),
      Plot.text(counts.filter(({ to }) => to > 0), {
        x: "to",
        y: "at",
        text: ({ to }) => formatCount(to),
        dx: 5,
        textAnchor: "start",
      }),
    ],
  }, `${counted(found.length, "meeting")} by how much was found`);
}
