/**
 * What the inspector says, as text; shared by its HTML page and the terminal.
 * @module
 */
import type { EnvironmentDetail, EnvironmentSummary, PlayPair } from "../analysis/mod.ts";
import type { RecordOf } from "../core/mod.ts";
import { formatChange, formatCount, formatInterval, formatNumber, missing } from "./format.ts";

/** Digits of an id that the lists show. */
export const prefixLength = 10;

/** Of {@link listRow}; # stands before columns of numbers. */
export const listHeadings = [
  "environment",
  "#rollout",
  "gates",
  "#win rate",
  "#hinted",
  "#regret",
  "95 %",
  "#noise floor",
  "#plays",
  "#unscored",
  "class",
  "skill",
];

/** An environment in a line. */
export function listRow(e: EnvironmentSummary): string[] {
  const played = e.plain.scored + e.hinted.scored;
  const lost = e.plain.failed + e.hinted.failed + e.plain.skipped + e.hinted.skipped;
  const regret = e.regret?.outcome;
  return [
    e.environmentId.slice(0, prefixLength),
    String(e.rollout),
    gatesText(e),
    formatNumber(e.plain.mean),
    formatNumber(e.hinted.mean),
    regret?.kind === "scored" ? formatChange(regret.value) : missing,
    e.regret ? formatInterval(e.regret) : missing,
    formatNumber(e.regret?.noiseFloor),
    formatCount(played),
    lost > 0 ? `⚠\u00a0${lost}` : "",
    e.className || missing,
    e.skill,
  ];
}

/** `6 of 6`, or the gate that refused it. */
export function gatesText(e: EnvironmentSummary): string {
  if (e.gates === 0) return "not judged";
  const hung = e.hung ? ", hung" : "";
  return e.refusedBy === undefined
    ? `${e.passed}\u00a0of\u00a0${e.gates}${hung}`
    : `refused: ${e.refusedBy}${hung}`;
}

/** `won: 1.00 in 3 turns`, `failed (designer: exception)`. */
export function playText(play: RecordOf<"play"> | undefined): string {
  if (!play) return "not played";
  const { outcome } = play;
  if (outcome.kind === "skipped") return `skipped (${outcome.reason})`;
  if (outcome.kind === "failed") {
    const detail = outcome.detail ? `: ${outcome.detail}` : "";
    return `failed (${outcome.blame}, ${outcome.reason}${detail})`;
  }
  const how = play.success ? "won" : play.truncated ? "truncated" : "lost";
  const turns = `${play.turns} turn${play.turns === 1 ? "" : "s"}`;
  const mixed = play.versionFirst !== play.versionLast ? ", mixed weights" : "";
  return `${how}: ${formatNumber(outcome.value)} in ${turns}${mixed}`;
}

/**
 * Names a pair of plays.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(pairText({ environmentId: "a", rollout: 4, index: 0 }), "rollout 4, play 0");
 * ```
 */
export function pairText(pair: PlayPair): string {
  // Plays outside a run belong to no rollout.
  return pair.rollout < 0 ? `play ${pair.index}` : `rollout ${pair.rollout}, play ${pair.index}`;
}

/**
 * Evidence as `name value` parts, what stands inside a value in brackets.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(evidenceText({ limit: 0.25, agents: { noop: { wins: 0 } } }), "limit 0.25, agents (noop (wins 0))");
 * ```
 */
export function evidenceText(evidence: Record<string, unknown>): string {
  return Object.entries(evidence).map(([name, value]) => `${name} ${valueText(value)}`).join(", ");
}

function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? `(${evidenceText(value as Record<string, unknown>)})` : JSON.stringify(value);
}

/** Of {@link regretRows}. */
export const regretHeadings = [
  "#rollout",
  "#regret",
  "95 %",
  "#pairs",
  "#plain",
  "#hinted",
  "#noise floor",
  "#shrunk",
  "#its floor",
  "interval",
];

/** A row a measured regret; one that could not be measured says why. */
export function regretRows(detail: EnvironmentDetail): string[][] {
  return detail.regrets.map((r) => {
    const shrunk = detail.shrunk.get(r.id);
    const isShrunk = shrunk?.outcome.kind === "scored";
    return [
      r.rollout < 0 ? missing : String(r.rollout),
      r.outcome.kind === "scored" ? formatChange(r.outcome.value) : missing,
      formatInterval(r),
      formatCount(r.pairs),
      formatNumber(r.plainMean),
      formatNumber(r.hintedMean),
      formatNumber(r.noiseFloor),
      shrunk?.outcome.kind === "scored" ? formatChange(shrunk.outcome.value) : missing,
      isShrunk ? formatNumber(shrunk.noiseFloor) : missing,
      r.outcome.kind === "scored" ? r.interval : `missing: ${r.outcome.reason}`,
    ];
  });
}

/** Every measured regret in a line. */
export function regretText(detail: EnvironmentDetail): string {
  if (detail.regrets.length === 0) return "regret not measured";
  const shrunk = (r: RecordOf<"regret">) => {
    const { outcome, noiseFloor } = detail.shrunk.get(r.id)!;
    return outcome.kind === "scored"
      ? `shrunk by its error ${formatChange(outcome.value)}, floor of that signal ` +
        formatNumber(noiseFloor)
      : `shrunk: missing (${outcome.reason})`;
  };
  return detail.regrets.map((r) =>
    r.outcome.kind === "scored"
      ? `rollout ${r.rollout}: ${formatChange(r.outcome.value)} ${formatInterval(r)} ` +
        `(${r.interval}; ${r.pairs} pairs, plain ${formatNumber(r.plainMean)}, hinted ` +
        `${formatNumber(r.hintedMean)}, noise floor of the signal ${formatNumber(r.noiseFloor)}; ` +
        `${shrunk(r)})`
      : `rollout ${r.rollout}: missing (${r.outcome.reason})`
  ).join("\n");
}

/** Facts above the source. */
export function detailFacts(detail: EnvironmentDetail): { name: string; value: string }[] {
  const { environment: e, summary: s } = detail;
  return [
    { name: "environment", value: e.id },
    { name: "skill", value: e.skill || missing },
    ...(e.rollout < 0 ? [] : [{ name: "made in rollout", value: String(e.rollout) }]),
    { name: "gates passed", value: gatesText(s) },
    { name: "win rate, plain", value: `${formatNumber(s.plain.mean)} (${s.plain.scored} plays)` },
    { name: "mean, hinted", value: `${formatNumber(s.hinted.mean)} (${s.hinted.scored} plays)` },
    {
      name: "failed or skipped plays",
      value: String(s.plain.failed + s.hinted.failed + s.plain.skipped + s.hinted.skipped),
    },
    { name: "parents", value: e.parents.map((p) => p.slice(0, prefixLength)).join(", ") || "none" },
  ];
}
