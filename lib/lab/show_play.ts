/** How hints, plays and regret show themselves. @module */
import { meanScored } from "../core/mod.ts";
import type { Hint } from "../hint/mod.ts";
import {
  cutText,
  detailsHtml,
  escapeHtml,
  escapeTerminal,
  formatChange,
  formatCounts,
  formatInterval,
  formatNumber,
  type Html,
  html,
  notebookHtml,
  paragraphHtml,
  type Shown,
  tableHtml,
  textTable,
} from "../show/mod.ts";
import type { Game } from "./play.ts";
import type { MeasuredRegret } from "./regret.ts";

/** The hint, or why there is none. */
export function shownHint({ text, reason, tried }: Hint): Shown {
  const refused = tried.filter((attempt) => attempt.reason !== "").length;
  const again = refused > 0 ? ` (⚠ ${refused} of ${tried.length} replies not taken)` : "";
  const head = text === null ? `no hint: ${reason}${again}` : `hint${again}: ${text}`;
  return { text: escapeTerminal(head), html: `<p>${escapeHtml(head)}</p>` };
}

/** `won: 1.00 in 3 turns`, `failed (designer: exception)`. */
export function resultText({ outcome, success, truncated, turns }: Game): string {
  if (outcome.kind === "failed") return `failed (${outcome.blame}: ${outcome.reason})`;
  if (outcome.kind === "skipped") return `skipped (${outcome.reason})`;
  const how = success ? "won" : truncated ? "cut off" : "lost";
  const count = turns.length;
  return `${how}: ${formatNumber(outcome.value)} in ${count} turn${count === 1 ? "" : "s"}`;
}

const turnHeadings = ["#turn", "observation", "reply", "action", "#reward"];

function turnRows({ turns }: Game): string[][] {
  return turns.map(({ observation, text, action, reward }, at) => [
    String(at + 1),
    observation,
    text,
    action ?? "none",
    formatNumber(reward),
  ]);
}

function pre(text: string): Html {
  return html(`<pre>${escapeHtml(text)}</pre>`);
}

/** The transcript. */
export function shownGame(game: Game): Shown {
  const { environment, seed, hint, outcome } = game;
  const arm = hint === null ? "plain" : "hinted";
  const head = `${environment.className}, seed ${seed}, ${arm}: ${resultText(game)}`;
  const detail = outcome.kind === "failed" && outcome.detail ? `⚠ ${outcome.detail}` : "";
  const rows = turnRows(game);
  return {
    text: [
      escapeTerminal(head),
      ...(detail === "" ? [] : [escapeTerminal(detail)]),
      textTable(turnHeadings, rows.map((row) => row.map((cell) => cutText(cell, 60)))).trimEnd(),
    ].join("\n"),
    html: notebookHtml(
      head,
      ...(detail === "" ? [] : [paragraphHtml(detail)]),
      tableHtml(
        turnHeadings,
        rows.map(([turn, seen, reply, ...rest]) => [turn, pre(seen), pre(reply), ...rest]),
      ),
    ),
  };
}

/** Regret with its interval, the means of both arms, and a row a pair. */
export function shownRegret(measured: MeasuredRegret): Shown {
  const { environment, hint, outcome, pairs, interval, noiseFloor, plain, hinted } = measured;
  const value = outcome.kind === "scored" ? formatChange(outcome.value) : "missing";
  const bounds = measured.low === null
    ? `no interval (${interval.replace(/^none: /, "")})`
    : `95 % ${formatInterval(measured)} (${interval})`;
  const lost = plain.length - pairs;
  const head = `${environment.className}: regret ${value}, ${bounds}, ` +
    `n = ${pairs} pairs${lost > 0 ? `, ⚠ ${lost} without a return in both arms` : ""}`;
  const lines = [
    `hint         ${hint}`,
    ...([["plain", plain], ["hinted", hinted]] as const).map(([arm, games]) => {
      const { mean, ...counts } = meanScored(games.map((game) => game.outcome));
      return `${arm.padEnd(12)} mean return ${formatNumber(mean)}, ${formatCounts(counts)}`;
    }),
    `noise floor  ${formatNumber(noiseFloor)} (of the clipped signal at zero true regret)`,
  ];
  const headings = ["#seed", "plain", "hinted"];
  const rows = plain.map((game, at) => [
    String(game.seed),
    resultText(game),
    resultText(hinted[at]),
  ]);
  return {
    text: [head, ...lines, "", textTable(headings, rows).trimEnd()].map((line, at) =>
      at === lines.length + 2 ? line : escapeTerminal(line)
    ).join("\n"),
    html: notebookHtml(
      head,
      pre(lines.join("\n")),
      detailsHtml(`${plain.length} pairs`, tableHtml(headings, rows), true),
    ),
  };
}
