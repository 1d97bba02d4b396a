/** How programs pass the gates, and why they are refused. @module */
import * as Plot from "@observablehq/plot";
import { acceptanceFunnel, type FunnelStep, type FunnelVerdict } from "../../analysis/mod.ts";
import type { RecordOf } from "../../core/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount, formatPercent } from "../format.ts";
import { fills } from "../style.ts";
import {
  barLabels,
  barsAlong,
  countAxis,
  counted,
  type FigureOptions,
  firstRows,
  gridUp,
  labelOf,
  layout,
  margins,
  namedRows,
  stack,
} from "./parts.ts";

const parts = [
  { label: "passed", style: fills.light, count: ({ passed }: FunnelStep) => passed },
  { label: "skipped", style: fills.none, count: ({ skipped }: FunnelStep) => skipped },
  { label: "refused", style: fills.dark, count: ({ refused }: FunnelStep) => refused },
];

/**
 * Verdicts gate by gate, and the commonest reasons for refusal.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const verdict = (gate: string, verdict: "pass" | "refuse") => ({ gate, verdict, replyId: "r", reason: "" });
 * const { text } = funnelFigure([verdict("parse", "pass"), verdict("floor", "refuse")]);
 * assert.match(text, /^parse: 1 entered, 1 passed, 0 refused, 0 skipped\nfloor: 1 entered, 0 passed, 1 refused/);
 * ```
 */
export function funnelFigure(
  gates: readonly (FunnelVerdict & Pick<RecordOf<"gate">, "replyId">)[],
  options: FigureOptions = {},
): Figure {
  const { width, panel } = layout(options, 2);
  const steps = acceptanceFunnel(gates);
  const programs = new Set(gates.map(({ replyId }) => replyId)).size;
  const refused = steps.reduce((sum, step) => sum + step.refused, 0);
  const all = steps.flatMap(({ gate, reasons }) => reasons.map((reason) => ({ gate, ...reason })))
    .sort((a, b) => b.count - a.count);
  const { shown, warnings } = firstRows(all, 9, "reason");
  return composeFigure({
    title: "Acceptance of programs, gate by gate",
    subtitle: `A program goes on until a gate refuses it; n = ${counted(programs, "program")}.`,
    legend: steps.length === 0 ? [] : parts,
    panels: [
      ...(steps.length === 0 ? [] : [gatePanel(steps, panel)]),
      ...(shown.length === 0 ? [] : [reasonPanel(shown, panel)]),
    ],
    caption: steps.length === 0
      ? "No gate verdicts are stored."
      : `${formatCount(programs - refused)} of ${formatCount(programs)} programs (${
        formatPercent((programs - refused) / programs)
      }) were refused by no gate.`,
    warnings,
    text: steps.map((step) =>
      `${labelOf(step.gate)}: ${step.entered} entered, ${step.passed} passed, ` +
      `${step.refused} refused, ${step.skipped} skipped` +
      step.reasons.slice(0, 5).map(({ reason, count }) =>
        `; ${count} × ${labelOf(reason, 80)}`
      )
        .join("")
    ).join("\n") || "no verdicts",
    width,
  });
}

function gatePanel(steps: readonly FunnelStep[], width: number): Panel {
  const stacked = stack(steps, (_, i) => i, parts.map(({ count }) => count));
  const most = Math.max(...steps.map(({ entered }) => entered));
  return drawPanel({
    ...margins,
    width,
    height: 56 + 28 * steps.length,
    ...namedRows(steps.map(({ gate }) => labelOf(gate, 14))),
    marginTop: 10,
    marginRight: 44,
    x: countAxis("programs", most),
    marks: [
      gridUp(),
      ...stacked.flatMap((bars, i) => barsAlong(bars, parts[i].style)),
      barLabels(steps, {
        x: ({ entered }) => entered,
        text: ({ refused }) => refused === 0 ? "" : `−${formatCount(refused)}`,
      }),
    ],
  }, "Verdicts; the number refused");
}

function reasonPanel(
  rows: readonly { gate: string; reason: string; count: number }[],
  width: number,
): Panel {
  const most = rows[0].count, letters = Math.floor((width - 30) / 6.3);
  return drawPanel({
    ...margins,
    width,
    height: 48 + 34 * rows.length,
    marginTop: 10,
    marginLeft: 12,
    marginRight: 44,
    x: countAxis("programs", most),
    y: {
      type: "band",
      domain: rows.map((_, i) => i),
      axis: null,
      paddingInner: 0.62,
      paddingOuter: 0.5,
    },
    marks: [
      ...barsAlong(rows.map(({ count }, at) => ({ at, from: 0, to: count })), fills.dark),
      Plot.text(rows, {
        x: () => 0,
        y: (_, i) => i,
        text: ({ gate, reason }) => labelOf(`${gate}: ${reason}`, letters),
        dy: -14,
        textAnchor: "start",
      }),
      barLabels(rows, { x: ({ count }) => count, text: ({ count }) => formatCount(count) }),
    ],
  }, "Commonest reasons for refusal");
}
