/**
 * The rows of a run's report, shared by the HTML page and the terminal: names and numbers as text, no markup.
 * @module
 */
import {
  costTotals,
  epochLength,
  groupHealth,
  learningCurve,
  type Mode,
  pairedRise,
  regretSummary,
  type Rise,
  type RunTables,
  screensSkipped,
  type Share,
  shrunkRegrets,
  validityChange,
  validityRates,
} from "../analysis/mod.ts";
import type { RolloutReport } from "../core/mod.ts";
import {
  formatChange,
  formatCount,
  formatCounts,
  formatEstimate,
  formatInterval,
  formatLarge,
  formatNumber,
  formatPercent,
  formatSeconds,
  formatShare,
  missing,
} from "./format.ts";

/** Base and final return with the paired rise, test set first. */
export function heldoutRows(rises: readonly Rise[]): string[][] {
  return rises.map((r) => [
    `${r.set}, ${r.mode === "sampled" ? "T\u00a0=\u00a01" : "greedy"}, ${r.family ?? r.part}`,
    `${formatChange(r.mean)} ${formatInterval(r) === missing ? "" : formatInterval(r)}`.trim(),
    verdictOf(r),
    formatEstimate(r.base),
    formatEstimate(r.final),
    formatCounts(r, "pairs"),
  ]);
}

export const heldoutHeadings = ["held-out", "#paired rise", "verdict", "#base", "#final", "from"];

export function heldoutRises(tables: RunTables): Rise[] {
  return [
    ...pairedRise(tables.evaluation, { set: "test" }),
    ...pairedRise(tables.evaluation, { set: "dev" }),
  ];
}

/** A word for the sign of a change, never only its colour. */
export function verdictOf(change: { low?: number; high?: number }): string {
  if (change.low === undefined || change.high === undefined) return "no interval";
  return change.low > 0 ? "rise" : change.high < 0 ? "fall" : "not clear";
}

/** Name, value, 95 % interval. */
export function validityRows(tables: RunTables): string[][] {
  const v = validityRates(tables.reply);
  const line = (name: string, share: Share) => [
    name,
    formatShare(share),
    share.share === undefined
      ? missing
      : `[${formatPercent(share.low)},\u00a0${formatPercent(share.high)}]`,
  ];
  const screens = screensSkipped(tables.gate);
  const change = validityChange(tables.reply);
  const rows = [
    line("replies that run as emitted", v.runsAsEmitted),
    line("replies that run after extraction", v.runsExtracted),
    line("replies that pass every gate", v.accepted),
    line("requests whose first reply passes every gate", v.acceptedFirst),
    line("requests filled within the attempts", v.filled),
    ["mean attempts a request", formatNumber(v.meanAttempts), missing],
    ...(screens.of > 0 ? [line("programs screened without an opinion", screens)] : []),
  ];
  if (change?.change !== undefined) {
    rows.push([
      `change of "runs after extraction", first to last ${change.rollouts} generations`,
      `${formatChange(change.change * 100, 1)} points`,
      `[${formatChange(change.low! * 100, 1)}, ${formatChange(change.high! * 100, 1)}]`,
    ]);
  }
  if (v.unjudged > 0) rows.push(["⚠ replies never judged, in no share", String(v.unjudged), ""]);
  return rows;
}

/** Groups and regret: name, value. */
export function healthRows(tables: RunTables): string[][] {
  const h = groupHealth(tables.play),
    r = regretSummary(tables.regret, { shrunk: shrunkOf(tables) });
  return [
    ["plain groups", formatCount(h.groups)],
    ["all plays lost", formatShare(h.allZero)],
    ["all plays won", formatShare(h.allOne)],
    ["no spread: advantage 0", formatShare(h.zeroSpread)],
    ["fewer than two scored plays", formatCount(h.short)],
    ["mean regret", `${formatEstimate(r.regret)}, ${formatCounts(r.regret, "measured")}`],
    ["mean clipped signal", formatEstimate(r.signal)],
    ["its noise floor at zero true regret", formatNumber(r.noiseFloor)],
    ["mean signal of the shrunken regret", r.shrunk ? formatEstimate(r.shrunk) : missing],
    ["its noise floor at zero true regret", formatNumber(r.shrunkFloor)],
  ];
}

/** Shrunken regrets of a run, plain plays pooled over its epochs. */
export function shrunkOf(tables: RunTables) {
  return shrunkRegrets(tables.regret, tables.play, { every: epochLength(tables.run[0]) });
}

export const costHeadings = ["role", "stage", "#prompt tokens", "#new tokens", "#calls", "#time"];

export function costRows(tables: RunTables): string[][] {
  const { byStage, total } = costTotals(tables.ledger);
  return [...byStage, total].map((c) => [
    c.role,
    c.stage,
    formatLarge(c.promptTokens),
    formatLarge(c.completionTokens),
    formatCount(c.calls),
    formatSeconds(c.seconds),
  ]);
}

export const rolloutHeadings = [
  "#rollout",
  "#win rate",
  "#scored",
  "#failed",
  "#hinted",
  "#regret",
  "#noise floor",
  "#in band",
  "#valid at first",
  "#designer",
  "#dead groups",
  "#loss",
  "#dev T = 1",
  "#dev greedy",
  "#time",
];

/** One row a rollout; held-out means are those of the development set right after it, where it was evaluated. */
export function rolloutRows(tables: RunTables): string[][] {
  const curve = learningCurve(tables.evaluation, { set: "dev", draws: 0 });
  const heldout = (rollout: number, mode: Mode) =>
    curve.find((p) => p.updates === rollout + 1 && p.mode === mode && p.part === "all")?.mean;
  return storedReports(tables).map((r) => [
    String(r.rollout),
    formatNumber(r.plainMean),
    formatCount(r.scored),
    formatCount(r.failed),
    formatNumber(r.hintedMean),
    formatChange(r.regretMean),
    formatNumber(r.noiseFloor),
    formatPercent(r.inBand),
    formatPercent(r.validFirst),
    formatNumber(r.designerReward),
    formatPercent(r.deadGroupShare),
    formatNumber(r.loss, 4),
    formatNumber(heldout(r.rollout, "sampled")),
    formatNumber(heldout(r.rollout, "greedy")),
    formatSeconds(r.seconds),
  ]);
}

/** The reports stored with the updates; rows without one are left out. */
export function storedReports(tables: RunTables): RolloutReport[] {
  return tables.update
    .map((u) => u.report as Partial<RolloutReport>)
    .filter((r): r is RolloutReport => typeof r.rollout === "number" && r.seconds !== undefined)
    .sort((a, b) => a.rollout - b.rollout);
}
