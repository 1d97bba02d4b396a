/** Regret by skill: its mean with interval over the spread of single environments. @module */
import * as Plot from "@observablehq/plot";
import { regretBySkill, type RegretOptions } from "../../analysis/mod.ts";
import type { RecordOf } from "../../core/mod.ts";
import { composeFigure } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatEstimate, formatNumber } from "../format.ts";
import { colour, series } from "../style.ts";
import { intervalPanel } from "./interval_panel.ts";
import { counted, type FigureOptions, firstRows, labelOf, layout } from "./parts.ts";

/**
 * A row a skill, the largest mean first; `skills` names each environment's.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(regretBySkillFigure([], new Map()).text, "nothing measured");
 * ```
 */
export function regretBySkillFigure(
  regrets: readonly RecordOf<"regret">[],
  skills: ReadonlyMap<string, string>,
  options: RegretOptions & FigureOptions = {},
): Figure {
  const { width, isWide } = layout(options);
  const all = regretBySkill(regrets, skills, options)
    .filter(({ regret }) => regret.mean !== undefined)
    .sort((a, b) => b.regret.mean! - a.regret.mean!);
  const { shown, warnings } = firstRows(all, 24, "skill");
  const rows = shown.map((row, at) => ({ ...row, at }));
  const known = regrets.filter(({ environmentId }) => skills.has(environmentId));
  const missing = known.filter(({ outcome }) => outcome.kind !== "scored").length;
  const strangers = regrets.length - known.length;
  const bare = rows.filter(({ regret }) => regret.low === undefined).length;
  return composeFigure({
    title: "Regret (hinted minus plain return) by skill",
    subtitle:
      `n = ${counted(known.length - missing, "regret")} of ${counted(all.length, "skill")}.` +
      " Intervals: 95 % cluster bootstrap over environments.",
    legend: rows.length === 0 ? [] : [
      { label: "mean with interval", style: { ...series.first, unjoined: true } },
      { label: "middle half and 5–95 % of environments", style: spreadStyle },
    ],
    panels: rows.length === 0 ? [] : [intervalPanel(
      rows.map(({ skill, regret }) => ({
        ...regret,
        name: labelOf(skill, isWide ? 26 : 18),
        note: `n = ${formatCount(regret.scored)}`,
      })),
      {
        width,
        label: "regret",
        tickFormat: "+.1f",
        below: [spread(rows, 0, 4, 1.2), spread(rows, 1, 3, 7)],
      },
    )],
    caption: rows.length === 0 ? "No regret of a known skill was measured." : undefined,
    warnings: [
      ...warnings,
      ...(missing > 0 ? [`${missing} of ${counted(known.length, "regret")} are missing`] : []),
      ...(strangers > 0 ? [`${counted(strangers, "regret")} belong to no known skill`] : []),
      ...(bare > 0 ? [`${counted(bare, "mean")} without interval (too few environments)`] : []),
    ],
    text: rows.map(({ skill, regret, quantiles }) =>
      `${labelOf(skill, 60)}: ${formatEstimate(regret)}, middle half ${
        formatNumber(quantiles[1])
      } to ${formatNumber(quantiles[3])}, n = ${regret.scored}`
    ).join("\n") || "nothing measured",
    width,
  });
}

const spreadStyle = { colour: "muted", symbol: "none", filled: false } as const;

function spread(
  rows: readonly { at: number; quantiles: number[] }[],
  from: number,
  to: number,
  strokeWidth: number,
): Plot.Markish {
  return Plot.link(rows, {
    y: "at",
    x1: ({ quantiles }) => quantiles[from],
    x2: ({ quantiles }) => quantiles[to],
    stroke: colour("muted"),
    strokeOpacity: 0.55,
    strokeWidth,
  });
}
