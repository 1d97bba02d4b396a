/** What the hint changes, pair by pair. @module */
import * as Plot from "@observablehq/plot";
import {
  type BootstrapOptions,
  type HintEffect,
  hintEffect,
  playPairs,
} from "../../analysis/mod.ts";
import type { RecordOf } from "../../core/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatEstimate, formatPercent } from "../format.ts";
import { colour, fills } from "../style.ts";
import { intervalPanel } from "./interval_panel.ts";
import {
  axis,
  barsAlong,
  counted,
  type FigureOptions,
  firstRows,
  labelOf,
  layout,
  margins,
  namedRows,
  stack,
} from "./parts.ts";

const parts = [
  { label: "won only with the hint", style: fills.dark, count: (e: HintEffect) => e.hintedOnly },
  { label: "won with and without", style: fills.light, count: (e: HintEffect) => e.both },
  { label: "lost in both", style: fills.none, count: (e: HintEffect) => e.neither },
  { label: "won only without", style: fills.middle, count: (e: HintEffect) => e.plainOnly },
];

/**
 * Who wins of each pair of equal seeds, and the difference of returns; `skills` names each environment's.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(hintEffectFigure([]).text, "no pairs");
 * ```
 */
export function hintEffectFigure(
  plays: readonly RecordOf<"play">[],
  skills: ReadonlyMap<string, string> = new Map(),
  options: BootstrapOptions & FigureOptions = {},
): Figure {
  const { width, panel } = layout(options, 2);
  const all = hintEffect(playPairs(plays), skills, options);
  const missing = all[0]?.missing ?? 0, total = missing + (all[0]?.pairs ?? 0);
  const { shown, warnings } = firstRows(all.filter(({ pairs }) => pairs > 0), 25, "row");
  const bare = shown.filter(({ difference }) => difference.low === undefined).length;
  return composeFigure({
    title: "What the hint changes, pair by pair",
    subtitle: `A pair is one seed played with and without the hint; n = ${
      counted(total - missing, "pair")
    }. Intervals: 95 % cluster bootstrap over environments.`,
    legend: shown.length === 0 ? [] : parts,
    panels: shown.length === 0 ? [] : [sharePanel(shown, panel), differencePanel(shown, panel)],
    caption: shown.length === 0 ? "No seed was played with and without a hint." : undefined,
    warnings: [
      ...warnings,
      ...(missing > 0
        ? [`${formatCount(missing)} of ${counted(total, "pair")} lack a score, left out`]
        : []),
      ...(bare > 0 ? [`${counted(bare, "difference")} without interval`] : []),
    ],
    text: shown.map((row) =>
      `${nameOf(row, 60)}: difference ${
        formatEstimate(row.difference)
      }; ${row.hintedOnly} of ${row.pairs} ` +
      `won only with the hint, ${row.plainOnly} only without, ${row.both} both, ${row.neither} neither`
    ).join("\n") || "no pairs",
    width,
  });
}

function nameOf({ skill }: HintEffect, most: number): string {
  return skill === undefined ? "all" : labelOf(skill, most);
}

function sharePanel(rows: readonly HintEffect[], width: number): Panel {
  const shares = parts.map(({ count }) => (row: HintEffect) => count(row) / row.pairs);
  const stacked = stack(rows, (_, i) => i, shares);
  return drawPanel({
    ...margins,
    width,
    height: 54 + 27 * rows.length,
    ...namedRows(rows.map((row) => nameOf(row, 22))),
    marginTop: 8,
    x: axis("share of pairs", { domain: [0, 1], ticks: 5 }),
    marks: [
      ...stacked.flatMap((bars, i) => barsAlong(bars, parts[i].style)),
      // The share that the hint alone won, where the bar has room for it.
      Plot.text(stacked[0].filter(({ from, to }) => to - from > 0.17), {
        x: ({ to }) => to / 2,
        y: "at",
        text: ({ to }) => formatPercent(to),
        fill: colour("paper"),
      }),
    ],
  }, "Who wins");
}

function differencePanel(rows: readonly HintEffect[], width: number): Panel {
  return intervalPanel(
    rows.map((row) => ({
      ...row.difference,
      name: nameOf(row, 22),
      note: `n = ${formatCount(row.pairs)}`,
    })),
    {
      width,
      label: "hinted minus plain return",
      heading: "Difference of returns",
      tickFormat: "+.1f",
    },
  );
}
