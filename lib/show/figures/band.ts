/**
 * Figure 2: win rates of the environments against the target band, and the share of environments in it.
 * @module
 */
import * as Plot from "@observablehq/plot";
import {
  type BandShare,
  bandShares,
  chanceInBand,
  type PlayReturn,
  type TargetBand,
  targetBand,
  type WinRate,
  winRates,
} from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { FigureOptions } from "./parts.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatPercent } from "../format.ts";
import { colour, series, widths } from "../style.ts";

/** What is pooled, and against what. */
export interface BandFigureOptions extends FigureOptions {
  /** Target of the win rate. @default .4 to .6 */
  band?: TargetBand;
  /** Rollouts pooled in a column, usually the epoch length. @default 1 */
  every?: number;
}

/**
 * Win rate of every environment by rollout, as counted circles, over the shaded band.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../../core/mod.ts";
 * const play = (environmentId: string, value: number) =>
 *   ({ rollout: 0, environmentId, arm: "plain" as const, outcome: scored(value) });
 * const { text } = bandFigure([play("a", 0), play("a", 1), play("b", 1)]);
 * assert.equal(text, "rollout 0: 50 % of 2 in band, 0 % below, 50 % above");
 * ```
 */
export function bandFigure(
  plays: readonly PlayReturn[],
  options: BandFigureOptions = {},
): Figure {
  const { band = targetBand, width = widths.wide } = options;
  const every = options.every ?? 1;
  const rates = winRates(plays, { band, every });
  const shares = bandShares(rates);
  const missing = shares.reduce((sum, s) => sum + s.missing, 0);
  const plain = plays.filter((p) => p.arm === "plain");
  const unscored = plain.filter((p) => p.outcome.kind !== "scored").length;
  const n = `${formatCount(new Set(rates.map((r) => r.environmentId)).size)} environments, ` +
    `${formatCount(plain.length)} plain plays`;
  const pooled = every > 1 ? `, pooled over ${every} rollouts (one epoch)` : "";
  const warnings = [];
  if (unscored > 0) {
    warnings.push(
      `${formatCount(unscored)} of ${formatCount(plain.length)} plays have no score, left out`,
    );
  }
  if (missing > 0) warnings.push(`${missing} environments without a scored play are not drawn`);
  const empty = shares.length === 0;
  const sizes = rates.map((r) => r.scored).sort((a, b) => a - b);
  const typical = sizes[Math.floor(sizes.length / 2)] ?? 0;
  return composeFigure({
    title: `Win rate of environments against the target band ${band.low}–${band.high}`,
    subtitle: `Plays without hint${pooled}; n = ${n}. Circle area: number of environments.`,
    legend: empty ? [] : [
      { label: "median", style: { ...series.plain, colour: "ink", dash: undefined } },
      { label: "share in band", style: series.first },
      { label: "below (too hard)", style: series.second },
      { label: "above (too easy)", style: series.third },
    ],
    panels: empty ? [] : [
      ratePanel(rates, shares, band, every, width),
      sharePanel(shares, every, width),
    ],
    caption: empty
      ? "No plain plays are stored in this run."
      : `Chance spreads win rates: a true rate of .5 measured on ${typical} plays lies in the ` +
        `band in ${formatPercent(chanceInBand(typical, band))} of cases.`,
    warnings,
    text: shares.map((s) =>
      `rollout ${s.rollout}: ${formatPercent(s.inside.share)} of ${s.environments} in band, ` +
      `${formatPercent(s.below.share)} below, ${formatPercent(s.above.share)} above`
    ).join("; ") || "nothing played",
    width,
  });
}

function frame(width: number, shares: readonly BandShare[], every: number) {
  const first = shares[0].rollout, last = shares[shares.length - 1].rollout;
  const domain = [first - every * 0.7, last + every * 0.7];
  const ticks = Math.min(last - first + 1, width > 500 ? 12 : 6);
  const x = {
    domain,
    label: "rollout",
    labelArrow: "none" as const,
    labelAnchor: "center" as const,
    ticks,
    tickFormat: "d",
  };
  return { width, marginLeft: 42, marginRight: 14, x };
}

function ratePanel(
  rates: readonly WinRate[],
  shares: readonly BandShare[],
  band: TargetBand,
  every: number,
  width: number,
): Panel {
  const base = frame(width, shares, every);
  const room = (width - 56) / ((base.x.domain[1] - base.x.domain[0]) / every);
  const cells = new Map<string, { rollout: number; winRate: number; count: number }>();
  for (const { rollout, winRate } of rates) {
    if (winRate === undefined) continue;
    // A grid of sixteenths keeps the circles apart; only failed plays fall between its lines.
    const at = Math.round(winRate * 16) / 16, key = `${rollout}/${at}`;
    const cell = cells.get(key) ?? { rollout, winRate: at, count: 0 };
    cell.count += 1;
    cells.set(key, cell);
  }
  const circles = [...cells.values()];
  const most = Math.max(...circles.map((c) => c.count));
  const radius = Math.max(2.2, Math.min(9, room * 0.62));
  return drawPanel({
    ...base,
    height: 270,
    marginTop: 22,
    marginBottom: 22,
    x: { ...base.x, label: null },
    y: { domain: [0, 1], label: "↑ win rate", labelArrow: "none", ticks: 6 },
    r: { type: "sqrt", domain: [0, most], range: [0, radius] },
    marks: [
      Plot.rect([band], {
        x1: base.x.domain[0],
        x2: base.x.domain[1],
        y1: "low",
        y2: "high",
        fill: colour("band"),
      }),
      Plot.ruleY([band.low, band.high], { stroke: colour("muted"), strokeDasharray: "4 3" }),
      Plot.dot(circles, {
        x: "rollout",
        y: "winRate",
        r: "count",
        fill: colour("first"),
        fillOpacity: 0.55,
        stroke: colour("first"),
        strokeWidth: 0.7,
      }),
      Plot.lineY(shares, {
        x: "rollout",
        y: (s: BandShare) => s.quartiles[1],
        stroke: colour("ink"),
        strokeWidth: 2,
      }),
    ],
  });
}

function sharePanel(shares: readonly BandShare[], every: number, width: number): Panel {
  const lines = [
    { style: series.second, share: (s: BandShare) => s.below.share },
    { style: series.third, share: (s: BandShare) => s.above.share },
    { style: series.first, share: (s: BandShare) => s.inside.share },
  ];
  const sparse = Math.ceil(shares.length / (width > 500 ? 14 : 7));
  const base = frame(width, shares, every);
  return drawPanel({
    ...base,
    height: 190,
    marginTop: 26,
    marginBottom: 38,
    y: { domain: [0, 1], label: "↑ share of environments", labelArrow: "none", ticks: 4 },
    marks: [
      Plot.gridY({ stroke: colour("rule"), strokeOpacity: 1, ticks: 4 }),
      ...lines.flatMap(({ style, share }) => [
        Plot.lineY(shares, {
          x: "rollout",
          y: share,
          stroke: colour(style.colour),
          strokeWidth: 2,
          strokeDasharray: "dash" in style ? style.dash : undefined,
        }),
        // A marker here and there tells the lines apart; every point would hide them.
        Plot.dot(shares.filter((_, i) => i % sparse === 0), {
          x: "rollout",
          y: share,
          symbol: style.symbol,
          stroke: colour(style.colour),
          fill: style.filled ? colour(style.colour) : colour("paper"),
          r: 3.5,
        }),
      ]),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  });
}
