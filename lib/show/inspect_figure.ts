/** An environment's win rates and regret over the rollouts that played it. @module */
import * as Plot from "@observablehq/plot";
import { type EnvironmentDetail, type Share, shareOf } from "../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "./compose.ts";
import type { Figure } from "./figure.ts";
import { formatChange, formatCount, formatInterval, formatShare } from "./format.ts";
import { colour, series, widths } from "./style.ts";

const styles = {
  plain: { ...series.first, unjoined: true },
  hinted: { ...series.second, unjoined: true },
} as const;

interface Rate extends Share {
  rollout: number;
  arm: "plain" | "hinted";
}

/** Wins among scored plays by rollout and arm, with Wilson intervals, and each measured regret with its own. */
export function environmentFigure(
  detail: EnvironmentDetail,
  options: { width?: number } = {},
): Figure {
  const { width = widths.wide } = options;
  const { rates, unscored } = winRates(detail);
  const regrets = detail.regrets.flatMap(({ rollout, outcome, low, high }) =>
    outcome.kind === "scored" ? [{ rollout, value: outcome.value, low, high }] : []
  );
  const panelWidth = width >= 600 ? Math.floor(width / 2) : width;
  const plays = rates.reduce((sum, { of }) => sum + of, 0);
  const lost = detail.regrets.length - regrets.length;
  const words = [
    ...rates.map((r) => `${place(r.rollout)}, ${r.arm}: ${formatShare(r)} won`),
    ...regrets.map((r) =>
      `${place(r.rollout)}: regret ${formatChange(r.value)} ${formatInterval(r)}`
    ),
  ];
  return composeFigure({
    title: regrets.length > 0 ? "Win rate and regret by rollout" : "Win rate by rollout",
    subtitle: `n = ${formatCount(plays)} scored plays. Bars: 95 % intervals (win rate: Wilson; ` +
      "regret: over pairs of one seed).",
    legend: [
      { label: "plain", style: styles.plain },
      { label: "hinted", style: styles.hinted },
      ...(regrets.length > 0 ? [{ label: "regret: hinted − plain", style: regretStyle }] : []),
    ],
    panels: [
      ratePanel(rates, panelWidth),
      ...(regrets.length > 0 ? [regretPanel(regrets, panelWidth)] : []),
    ],
    warnings: [
      ...(unscored > 0 ? [`plays without a score, in no rate: ${formatCount(unscored)}`] : []),
      ...(lost > 0 ? [`regrets that could not be measured: ${formatCount(lost)}`] : []),
    ],
    text: words.join("; "),
    width,
  });
}

const regretStyle = { ...series.third, filled: true, unjoined: true } as const;

function winRates({ pairs }: EnvironmentDetail): { rates: Rate[]; unscored: number } {
  const plays = pairs.flatMap(({ plain, hinted }) => [plain, hinted])
    .filter((play) => play !== undefined);
  const scored = plays.filter(({ outcome }) => outcome.kind === "scored");
  const groups = Map.groupBy(scored, ({ rollout, arm }) => `${rollout}/${arm}`);
  const rates = [...groups.values()].map((of): Rate => ({
    rollout: of[0].rollout,
    arm: of[0].arm,
    ...shareOf(of.filter(({ success }) => success).length, of.length),
  }));
  return { rates, unscored: plays.length - scored.length };
}

const margins = { marginLeft: 42, marginRight: 14, marginTop: 22, marginBottom: 38 };

/** Plays outside a run belong to no rollout. */
function place(rollout: number): string {
  return rollout < 0 ? "here" : `rollout ${rollout}`;
}

/** Rollouts as places on the axis: those between were not played. */
function rolloutAxis(rollouts: readonly number[]) {
  const domain = [...new Set(rollouts)].sort((a, b) => a - b);
  // Tick labels that would run into one another are left out.
  const every = Math.ceil(domain.length / 8);
  return {
    domain,
    label: "rollout",
    labelArrow: "none" as const,
    labelAnchor: "center" as const,
    type: "point" as const,
    tickFormat: (rollout: number) => rollout < 0 ? "here" : String(rollout),
    ticks: domain.filter((_, i) => i % every === 0),
  };
}

function ratePanel(rates: readonly Rate[], width: number): Panel {
  const marks = (["plain", "hinted"] as const).flatMap((arm) => {
    const of = rates.filter((r) => r.arm === arm), style = styles[arm];
    const stroke = colour(style.colour), dx = arm === "plain" ? -4 : 4;
    return [
      Plot.ruleX(of, { x: "rollout", y1: "low", y2: "high", stroke, strokeWidth: 1.5, dx }),
      Plot.dot(of, {
        x: "rollout",
        y: "share",
        symbol: style.symbol,
        stroke,
        fill: style.filled ? stroke : colour("paper"),
        r: 4.5,
        dx,
      }),
    ];
  });
  return drawPanel({
    ...margins,
    width,
    height: 190,
    x: rolloutAxis(rates.map(({ rollout }) => rollout)),
    y: { domain: [0, 1], label: "↑ win rate", labelArrow: "none", ticks: 5 },
    marks: [Plot.gridY({ stroke: colour("rule"), strokeOpacity: 1, ticks: 5 }), ...marks],
  });
}

function regretPanel(
  regrets: readonly { rollout: number; value: number; low: number | null; high: number | null }[],
  width: number,
): Panel {
  const stroke = colour(regretStyle.colour);
  const ends = regrets.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  return drawPanel({
    ...margins,
    width,
    height: 190,
    x: rolloutAxis(regrets.map(({ rollout }) => rollout)),
    y: {
      domain: [Math.min(-0.5, ...ends), Math.max(1, ...ends)],
      label: "↑ regret",
      labelArrow: "none",
      ticks: 5,
    },
    marks: [
      Plot.gridY({ stroke: colour("rule"), strokeOpacity: 1, ticks: 5 }),
      Plot.ruleY([0], { stroke: colour("muted"), strokeDasharray: "4 3" }),
      Plot.ruleX(regrets.filter(({ low }) => low !== null), {
        x: "rollout",
        y1: "low",
        y2: "high",
        stroke,
        strokeWidth: 1.5,
      }),
      Plot.dot(regrets, {
        x: "rollout",
        y: "value",
        symbol: "square",
        stroke,
        fill: stroke,
        r: 4.5,
      }),
    ],
  });
}
