/** What the audit of reward hacking found. @module */
import { type HackFinding, type HackSummary, summariseHacks } from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatShare } from "../format.ts";
import { fills } from "../style.ts";
import {
  axis,
  barLabels,
  barsAlong,
  countAxis,
  counted,
  ends,
  type FigureOptions,
  firstRows,
  gridUp,
  labelOf,
  layout,
  margins,
  namedRows,
  shortId,
  stack,
} from "./parts.ts";

const parts = [
  { label: "flagged: to be looked at", style: fills.dark, count: flaggedOf },
  { label: "clean", style: fills.light, count: (s: HackSummary) => s.flagged.of - flaggedOf(s) },
  { label: "could not be judged", style: fills.none, count: (s: HackSummary) => s.unknown },
];

/**
 * Environments by verdict for each check, and the flagged ones with the most cases.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { earlyWins } from "../../analysis/mod.ts";
 * const win = { id: "p", environmentId: "e", seed: 1, success: true, turns: 1 };
 * assert.match(hackFigure(earlyWins([win])).text, /⚠ 1 of 1 finding could not be judged/);
 * ```
 */
export function hackFigure(findings: readonly HackFinding[], options: FigureOptions = {}): Figure {
  const { width, panel } = layout(options, 2);
  const checks = summariseHacks(findings);
  const environments = new Set(findings.map(({ environmentId }) => environmentId)).size;
  const flagged = findings.filter(({ verdict }) => verdict === "flagged")
    .sort((a, b) => (b.cases.share ?? 0) - (a.cases.share ?? 0) || b.cases.of - a.cases.of);
  const unknown = checks.reduce((sum, check) => sum + check.unknown, 0);
  const { shown, warnings } = firstRows(flagged, 10, "flagged environment");
  return composeFigure({
    title: "Audit of reward hacking: environments by verdict",
    subtitle: `A flag asks for a look at the environment; it is no proof. n = ${
      counted(environments, "environment")
    }, ${counted(findings.length, "finding")}.`,
    legend: checks.length === 0 ? [] : parts,
    panels: [
      ...(checks.length === 0 ? [] : [verdictPanel(checks, panel)]),
      ...(shown.length === 0 ? [] : [flaggedPanel(shown, panel)]),
    ],
    caption: checks.length === 0
      ? "No finding was given."
      : flagged.length === 0
      ? "No environment was flagged."
      : undefined,
    warnings: [
      ...warnings,
      ...(unknown > 0
        ? [`${formatCount(unknown)} of ${counted(findings.length, "finding")} could not be judged`]
        : []),
    ],
    text: [
      ...checks.map((check) =>
        `${check.check}: flagged ${formatShare(check.flagged)}, ${check.unknown} not judged, ` +
        `cases ${formatShare(check.cases)}`
      ),
      ...shown.map(({ environmentId, check, cases, examples }) =>
        `${shortId(environmentId)} ${check} ${formatShare(cases)}: ${
          labelOf(examples[0] ?? "", 120)
        }`
      ),
    ].join("\n") || "no findings",
    width,
  });
}

function flaggedOf(check: HackSummary): number {
  return check.flagged.count;
}

function verdictPanel(checks: readonly HackSummary[], width: number): Panel {
  const stacked = stack(checks, (_, i) => i, parts.map(({ count }) => count));
  return drawPanel({
    ...margins,
    width,
    height: 60 + 34 * checks.length,
    ...namedRows(checks.map(({ check }) => labelOf(check, 18))),
    marginTop: 10,
    marginRight: 44,
    x: countAxis("environments", ends(checks.map((check) => check.environments)).last),
    marks: [
      gridUp(),
      ...stacked.flatMap((bars, i) => barsAlong(bars, parts[i].style)),
      barLabels(checks, {
        x: ({ environments }) => environments,
        text: (check) => `⚑ ${formatCount(flaggedOf(check))}`,
      }),
    ],
  }, "Verdicts; ⚑ the number flagged");
}

function flaggedPanel(rows: readonly HackFinding[], width: number): Panel {
  const names = rows.map(({ environmentId, check }) => `${shortId(environmentId)} ${check}`);
  return drawPanel({
    ...margins,
    width,
    height: 56 + 24 * rows.length,
    ...namedRows(names),
    marginTop: 10,
    marginRight: 56,
    x: axis("share of cases", { domain: [0, 1], ticks: 3, tickFormat: ".1f" }),
    marks: [
      gridUp(3),
      ...barsAlong(
        rows.map(({ cases }, at) => ({ at, from: 0, to: cases.share ?? 0 })),
        fills.dark,
      ),
      barLabels(rows, {
        x: ({ cases }) => cases.share ?? 0,
        text: ({ cases }) => `${formatCount(cases.count)}/${formatCount(cases.of)}`,
      }),
    ],
  }, "Flagged, most cases first");
}
