/**
 * Figure 1: held-out return by number of updates, sampled and greedy, seen and unseen families, with intervals.
 * @module
 */
import * as Plot from "@observablehq/plot";
import { type CurvePoint, type Evaluation, learningCurve, type Mode } from "../../analysis/mod.ts";
import type { HeldoutOptions } from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatEstimate } from "../format.ts";
import { colour, series, type SeriesStyle, widths } from "../style.ts";

const styles: Record<"seen" | "unseen", SeriesStyle> = {
  seen: series.first,
  unseen: series.second,
};
const modeNames: Record<Mode, string> = {
  sampled: "Sampled at temperature 1",
  greedy: "Greedy",
};

/**
 * Learning curve on a held-out set. Draws an empty frame that says so where nothing was evaluated.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(learningFigure([]).text, "nothing evaluated");
 * ```
 */
export function learningFigure(
  evaluation: readonly Evaluation[],
  options: HeldoutOptions & { width?: number } = {},
): Figure {
  const { set = "dev", width = widths.wide } = options;
  const points = learningCurve(evaluation, options);
  const shown = points.filter((p) => p.part !== "all" && p.mean !== undefined);
  const modes = (["sampled", "greedy"] as const).filter((m) => shown.some((p) => p.mode === m));
  const values = shown.flatMap((p) => [p.mean!, p.low ?? p.mean!, p.high ?? p.mean!]);
  const most = Math.min(1, Math.ceil(Math.max(0.2, ...values) * 10 + 0.2) / 10);
  const least = Math.min(0, ...values);
  const last = Math.max(1, ...shown.map((p) => p.updates));
  const columns = width >= 600 ? Math.max(1, modes.length) : 1;
  const domains = { x: [0, last], y: [least, most] };
  const panels = modes.map((mode) =>
    modePanel(shown.filter((p) => p.mode === mode), mode, Math.floor(width / columns), domains)
  );
  const rows = evaluation.filter((r) => r.set === set);
  const dropped = rows.filter((r) => r.outcome.kind !== "scored").length;
  const environments = new Set(rows.map((r) => r.environmentId)).size;
  const n = `${formatCount(environments)} environments, ${formatCount(rows.length)} plays`;
  const bare = shown.filter((p) => p.low === undefined).length;
  return composeFigure({
    title: `Mean return on held-out environments (${set} set)`,
    subtitle: `By number of updates; n = ${n}. Shaded: 95 % cluster bootstrap over environments.`,
    legend: shown.length === 0 ? [] : [
      { label: "families the corpus knew (seen)", style: styles.seen },
      { label: "families it never saw (unseen)", style: styles.unseen },
    ],
    panels,
    caption: shown.length === 0 ? "No held-out evaluation is stored in this run." : undefined,
    warnings: [
      ...(dropped > 0
        ? [`${formatCount(dropped)} of ${formatCount(rows.length)} plays have no score, left out`]
        : []),
      ...(bare > 0 ? [`${bare} points have no interval (too few environments or no spread)`] : []),
    ],
    text: curveText(shown),
    width,
  });
}

function modePanel(
  points: readonly CurvePoint[],
  mode: Mode,
  width: number,
  domain: { x: number[]; y: number[] },
): Panel {
  const areas: Plot.Markish[] = [], lines: Plot.Markish[] = [];
  for (const part of ["seen", "unseen"] as const) {
    const of = points.filter((p) => p.part === part);
    const style = styles[part], stroke = colour(style.colour);
    const held = of.filter((p) => p.low !== undefined);
    areas.push(
      Plot.areaY(held, { x: "updates", y1: "low", y2: "high", fill: stroke, fillOpacity: 0.13 }),
      Plot.ruleX(held, { x: "updates", y1: "low", y2: "high", stroke, strokeOpacity: 0.45 }),
    );
    lines.push(
      Plot.lineY(of, {
        x: "updates",
        y: "mean",
        stroke,
        strokeWidth: 2,
        strokeDasharray: style.dash,
      }),
      Plot.dot(of, {
        x: "updates",
        y: "mean",
        symbol: style.symbol === "none" ? "circle" : style.symbol,
        stroke,
        fill: style.filled ? stroke : colour("paper"),
        r: 4,
      }),
    );
  }
  return drawPanel({
    width,
    height: 250,
    marginLeft: 42,
    marginRight: 16,
    marginTop: 22,
    marginBottom: 38,
    x: {
      domain: domain.x,
      label: "updates",
      labelArrow: "none",
      labelAnchor: "center",
      // whole updates only
      ticks: Math.min(width > 500 ? 10 : 6, Math.floor(domain.x[1] - domain.x[0])),
    },
    y: { domain: domain.y, label: "↑ mean return", labelArrow: "none", ticks: 6 },
    marks: [
      Plot.gridY({ stroke: colour("rule"), strokeOpacity: 1 }),
      ...areas,
      ...lines,
      Plot.ruleY([domain.y[0]], { stroke: colour("ink") }),
    ],
  }, modeNames[mode]);
}

function curveText(points: readonly CurvePoint[]): string {
  const lines = points.map((p) =>
    `${p.mode} ${p.part}, ${p.updates} updates: ${formatEstimate(p)} ` +
    `(${p.scored} scored, ${p.failed} failed, ${p.skipped} skipped)`
  );
  return lines.length > 0 ? lines.join("; ") : "nothing evaluated";
}
