/**
 * Figure 3: the distribution of measured regrets, and the clipped signal the designer was paid beside its noise floor.
 * @module
 */
import * as Plot from "@observablehq/plot";
import type { RecordOf } from "../../core/mod.ts";
import {
  type RegretBin,
  regretByRollout,
  regretHistogram,
  type RegretOptions,
  regretSummary,
  regretValues,
  signalScale,
} from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatEstimate, formatNumber, formatPercent } from "../format.ts";
import { colour, series, widths } from "../style.ts";

type Summary = ReturnType<typeof regretSummary>;

/**
 * Histogram of regret (not clipped) and mean clipped signal by rollout over its noise floor.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(regretFigure([]).text, "nothing measured");
 * ```
 */
export function regretFigure(
  regrets: readonly RecordOf<"regret">[],
  options: RegretOptions & { width?: number } = {},
): Figure {
  const { width = widths.wide } = options;
  const all = regretSummary(regrets, options);
  const byRollout = regretByRollout(regrets, options).filter((r) => r.signal.mean !== undefined);
  const values = regretValues(regrets);
  const empty = values.length === 0;
  const missing = all.regret.failed + all.regret.skipped;
  const panelWidth = width >= 600 ? Math.floor(width / 2) : width;
  const warnings = [];
  if (missing > 0) {
    warnings.push(`${missing} of ${formatCount(regrets.length)} regrets are missing, left out`);
  }
  if (all.withoutInterval > 0) {
    warnings.push(`${formatCount(all.withoutInterval)} regrets have no interval of their own`);
  }
  return composeFigure({
    title: "Regret (hinted minus plain return) and the signal it pays",
    subtitle: `n = ${formatCount(values.length)} environments measured, ` +
      `${formatNumber(all.pairs, 1)} pairs each. Intervals: 95 % cluster bootstrap.`,
    legend: empty ? [] : [
      { label: "mean with interval", style: series.first },
      { label: "noise floor: expected at zero true regret", style: floorStyle },
      ...(all.shrunk ? [{ label: "shrunk by its error", style: shrunkStyle }] : []),
    ],
    panels: empty ? [] : [
      histogramPanel(regretHistogram(regrets), all, panelWidth),
      signalPanel(byRollout, panelWidth),
    ],
    caption: empty
      ? "No regret was measured in this run."
      : `Mean regret ${formatEstimate(all.regret)}; mean signal ${formatEstimate(all.signal)}, ` +
        `noise floor ${formatNumber(all.noiseFloor)}${shrunkText(all)}. Own interval above zero: ` +
        `${formatPercent(all.above.share)} of ${formatCount(all.above.of)}, ` +
        `below zero: ${formatPercent(all.below.share)}.`,
    warnings,
    text: empty
      ? "nothing measured"
      : `mean regret ${formatEstimate(all.regret)}, quantiles 5, 25, 50, 75, 95 %: ` +
        `${all.quantiles.map((q) => formatNumber(q)).join(", ")}; mean signal ` +
        `${formatEstimate(all.signal)}, noise floor ${formatNumber(all.noiseFloor)}${
          shrunkText(all)
        }`,
    width,
  });
}

const floorStyle = { ...series.second, symbol: "none", filled: false } as const;
const shrunkStyle = { ...series.third, symbol: "none", filled: false } as const;

function shrunkText(all: Summary): string {
  return all.shrunk === undefined
    ? ""
    : `; shrunk by its error ${formatEstimate(all.shrunk)}, floor ${formatNumber(all.shrunkFloor)}`;
}

function histogramPanel(bins: readonly RegretBin[], all: Summary, width: number): Panel {
  const top = Math.max(...bins.flatMap((b) => [b.count, b.byChance])) * 1.12;
  const interval = all.regret;
  const zone = [{ x1: 0, x2: signalScale, y: top }];
  const outline = bins.flatMap((b) => [
    { x: b.low, y: b.byChance },
    { x: b.high, y: b.byChance },
  ]);
  return drawPanel({
    width,
    height: 280,
    marginLeft: 46,
    marginRight: 12,
    marginTop: 24,
    marginBottom: 38,
    x: {
      domain: [bins[0].low, bins[bins.length - 1].high],
      label: "regret",
      labelArrow: "none",
      labelAnchor: "center",
      ticks: 6,
      tickFormat: "+.1f",
    },
    y: { domain: [0, top], label: "↑ environments", labelArrow: "none", ticks: 5 },
    marks: [
      Plot.rect(zone, { x1: "x1", x2: "x2", y1: 0, y2: "y", fill: colour("band") }),
      Plot.rect(bins, {
        x1: "low",
        x2: "high",
        y1: 0,
        y2: "count",
        inset: 0.5,
        fill: colour("muted"),
        fillOpacity: 0.35,
        stroke: colour("muted"),
      }),
      Plot.line(outline, {
        x: "x",
        y: "y",
        stroke: colour("second"),
        strokeWidth: 1.8,
        strokeDasharray: floorStyle.dash,
      }),
      Plot.ruleY([0], { stroke: colour("ink") }),
      Plot.ruleX([0], { stroke: colour("ink"), strokeWidth: 1.5 }),
      Plot.link(interval.low === undefined ? [] : [interval], {
        x1: "low",
        x2: "high",
        y1: top * 0.965,
        y2: top * 0.965,
        stroke: colour("first"),
        strokeWidth: 2.5,
      }),
      Plot.dot([interval], {
        x: "mean",
        y: top * 0.965,
        r: 4.5,
        fill: colour("first"),
        stroke: colour("paper"),
      }),
    ],
  }, `Distribution; grey: signal rises 0 to 1`);
}

function signalPanel(by: readonly (Summary & { rollout: number })[], width: number): Panel {
  const points = by.map((s) => ({
    rollout: s.rollout,
    mean: s.signal.mean,
    low: s.signal.low,
    high: s.signal.high,
    floor: s.noiseFloor,
    shrunk: s.shrunk?.mean,
  }));
  const held = points.filter((p) => p.low !== undefined);
  const floors = points.filter((p) => p.floor !== undefined);
  const stroke = colour("first");
  const last = points[points.length - 1].rollout;
  return drawPanel({
    width,
    height: 280,
    marginLeft: 42,
    marginRight: 14,
    marginTop: 24,
    marginBottom: 38,
    x: {
      domain: [-1, Math.max(1, last) + 1],
      label: "rollout",
      labelArrow: "none",
      labelAnchor: "center",
      ticks: Math.min(last + 1, 6),
      tickFormat: "d",
    },
    y: { domain: [0, 1], label: "↑ clipped signal", labelArrow: "none", ticks: 6 },
    marks: [
      Plot.gridY({ stroke: colour("rule"), strokeOpacity: 1 }),
      Plot.ruleX(held, { x: "rollout", y1: "low", y2: "high", stroke, strokeOpacity: 0.5 }),
      Plot.lineY(points, { x: "rollout", y: "mean", stroke, strokeWidth: 1.5 }),
      Plot.dot(points, { x: "rollout", y: "mean", fill: stroke, r: points.length > 20 ? 2.6 : 4 }),
      Plot.lineY(floors, {
        x: "rollout",
        y: "floor",
        stroke: colour("second"),
        strokeWidth: 2,
        strokeDasharray: floorStyle.dash,
      }),
      Plot.lineY(points.filter((p) => p.shrunk !== undefined), {
        x: "rollout",
        y: "shrunk",
        stroke: colour("third"),
        strokeWidth: 2,
        strokeDasharray: shrunkStyle.dash,
      }),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  }, `Signal = regret/${signalScale} clipped to 0–1`);
}
