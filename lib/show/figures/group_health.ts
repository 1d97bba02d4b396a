/** Groups that taught nothing, and how far advantages reach. @module */
import * as Plot from "@observablehq/plot";
import {
  type AdvantageTails,
  groupHealth,
  groupHealthByRollout,
  type PlayReturn,
  type RolloutHealth,
} from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatNumber, formatShare } from "../format.ts";
import { colour, fills, series } from "../style.ts";
import {
  axisUp,
  bandMarks,
  barsUp,
  counted,
  type FigureOptions,
  grid,
  layout,
  lineMarks,
  margins,
  rolloutAxis,
  stack,
} from "./parts.ts";

const parts = [
  { label: "all lost", style: fills.dark, share: (h: RolloutHealth) => h.allZero.count },
  { label: "all won", style: fills.middle, share: (h: RolloutHealth) => h.allOne.count },
  { label: "equal otherwise", style: fills.none, share: otherwise },
];

/**
 * Left, plain groups without spread by rollout: they move no weight. Right, with `advantages` of
 * {@linkcode advantageTails}: the range of the advantages that did.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../../core/mod.ts";
 * const play = (value: number) =>
 *   ({ rollout: 0, environmentId: "e", arm: "plain" as const, outcome: scored(value) });
 * assert.match(groupHealthFigure([play(0), play(0)]).text, /^all lost 100 % \(1 of 1\)/);
 * ```
 */
export function groupHealthFigure(
  plays: readonly PlayReturn[],
  advantages: readonly AdvantageTails[] = [],
  options: FigureOptions = {},
): Figure {
  const roles = (["agent", "designer"] as const)
    .filter((role) => advantages.some((row) => row.role === role));
  const { width, panel } = layout(options, roles.length > 0 ? 2 : 1);
  const health = groupHealthByRollout(plays), all = groupHealth(plays);
  const rows = health.filter(({ zeroSpread }) => zeroSpread.of > 0);
  const lost = plays.filter(({ arm, outcome }) => arm === "plain" && outcome.kind !== "scored");
  const plain = plays.filter(({ arm }) => arm === "plain").length;
  return composeFigure({
    title: "Groups without spread, and advantages",
    subtitle: `A group is one environment's plain plays in one rollout; n = ${
      counted(all.groups, "group")
    }, ${counted(plain, "play")}.`,
    legend: rows.length === 0 ? [] : [
      ...parts.map(({ label, style }) => ({ label, style })),
      ...roles.map((role) => ({ label: `${role} advantage`, style: styleOf(role) })),
    ],
    panels: [
      ...(rows.length === 0 ? [] : [healthPanel(rows, panel)]),
      ...(roles.length === 0 ? [] : [advantagePanel(advantages, roles, panel)]),
    ],
    caption: rows.length === 0
      ? "No group of two scored plain plays is stored."
      : roles.length === 0
      ? undefined
      : "Advantage: lines are 95 and 5 % quantiles, dots the largest and least. A group of n " +
        "plays bounds its own by √(n − 1).",
    warnings: [
      ...(all.short > 0
        ? [`${counted(all.short, "group")} with fewer than two scored plays, in no share`]
        : []),
      ...(lost.length > 0
        ? [`${formatCount(lost.length)} of ${counted(plain, "play")} have no score`]
        : []),
    ],
    text: [
      `all lost ${formatShare(all.allZero)}`,
      `all won ${formatShare(all.allOne)}`,
      `no spread ${formatShare(all.zeroSpread)}`,
      ...roles.map((role) => tailText(advantages.filter((row) => row.role === role), role)),
    ].join("\n"),
    width,
  });
}

function otherwise({ zeroSpread, allZero, allOne }: RolloutHealth): number {
  return zeroSpread.count - allZero.count - allOne.count;
}

function styleOf(role: AdvantageTails["role"]) {
  return role === "agent" ? series.first : series.second;
}

function tailText(rows: readonly AdvantageTails[], role: string): string {
  const n = rows.reduce((sum, row) => sum + row.n, 0);
  const beyond = rows.reduce((sum, row) => sum + row.tail.count, 0);
  const most = rows.reduce((top, row) => Math.max(top, Math.abs(row.least), row.most), 0);
  return `${role} advantages: ${beyond} of ${n} in the tails, largest size ${formatNumber(most)}`;
}

function healthPanel(rows: readonly RolloutHealth[], width: number): Panel {
  const stacked = stack(
    rows,
    ({ rollout }) => rollout,
    parts.map(({ share }) => (row: RolloutHealth) => share(row) / row.zeroSpread.of),
  );
  const top = Math.max(0.1, ...rows.map(({ zeroSpread }) => zeroSpread.share ?? 0));
  return drawPanel({
    ...margins,
    width,
    height: 250,
    x: rolloutAxis(rows.map(({ rollout }) => rollout), width),
    y: axisUp("share of groups", { domain: [0, Math.min(1, top * 1.15)], ticks: 5 }),
    marks: [
      grid(),
      ...stacked.flatMap((bars, i) => barsUp(bars, parts[i].style)),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  }, "Groups without spread");
}

function advantagePanel(
  advantages: readonly AdvantageTails[],
  roles: readonly AdvantageTails["role"][],
  width: number,
): Panel {
  const x = ({ rollout }: AdvantageTails) => rollout;
  return drawPanel({
    ...margins,
    width,
    height: 250,
    x: rolloutAxis(advantages.map(x), width),
    y: axisUp("advantage", { nice: true, ticks: 6 }),
    marks: [
      grid(6),
      ...roles.flatMap((role) => {
        const style = styleOf(role), rows = advantages.filter((row) => row.role === role);
        const ends = rows.flatMap((row) => [row.least, row.most].map((y) => ({ ...row, y })));
        return [
          ...bandMarks(rows, { x, low: ({ low }) => low, high: ({ high }) => high, style }),
          ...lineMarks(rows, { x, y: ({ high }) => high, style }),
          ...lineMarks(rows, { x, y: ({ low }) => low, style }),
          Plot.dot(ends, { x, y: "y", r: 1.3, fill: colour(style.colour) }),
        ];
      }),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  }, "Advantages of the units trained");
}
