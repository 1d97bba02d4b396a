/** What a run cost, in all and for what came of it. @module */
import * as Plot from "@observablehq/plot";
import {
  type Amount,
  type Cost,
  costTotals,
  type Prices,
  type RunTables,
  type UnitCost,
  unitCosts,
} from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatLarge, formatNumber, formatSeconds } from "../format.ts";
import { colour, fills, series, type SeriesStyle } from "../style.ts";
import {
  axis,
  axisUp,
  barLabels,
  barsAlong,
  counted,
  type FigureOptions,
  firstRows,
  grid,
  gridUp,
  labelOf,
  layout,
  lineMarks,
  margins,
  namedRows,
  rolloutAxis,
  stack,
  tickLarge,
} from "./parts.ts";

const tokenParts = [
  { label: "prompt tokens", style: fills.light, count: (c: Cost) => c.promptTokens },
  { label: "new tokens", style: fills.dark, count: (c: Cost) => c.completionTokens },
];

/**
 * Tokens and seconds by role and stage, and for each accepted environment and point of regret.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(costFigure({ ledger: [], active: [], regret: [] }).text, /none came of it/);
 * ```
 */
export function costFigure(
  tables: Pick<RunTables, "ledger" | "active" | "regret">,
  options: FigureOptions & { /** For the text. */ prices?: Prices } = {},
): Figure {
  const { width, panel } = layout(options, 2);
  // Sorted, so that the order of the records changes no digit.
  const ledger = tables.ledger.toSorted((a, b) => a.id < b.id ? -1 : 1);
  const { byStage, total } = costTotals(ledger);
  const units = unitCosts({ ...tables, ledger }, options), all = units[units.length - 1];
  const { shown, warnings } = firstRows(byStage, 14, "stage");
  const untimed = byStage.filter(({ seconds, calls }) => calls > 0 && seconds === 0).length;
  const isEmpty = byStage.length === 0;
  const timed = shown.filter(({ seconds }) => seconds > 0);
  return composeFigure({
    title: "Cost by stage, and per accepted environment and point of regret",
    subtitle: `n = ${formatLarge(total.promptTokens + total.completionTokens)} tokens, ${
      counted(total.calls, "call")
    }; ${counted(all.accepted, "accepted environment")}, ${
      formatNumber(all.regret, 1)
    } points of positive regret. Units leave evaluation out.`,
    legend: isEmpty ? [] : [
      ...tokenParts,
    ],
    panels: isEmpty ? [] : [
      tokenPanel(shown, panel),
      ...(timed.length === 0 ? [] : [secondsPanel(timed, panel)]),
      ...unitLines.flatMap((line) => unitPanel(units, line, panel)),
    ],
    caption: isEmpty
      ? "No costs are stored."
      : "Stages overlap: a time may cover several of them, and sums may exceed the clock.",
    warnings: [
      ...warnings,
      ...(untimed > 0
        ? [`${untimed} of ${counted(byStage.length, "stage")} have no time of their own`]
        : []),
    ],
    text: [
      ...shown.map((c) =>
        `${labelOf(c.role)}, ${labelOf(c.stage)}: ${formatLarge(c.promptTokens)} + ${
          formatLarge(c.completionTokens)
        } tokens, ${formatCount(c.calls)} calls, ${formatSeconds(c.seconds)}`
      ),
      `an accepted environment: ${amountText(all.perAccepted)}`,
      `a point of regret: ${amountText(all.perRegret)}`,
    ].join("\n"),
    width,
  });
}

function amountText(amount: Amount | undefined): string {
  if (amount === undefined) return "none came of it";
  const money = amount.money === undefined ? "" : `, ${formatNumber(amount.money, 4)} in money`;
  return `${formatLarge(amount.tokens)} tokens, ${formatNumber(amount.seconds, 1)} s${money}`;
}

function stageName(role: string, stage: string): string {
  return labelOf(role === stage ? stage : `${role}, ${stage}`, 25);
}

function tokenPanel(stages: readonly Cost[], width: number): Panel {
  const spent = stages.filter((c) => c.promptTokens + c.completionTokens > 0);
  const stacked = stack(spent, (_, i) => i, tokenParts.map(({ count }) => count));
  return stagePanel(spent, width, "Tokens", "tokens", [
    ...stacked.flatMap((bars, i) => barsAlong(bars, tokenParts[i].style)),
    barLabels(spent, {
      x: (c) => c.promptTokens + c.completionTokens,
      text: (c) => formatLarge(c.promptTokens + c.completionTokens),
    }),
  ]);
}

function secondsPanel(stages: readonly Cost[], width: number): Panel {
  const bars = stages.map(({ seconds }, at) => ({ at, from: 0, to: seconds }));
  return stagePanel(stages, width, "Seconds", "seconds", [
    ...barsAlong(bars, fills.middle),
    barLabels(stages, {
      x: ({ seconds }) => seconds,
      text: ({ seconds }) => formatSeconds(seconds),
    }),
  ]);
}

function stagePanel(
  stages: readonly Cost[],
  width: number,
  heading: string,
  label: string,
  marks: Plot.Markish[],
): Panel {
  return drawPanel({
    ...margins,
    width,
    height: 56 + 24 * Math.max(1, stages.length),
    ...namedRows(stages.map(({ role, stage }) => stageName(role, stage))),
    marginTop: 10,
    marginRight: 66,
    x: axis(label, { ticks: 3, tickFormat: tickLarge, zero: true }),
    marks: [gridUp(3), ...marks],
  }, heading);
}

const unitLines: {
  heading: string;
  label: string;
  of: (unit: UnitCost) => number | undefined;
  style: SeriesStyle;
}[] = [
  {
    heading: "An accepted environment",
    label: "tokens",
    of: ({ perAccepted }) => perAccepted?.tokens,
    style: series.first,
  },
  {
    heading: "A point of regret",
    label: "tokens",
    of: ({ perRegret }) => perRegret?.tokens,
    style: series.second,
  },
  {
    heading: "An accepted environment",
    label: "seconds",
    of: ({ perAccepted }) => perAccepted?.seconds,
    style: series.first,
  },
  {
    heading: "A point of regret",
    label: "seconds",
    of: ({ perRegret }) => perRegret?.seconds,
    style: series.second,
  },
];

/** By rollout; none where no rollout has both a cost and something that came of it. */
function unitPanel(
  units: readonly UnitCost[],
  { heading, label, of, style }: typeof unitLines[number],
  width: number,
): Panel[] {
  const rows = units.flatMap((unit) => {
    const value = of(unit);
    return unit.rollout === undefined || value === undefined
      ? []
      : [{ rollout: unit.rollout, value }];
  });
  if (!rows.some(({ value }) => value > 0)) return [];
  return [drawPanel({
    ...margins,
    width,
    height: 200,
    x: rolloutAxis(rows.map(({ rollout }) => rollout), width),
    y: axisUp(label, { zero: true, nice: true, ticks: 5, tickFormat: tickLarge }),
    marks: [
      grid(),
      ...lineMarks(rows, { x: ({ rollout }) => rollout, y: ({ value }) => value, style }),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  }, `${heading}, by rollout`)];
}
