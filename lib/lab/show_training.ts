/** How a training shows itself. @module */
import type { RolloutReport } from "../core/mod.ts";
import {
  escapeTerminal,
  formatChange,
  formatNumber,
  formatPercent,
  formatSeconds,
  notebookHtml,
  paragraphHtml,
  type Shown,
  tableHtml,
  textTable,
} from "../show/mod.ts";
import type { Training } from "./train.ts";

const headings = [
  "#rollout",
  "#environments",
  "#success",
  "#hinted",
  "#regret",
  "#in band",
  "#valid first",
  "#unscored",
  "#time",
];
/** Rollouts shown. */
const limit = 12;

function row(report: RolloutReport): string[] {
  return [
    String(report.rollout),
    String(report.environments),
    formatPercent(report.successRate),
    formatNumber(report.hintedMean),
    formatChange(report.regretMean),
    formatPercent(report.inBand),
    formatPercent(report.validFirst),
    report.failed > 0 ? `⚠ ${report.failed}` : "0",
    formatSeconds(report.seconds),
  ];
}

/** Name, state and the last rollouts. */
export function shownTraining(
  { name, reports, warnings, finished }: Pick<
    Training,
    "name" | "reports" | "warnings" | "finished"
  >,
): Shown {
  const last = reports[reports.length - 1];
  const done = last === undefined
    ? "no rollout yet"
    : `${last.rollout + 1} of ${last.rollouts} rollouts`;
  const head = `training ${name}: ${done}${finished ? ", finished" : ""}`;
  const rows = reports.slice(-limit).map(row);
  const hidden = reports.length - rows.length;
  const notes = [
    ...(hidden > 0 ? [`${hidden} earlier rollouts not shown`] : []),
    ...warnings.map((warning) => `⚠ ${warning}`),
  ];
  return {
    text: [
      escapeTerminal(head),
      ...(rows.length === 0 ? [] : [textTable(headings, rows).trimEnd()]),
      ...notes.map((note) => escapeTerminal(note)),
    ].join("\n"),
    html: notebookHtml(
      head,
      ...(rows.length === 0 ? [] : [tableHtml(headings, rows)]),
      ...notes.map((note) => paragraphHtml(note)),
    ),
  };
}
