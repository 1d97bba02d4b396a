/** From plays to numbers: per item, family and suite. Items are the units of every interval. @module */
import { type Estimate, estimateMean } from "../../analysis/mod.ts";
import { type Outcome, scored } from "../../core/mod.ts";
import {
  escapeTerminal,
  formatCount,
  formatEstimate,
  formatLarge,
  formatNumber,
  textTable,
} from "../../show/mod.ts";
import type { EvaluationPlay } from "./record.ts";

/** Numbers of some plays. */
export interface Summary {
  items: number;
  plays: number;
  /** Mean return of the scored plays; its interval treats an item's plays as one cluster. */
  mean: Estimate;
  /** Share of successes among the scored plays. */
  success: Estimate;
  /** Failed plays by who is to blame and why. */
  failures: Record<string, number>;
  truncated: number;
  unchecked: number;
  /** Per play; absent without plays. */
  turns?: number;
  promptTokens: number;
  completionTokens: number;
}

export interface SuiteSummary extends Summary {
  suite: string;
  families: ({ family: string } & Summary)[];
  byItem: ({ item: string; family: string } & Summary)[];
}

/** Summaries in the order of the suites' names given; plays in any order. */
export function summarize(suites: readonly string[], plays: readonly EvaluationPlay[]) {
  return suites.map((suite): SuiteSummary => {
    const own = plays.filter((play) => play.suite === suite)
      .sort((a, b) => a.item < b.item ? -1 : a.item > b.item ? 1 : a.index - b.index);
    const families = Map.groupBy(own, ({ family }) => family);
    const items = Map.groupBy(own, ({ item }) => item);
    return {
      suite,
      ...summaryOf(own),
      families: [...families].sort(([a], [b]) => a < b ? -1 : 1)
        .map(([family, of]) => ({ family, ...summaryOf(of) })),
      byItem: [...items].map(([item, of]) => ({ item, family: of[0].family, ...summaryOf(of) })),
    };
  });
}

function summaryOf(plays: readonly EvaluationPlay[]): Summary {
  const clustered = (outcomeOf: (play: EvaluationPlay) => Outcome) =>
    estimateMean(plays.map((play) => ({ cluster: play.item, outcome: outcomeOf(play) })));
  const sum = (of: (play: EvaluationPlay) => number) =>
    plays.reduce((total, play) => total + of(play), 0);
  return {
    items: new Set(plays.map(({ item }) => item)).size,
    plays: plays.length,
    mean: clustered(({ outcome }) => outcome),
    success: clustered(({ outcome, success }) =>
      outcome.kind === "scored" ? scored(success ? 1 : 0) : outcome
    ),
    failures: failuresOf(plays),
    truncated: sum(({ truncated }) => truncated ? 1 : 0),
    unchecked: sum(({ unchecked }) => unchecked ? 1 : 0),
    turns: plays.length === 0 ? undefined : sum(({ turns }) => turns) / plays.length,
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
  };
}

function failuresOf(plays: readonly EvaluationPlay[]): Record<string, number> {
  const reasons = plays.flatMap(({ outcome }) =>
    outcome.kind === "failed" ? [`${outcome.blame}: ${outcome.reason}`] : []
  );
  const counts = Map.groupBy(reasons, (reason) => reason);
  return Object.fromEntries(
    [...counts].map(([reason, { length }]): [string, number] => [
      reason,
      length,
    ]).sort(([a], [b]) => a < b ? -1 : 1),
  );
}

const headings = [
  "#items",
  "#plays",
  "#mean [95 %]",
  "#success [95 %]",
  "#failed",
  "#skipped",
  "#cut",
  "#turns",
  "#tokens",
];

function cells(of: Summary): string[] {
  return [
    formatCount(of.items),
    formatCount(of.plays),
    formatEstimate(of.mean),
    formatEstimate(of.success),
    formatCount(of.mean.failed),
    formatCount(of.mean.skipped),
    formatCount(of.truncated),
    formatNumber(of.turns, 1),
    formatLarge(of.completionTokens),
  ];
}

/** A table a suite: its families, with `items` each item, and all of it. */
export function summaryText(suites: readonly SuiteSummary[], options: { items?: boolean } = {}) {
  return suites.map((suite) => {
    const families = suite.families.length > 1 || suite.families[0]?.family !== ""
      ? suite.families.map((row) => [row.family || "(none)", ...cells(row)])
      : [];
    const items = options.items === true
      ? suite.byItem.map((row) => [`${row.family} ${row.item.slice(0, 12)}`.trim(), ...cells(row)])
      : [];
    const rows = [...items, ...families, ["all", ...cells(suite)]];
    return textTable([suite.suite, ...headings], rows) + footnotes(suite);
  }).join("\n");
}

function footnotes({ mean, unchecked, plays, failures }: SuiteSummary): string {
  const failed = Object.entries(failures).map(([reason, count]) =>
    `${reason} ${formatCount(count)}`
  );
  const notes = [
    failed.length > 0 ? `failed, and in no mean: ${failed.join(", ")}` : "",
    plays > 0 && mean.low === undefined ? `no interval of the whole: ${mean.interval}` : "",
    unchecked > 0
      ? `${formatCount(unchecked)} replies could not be checked and count as wrong`
      : "",
  ].filter((note) => note !== "");
  return notes.map((note) => `⚠ ${escapeTerminal(note)}\n`).join("");
}
