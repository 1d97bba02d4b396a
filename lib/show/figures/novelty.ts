/** How far programs are from what the designer was shown and from all that came before. @module */
import * as Plot from "@observablehq/plot";
import { type Novelty, quantileSorted } from "../../analysis/mod.ts";
import type { Outcome } from "../../core/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatNumber } from "../format.ts";
import { colour, series, type SeriesStyle } from "../style.ts";
import type { DiversityFigureOptions } from "./diversity.ts";
import {
  axisUp,
  counted,
  grid,
  labelOf,
  layout,
  margins,
  omittedWarning,
  rolloutAxis,
} from "./parts.ts";

interface Point {
  rollout: number;
  distance: number;
}

/**
 * Distance of each program to the nearest seed shown and to the nearest earlier program, with the median by rollout.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(noveltyFigure([]).text, /^nearest seed: median –, n = 0/);
 * ```
 */
export function noveltyFigure(
  novelty: readonly Novelty[],
  options: DiversityFigureOptions = {},
): Figure {
  const { width, panel } = layout(options, 2);
  const seeds = pointsOf(novelty, ({ fromSeeds }) => fromSeeds);
  const earlier = pointsOf(novelty, ({ fromEarlier }) => fromEarlier);
  const top = Math.max(0.1, ...[...seeds, ...earlier].map(({ distance }) => distance));
  const strangers =
    novelty.filter(({ fromSeeds }) =>
      fromSeeds.kind === "skipped" && fromSeeds.reason === "seeds unknown"
    ).length;
  const unshown = novelty.length - seeds.length - strangers;
  const kernel = options.kernel === undefined ? "" : ` Kernel: ${labelOf(options.kernel, 60)}.`;
  const rollouts = novelty.map(({ rollout }) => rollout);
  return composeFigure({
    title: "Novelty: distance to the nearest seed and to earlier programs",
    subtitle: `Distance is 1 − similarity; n = ${counted(novelty.length, "program")}.${kernel}`,
    legend: novelty.length === 0 ? [] : [
      { label: "a program", style: { ...series.plain, symbol: "circle", unjoined: true } },
      { label: "median, seeds shown", style: series.second },
      { label: "median, all earlier", style: series.first },
    ],
    panels: novelty.length === 0 ? [] : [
      distancePanel(seeds, rollouts, series.second, top, panel, "Nearest seed it was shown"),
      distancePanel(earlier, rollouts, series.first, top, panel, "Nearest earlier program"),
    ],
    caption: novelty.length === 0
      ? "No program was accepted."
      : unshown > 0
      ? `Written without a seed: ${counted(unshown, "program")}.`
      : undefined,
    warnings: [
      ...omittedWarning(options.omitted),
      ...(strangers > 0
        ? [`the seeds of ${counted(strangers, "program")} are unknown, not drawn on the left`]
        : []),
    ],
    text: [
      ["nearest seed", seeds] as const,
      ["nearest earlier program", earlier] as const,
    ].map(([name, points]) =>
      `${name}: median ${formatNumber(medianOf(points), 3)}, n = ${points.length}; by rollout ${
        medians(points).map(({ rollout, median }) => `${rollout}: ${formatNumber(median, 3)}`)
          .join(", ") || "–"
      }`
    ).join("\n"),
    width,
  });
}

function pointsOf(novelty: readonly Novelty[], outcome: (row: Novelty) => Outcome): Point[] {
  return novelty.flatMap((row) => {
    const of = outcome(row);
    return of.kind === "scored" ? [{ rollout: row.rollout, distance: of.value }] : [];
  });
}

function medianOf(points: readonly Point[]): number {
  return quantileSorted(points.map(({ distance }) => distance).sort((a, b) => a - b), 0.5);
}

function medians(points: readonly Point[]): { rollout: number; median: number }[] {
  const rollouts = [...new Set(points.map(({ rollout }) => rollout))].sort((a, b) => a - b);
  return rollouts.map((rollout) => ({
    rollout,
    median: medianOf(points.filter((point) => point.rollout === rollout)),
  }));
}

function distancePanel(
  points: readonly Point[],
  rollouts: readonly number[],
  style: SeriesStyle,
  top: number,
  width: number,
  heading: string,
): Panel {
  const line = medians(points);
  return drawPanel({
    ...margins,
    width,
    height: 240,
    x: rolloutAxis(rollouts, width),
    y: axisUp("distance", { domain: [0, top * 1.08], ticks: 5 }),
    marks: [
      grid(),
      Plot.dot(points, {
        x: "rollout",
        y: "distance",
        r: 2.2,
        stroke: colour("muted"),
        strokeOpacity: 0.7,
      }),
      Plot.lineY(line, {
        x: "rollout",
        y: "median",
        stroke: colour(style.colour),
        strokeWidth: 2,
        strokeDasharray: style.dash,
      }),
      Plot.dot(line, {
        x: "rollout",
        y: "median",
        symbol: style.symbol === "none" ? "circle" : style.symbol,
        stroke: colour(style.colour),
        fill: style.filled ? colour(style.colour) : colour("paper"),
        r: 3.5,
      }),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  }, heading);
}
