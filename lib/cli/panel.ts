/**
 * The lines of the live view: pure functions from its state to text.
 * @module
 */
import type { RolloutReport } from "../core/mod.ts";
import {
  cutText,
  escapeTerminal,
  formatChange,
  formatCount,
  formatNumber,
  formatPercent,
  formatSeconds,
} from "../show/mod.ts";

/** State that the panel shows. */
export interface LiveState {
  started: number;
  now: number;
  reports: RolloutReport[];
  /** Unfinished stages of the current rollout, oldest first. */
  stages: Map<string, { rollout: number; done: number; total: number }>;
  warnings: number;
}

/** Seconds left, from the mean time of the last eight rollouts; undefined before the first report. */
export function timeLeft(state: LiveState): number | undefined {
  const recent = state.reports.slice(-8), last = recent[recent.length - 1];
  if (!last) return undefined;
  const mean = recent.reduce((sum, r) => sum + r.seconds, 0) / recent.length;
  return Math.max(0, mean * (last.rollouts - last.rollout - 1));
}

const bars = "▁▂▃▄▅▆▇█";

/**
 * One character a value, the last `width` of them; a missing value is a blank. The scale is theirs, but at least .4
 * wide, so that noise does not look like a trend.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(sparkline([0, 0.5, undefined, 1], 10), "▁▅ █");
 * ```
 */
export function sparkline(values: readonly (number | undefined)[], width: number): string {
  const shown = width > 0 ? values.slice(-width) : [];
  const known = shown.filter((value) => value !== undefined);
  const least = Math.min(...known), span = Math.max(0.4, Math.max(...known) - least);
  const low = Math.max(0, Math.min(least, (least + Math.max(...known) - span) / 2));
  return shown.map((value) => {
    if (value === undefined) return " ";
    return bars[Math.min(7, Math.max(0, Math.floor((value - low) / span * 8)))];
  }).join("");
}

/** A bar of `width` characters, filled by `share`. */
export function progressBar(share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return "█".repeat(full) + "░".repeat(width - full);
}

/** The panel, every line at most `width` characters wide. */
export function panelLines(
  state: LiveState,
  options: { width: number; colour: boolean },
): string[] {
  const { width, colour } = options;
  const { reports, stages } = state;
  const last = reports[reports.length - 1];
  const elapsed = formatSeconds(state.now - state.started);
  const left = timeLeft(state);
  const row = (label: string, text: string) => {
    const line = cutText(label.padEnd(10) + text, width);
    return colour ? `\x1b[2m${line.slice(0, 10)}\x1b[0m${line.slice(10)}` : line;
  };
  const lines = [headLine(state, last, width, colour)];
  lines.push(
    row("time", `${elapsed} so far, ${left === undefined ? "–" : formatSeconds(left)} left`),
  );
  if (last) {
    // Hinted plays, regret and validity come with a new set only: their newest value stands until the next.
    const newest = (of: (r: RolloutReport) => number | undefined) =>
      reports.findLast((r) => of(r) !== undefined);
    const hinted = newest((r) => r.hintedMean)?.hintedMean;
    const regret = newest((r) => r.regretMean);
    const valid = newest((r) => r.validFirst)?.validFirst;
    const designer = newest((r) => r.designerReward)?.designerReward;
    const text = `plain ${formatNumber(last.plainMean)}  hinted ${formatNumber(hinted)}  ` +
      `in band ${formatPercent(last.inBand)}  `;
    const room = Math.max(0, Math.min(40, width - 10 - text.length));
    lines.push(row("win rate", text + sparkline(reports.map((r) => r.plainMean), room)));
    lines.push(row(
      "regret",
      `${formatChange(regret?.regretMean)}  signal ${formatNumber(regret?.signalMean)} ` +
        `(noise floor ${formatNumber(regret?.noiseFloor)})`,
    ));
    lines.push(row(
      "designer",
      `valid at first ${formatPercent(valid)}  reward ${formatNumber(designer)}  ` +
        `dead groups ${formatPercent(last.deadGroupShare)}`,
    ));
    lines.push(row(
      "speed",
      `${formatCount(last.tokensPerSecond)} tokens/s  ${
        formatNumber(last.playsPerSecond, 1)
      } plays/s`,
    ));
    lines.push(
      row("plays", `${formatCount(last.scored)} scored  ${formatCount(last.failed)} failed`),
    );
    const heldout = heldoutText(reports);
    if (heldout !== undefined) lines.push(row("held-out", heldout));
  }
  const open = [...stages].slice(-3);
  for (const [stage, { done, total }] of open) {
    const share = total > 0 ? done / total : 0;
    lines.push(
      row("now", `${progressBar(share, 16)} ${escapeTerminal(stage)} ${done} of ${total}`),
    );
  }
  return lines;
}

function headLine(
  state: LiveState,
  last: RolloutReport | undefined,
  width: number,
  colour: boolean,
): string {
  const stage = [...state.stages.values()].at(-1);
  if (!last) {
    const line = cutText(`SPADE  rollout ${stage?.rollout ?? 0}, none complete yet`, width);
    return colour ? `\x1b[1m${line}\x1b[0m` : line;
  }
  const done = last.rollout + 1;
  const text = `SPADE  rollout ${done} of ${last.rollouts} complete  `;
  const bar = progressBar(done / last.rollouts, Math.max(0, Math.min(24, width - text.length - 6)));
  const line = cutText(`${text}${bar} ${formatPercent(done / last.rollouts)}`, width);
  return colour ? `\x1b[1m${line}\x1b[0m` : line;
}

function heldoutText(reports: readonly RolloutReport[]): string | undefined {
  const evaluated = reports.filter((r) => r.evaluation !== undefined);
  if (evaluated.length === 0) return undefined;
  const first = evaluated[0].evaluation!, at = evaluated[evaluated.length - 1];
  const now = at.evaluation!;
  const since = evaluated.length > 1
    ? `, first ${formatNumber(first.sampled)} and ${formatNumber(first.greedy)}`
    : "";
  return `T = 1 ${formatNumber(now.sampled)}  greedy ${formatNumber(now.greedy)}  ` +
    `(rollout ${at.rollout}, n ${formatCount(now.n)}${since})`;
}

/** One rollout as a single plain line; what is missing is left out. */
export function reportLine(report: RolloutReport, left?: number): string {
  const parts: (string | undefined)[] = [
    `rollout ${report.rollout + 1} of ${report.rollouts}`,
    `win rate ${formatNumber(report.plainMean)} (${report.scored} scored, ${report.failed} failed)`,
    report.hintedMean === undefined ? undefined : `hinted ${formatNumber(report.hintedMean)}`,
    report.regretMean === undefined
      ? undefined
      : `regret ${formatChange(report.regretMean)} (signal ${formatNumber(report.signalMean)}, ` +
        `floor ${formatNumber(report.noiseFloor)})`,
    report.validFirst === undefined ? undefined : `valid ${formatPercent(report.validFirst)}`,
    report.designerReward === undefined
      ? undefined
      : `designer ${formatNumber(report.designerReward)}`,
    report.evaluation === undefined
      ? undefined
      : `held-out ${formatNumber(report.evaluation.sampled)} greedy ` +
        `${formatNumber(report.evaluation.greedy)}`,
    `${formatCount(report.tokensPerSecond)} tokens/s`,
    `${formatNumber(report.playsPerSecond, 1)} plays/s`,
    formatSeconds(report.seconds),
    left === undefined ? undefined : `${formatSeconds(left)} left`,
  ];
  return parts.filter((p) => p !== undefined).join(", ");
}
