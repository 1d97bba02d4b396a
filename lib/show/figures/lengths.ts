/** How long plays and replies are. @module */
import * as Plot from "@observablehq/plot";
import type { Spread, TokenLengths, TurnLengths } from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatNumber, formatShare } from "../format.ts";
import { colour, series, type SeriesStyle } from "../style.ts";
import {
  axisUp,
  bandMarks,
  counted,
  type FigureOptions,
  grid,
  layout,
  lineMarks,
  margins,
  rolloutAxis,
} from "./parts.ts";

type Row = Spread & { rollout: number; name: string };

const styles: Record<string, SeriesStyle> = {
  plain: series.first,
  hinted: series.second,
  agent: series.first,
  designer: series.second,
  hint: series.third,
  screen: series.fourth,
};

/**
 * Turns of plays by arm ({@linkcode turnLengths}) and tokens of replies by role ({@linkcode tokenLengths}).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { turnLengths } from "../../analysis/mod.ts";
 * const play = { rollout: 0, arm: "plain" as const, truncated: false };
 * const turns = turnLengths([{ ...play, turns: 2 }, { ...play, turns: 4 }]);
 * assert.match(lengthsFigure({ turns, tokens: [] }).text, /^turns of a play, plain: mean 3\.0/);
 * ```
 */
export function lengthsFigure(
  { turns, tokens }: { turns: readonly TurnLengths[]; tokens: readonly TokenLengths[] },
  options: FigureOptions = {},
): Figure {
  const sets = [
    { heading: "Turns of a play", rows: turns.map((row): Row => ({ ...row, name: row.arm })) },
    {
      heading: "Tokens of the agent's replies",
      rows: tokens.filter(({ role }) => role === "agent")
        .map((row): Row => ({ ...row, name: row.role })),
    },
    {
      heading: "Tokens of other replies",
      rows: tokens.filter(({ role }) => role !== "agent")
        .map((row): Row => ({ ...row, name: row.role })),
    },
  ].filter(({ rows }) => rows.length > 0);
  const { width, panel } = layout(options, Math.max(1, sets.length));
  const names = [...new Set(sets.flatMap(({ rows }) => rows.map(({ name }) => name)))];
  const truncated = total(turns.map((row) => row.truncated));
  const cut = total(tokens.map((row) => row.cut));
  const n = (rows: readonly Spread[]) => rows.reduce((sum, row) => sum + row.n, 0);
  return composeFigure({
    title: "Lengths of plays and replies",
    subtitle: `Mean, and 5 to 95 % shaded; n = ${counted(n(turns), "play")}, ${
      counted(n(tokens), "reply", "replies")
    }.`,
    // The agent has a panel of its own.
    legend: names.filter((name) => name !== "agent").map((name) => ({
      label: name,
      style: styles[name] ?? series.fourth,
    })),
    panels: sets.map(({ heading, rows }) => lengthPanel(rows, heading, panel)),
    caption: sets.length === 0
      ? "No play and no reply is stored."
      : turns.length > 0
      ? `Plays that a limit or the program cut: ${formatShare(truncated)}.`
      : undefined,
    warnings: cut.count > 0
      ? [
        `${formatCount(cut.count)} of ${
          counted(cut.of, "reply", "replies")
        } were cut at their token limit`,
      ]
      : [],
    text: sets.flatMap(({ heading, rows }) =>
      [
        ...new Set(rows.map(({ name }) => name)),
      ].map((name) => {
        const of = rows.filter((row) => row.name === name);
        const mean = of.reduce((sum, row) => sum + row.mean * row.n, 0) / n(of);
        return `${heading.toLowerCase()}, ${name}: mean ${formatNumber(mean, 1)}, ` +
          `first rollout ${formatNumber(of[0].mean, 1)}, last ${
            formatNumber(of[of.length - 1].mean, 1)
          }, n = ${n(of)}`;
      })
    ).join("\n") || "nothing stored",
    width,
  });
}

function total(shares: readonly { count: number; of: number }[]) {
  const count = shares.reduce((sum, share) => sum + share.count, 0);
  const of = shares.reduce((sum, share) => sum + share.of, 0);
  return { count, of, share: of > 0 ? count / of : undefined };
}

function lengthPanel(rows: readonly Row[], heading: string, width: number): Panel {
  const x = ({ rollout }: Row) => rollout;
  const names = [...new Set(rows.map(({ name }) => name))];
  return drawPanel({
    ...margins,
    width,
    height: 230,
    x: rolloutAxis(rows.map(x), width),
    y: axisUp(heading.startsWith("Turns") ? "turns" : "tokens", {
      zero: true,
      nice: true,
      ticks: 5,
    }),
    marks: [
      grid(),
      ...names.flatMap((name) => {
        const of = rows.filter((row) => row.name === name), style = styles[name] ?? series.fourth;
        return [
          ...bandMarks(of, { x, low: ({ low }) => low, high: ({ high }) => high, style }),
          ...lineMarks(of, { x, y: ({ mean }) => mean, style }),
        ];
      }),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  }, heading);
}
