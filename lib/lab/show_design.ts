/** How designs and verdicts show themselves. @module */
import type { GateReport, GateVerdict } from "../gates/mod.ts";
import {
  cutText,
  detailsHtml,
  escapeTerminal,
  notebookHtml,
  pythonHtml,
  type Shown,
  tableHtml,
  textTable,
} from "../show/mod.ts";
import type { Design, DesignAttempt } from "./design.ts";

const marks = {
  pass: "✓\u00a0passed",
  refuse: "✗\u00a0refused",
  skipped: "−\u00a0skipped",
} as const;
const gateHeadings = ["gate", "verdict", "found"];

/** A program with numbered lines, for a terminal. */
function numberedLines(source: string): string {
  return escapeTerminal(source).trimEnd().split("\n")
    .map((line, at) => `${String(at + 1).padStart(4)}  ${line}`.trimEnd()).join("\n");
}

/** Verdicts in order, evidence beside them. */
export function shownGates(report: GateReport): Shown {
  const { accepted, className, environmentId, verdicts } = report;
  const head = `${className ?? "no class"} ${environmentId.slice(0, 10)}: ` +
    (accepted ? "accepted" : "refused");
  const rows = verdicts.map(gateRow);
  return {
    text: `${escapeTerminal(head)}\n${textTable(gateHeadings, rows, { width: 120 }).trimEnd()}`,
    html: notebookHtml(
      head,
      tableHtml(gateHeadings, rows.map((row) => row.map((cell) => cutText(cell, 400)))),
    ),
  };
}

function gateRow({ gate, verdict, reason, evidence }: GateVerdict): string[] {
  const found = Object.entries(evidence)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [gate, marks[verdict], [reason, found.join(", ")].filter((x) => x !== "").join("; ")];
}

const attemptHeadings = ["#attempt", "#tokens", "verdict", "found"];

function attemptRow({ reply, report }: DesignAttempt, at: number): string[] {
  const last = report.verdicts[report.verdicts.length - 1];
  const [gate, verdict, found] = gateRow(last);
  const tokens = `${reply.ids.length}${reply.finish === "length" ? ", cut" : ""}`;
  return report.accepted
    ? [String(at + 1), tokens, "✓\u00a0accepted", `${report.verdicts.length} gates`]
    : [String(at + 1), tokens, verdict, `${gate}: ${found}`];
}

/** What was made of a request: a row an attempt, and the last program. */
export function shownDesign({ environment, skill, attempts, reply }: Design): Shown {
  const last = attempts[attempts.length - 1];
  const head = environment
    ? `${environment.className} ${
      environment.id.slice(0, 10)
    }: ${environment.description} (${skill})`
    : `no environment (${skill}): ⚠ ${attempts.length} of ${attempts.length} replies refused`;
  const rows = attempts.map(attemptRow);
  const source = last.report.source || reply.text;
  return {
    text: [
      escapeTerminal(head),
      textTable(attemptHeadings, rows, { width: 120 }),
      numberedLines(source),
    ].join("\n"),
    html: notebookHtml(
      head,
      tableHtml(attemptHeadings, rows.map((row) => row.map((cell) => cutText(cell, 400)))),
      detailsHtml(environment ? "program" : "the last program", pythonHtml(source), true),
    ),
  };
}
