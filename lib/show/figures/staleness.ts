/** How far the sampler stood from the trainer, and how old the samples were. @module */
import * as Plot from "@observablehq/plot";
import {
  type RunTables,
  type Staleness,
  stalenessByUpdate,
  type UpdateDifference,
  updateDifferences,
} from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatNumber, formatPercent } from "../format.ts";
import { colour, series } from "../style.ts";
import {
  axisUp,
  counted,
  ends,
  type FigureOptions,
  grid,
  layout,
  lineMarks,
  margins,
  rolloutAxis,
} from "./parts.ts";

/**
 * Importance ratios of each update and the age, in updates, of what it trained.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(stalenessFigure({ play: [], reply: [], sample: [], update: [] }).text, "no update");
 * ```
 */
export function stalenessFigure(
  tables: Pick<RunTables, "play" | "reply" | "sample" | "update">,
  options: FigureOptions = {},
): Figure {
  const { width, panel } = layout(options, 3);
  const updates = updateDifferences(tables.update), ages = stalenessByUpdate(tables);
  const zero = updates.reduce((sum, { zeroLogps }) => sum + zeroLogps, 0);
  const mixed = ages.reduce((sum, row) => sum + row.mixed.count, 0);
  const plays = ages.filter(({ role }) => role === "agent").reduce((sum, { n }) => sum + n, 0);
  const worst = ends(updates.map(({ maxRatio }) => maxRatio)).last;
  const rollouts = updates.map(({ rollout }) => rollout);
  return composeFigure({
    title: "Sampler against trainer: importance ratios and age of samples",
    subtitle: `Ratio: the trainer's probability of a token over the sampler's; n = ${
      counted(updates.length, "update")
    }, ${counted(plays, "play")}.`,
    legend: ages.length === 0 ? [] : [
      { label: "agent: plays", style: series.first },
      { label: "designer: replies", style: series.second },
    ],
    panels: updates.length === 0 ? [] : [
      ratioPanel(updates, "mean |ln ratio|", ({ meanDifference }) => meanDifference, 0, panel),
      ratioPanel(updates, "largest ratio", ({ maxRatio }) => maxRatio, 1, panel),
      ...(ages.length === 0 ? [] : [agePanel(ages, rollouts, panel)]),
    ],
    caption: updates.length === 0
      ? "No update is stored."
      : `Weights clipped in ${
        formatPercent(ends(updates.map(({ clippedShare }) => clippedShare)).last, 1)
      } of tokens at most.`,
    warnings: [
      ...(zero > 0 ? [`${counted(zero, "token")} had sampler probability 0`] : []),
      ...(mixed > 0
        ? [`weights changed during ${formatCount(mixed)} of ${counted(plays, "play")}`]
        : []),
    ],
    text: updates.length === 0 ? "no update" : [
      `mean |ln ratio| ${
        updates.map(({ meanDifference }) => meanDifference.toPrecision(2)).join(", ")
      }`,
      `largest ratio ${formatNumber(worst, 3)}`,
      ...(["agent", "designer"] as const).flatMap((role) => {
        const of = ages.filter((row) => row.role === role);
        if (of.length === 0) return [];
        const n = of.reduce((sum, row) => sum + row.n, 0);
        const mean = of.reduce((sum, row) => sum + row.meanAge * row.n, 0) / n;
        const oldest = ends(of.map(({ maxAge }) => maxAge)).last;
        return [
          `${role} samples: mean age ${formatNumber(mean)} updates, oldest ${oldest}, n = ${n}`,
        ];
      }),
    ].join("\n"),
    width,
  });
}

function ratioPanel(
  updates: readonly UpdateDifference[],
  name: string,
  y: (update: UpdateDifference) => number,
  least: number,
  width: number,
): Panel {
  const { first, last } = ends(updates.map(y));
  const domain = [Math.min(least, first), Math.max(least + 1e-6, last)];
  const style = { ...series.third, colour: "ink" as const, dash: undefined };
  return drawPanel({
    ...margins,
    width,
    height: 220,
    marginLeft: 56,
    x: rolloutAxis(updates.map(({ rollout }) => rollout), width),
    y: axisUp(name, { nice: true, domain, ticks: 5 }),
    marks: [grid(), ...lineMarks(updates, { x: ({ rollout }) => rollout, y, style })],
  });
}

function agePanel(ages: readonly Staleness[], rollouts: readonly number[], width: number): Panel {
  const top = Math.max(1, ends(ages.map(({ maxAge }) => maxAge)).last);
  return drawPanel({
    ...margins,
    width,
    height: 220,
    x: rolloutAxis(rollouts, width),
    y: axisUp("mean age, updates", { domain: [0, top * 1.15], ticks: Math.min(6, top + 1) }),
    marks: [
      grid(Math.min(6, top + 1)),
      ...(["agent", "designer"] as const).flatMap((role) =>
        lineMarks(ages.filter((row) => row.role === role), {
          x: ({ rollout }) => rollout,
          y: ({ meanAge }) => meanAge,
          style: role === "agent" ? series.first : series.second,
        })
      ),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  });
}
