/**
 * The inspector for terminals. Everything a model or program wrote is printed with control characters made visible.
 * @module
 */
import { type EnvironmentDetail, environmentSummaries, type RunTables } from "../analysis/mod.ts";
import type { RecordOf } from "../core/mod.ts";
import { escapeTerminal } from "./escape.ts";
import { formatCount, formatNumber } from "./format.ts";
import {
  detailFacts,
  evidenceText,
  listHeadings,
  listRow,
  pairText,
  playText,
  regretText,
} from "./inspect_rows.ts";
import { textTable } from "./text_table.ts";

/** How much of an environment is printed. */
export interface InspectTextOptions {
  /** Characters in a line. @default 100 */
  width?: number;
  /** Pairs of plays shown in full. @default 1 */
  plays?: number;
}

/**
 * All environments of a run, accepted first.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { emptyTables } from "../analysis/mod.ts";
 * assert.equal(inspectListText(emptyTables()), "This run has no environments yet.\n");
 * ```
 */
export function inspectListText(tables: RunTables, options: { width?: number } = {}): string {
  const all = environmentSummaries(tables);
  if (all.length === 0) return "This run has no environments yet.\n";
  const accepted = all.filter((e) => e.refusedBy === undefined);
  const refused = all.filter((e) => e.refusedBy !== undefined);
  return textTable(listHeadings, [...accepted, ...refused].map(listRow), options) +
    `\n${formatCount(all.length)} programs: ${formatCount(accepted.length)} accepted, ` +
    `${formatCount(refused.length)} refused\n`;
}

/**
 * One environment in full; plays beyond `plays` as one line each.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { emptyTables, environmentDetail } from "../analysis/mod.ts";
 * const environment = {
 *   ...{ id: "a", rollout: 0, source: "class AEnv: ...\n", className: "AEnv", description: "two doors" },
 *   ...{ skill: "Optimization", treeHash: "", replyId: null, documentId: null, parents: [] },
 * };
 * const tables = { ...emptyTables(), environment: [environment] };
 * assert.ok(inspectText(environmentDetail(tables, "a")).startsWith("AEnv: two doors\n"));
 * ```
 */
export function inspectText(detail: EnvironmentDetail, options: InspectTextOptions = {}): string {
  const { width = 100, plays = 1 } = options;
  const { environment, document, gates, hint } = detail;
  const heading = (name: string) => `\n${name}\n${"─".repeat(Math.min(width, 60))}\n`;
  const out = [`${escapeTerminal(environment.className)}: ${oneLine(environment.description)}\n\n`];
  out.push(textTable(["fact", "value"], detailFacts(detail).map((f) => [f.name, f.value])));
  out.push(heading("Regret"), escapeTerminal(regretText(detail)), "\n");
  out.push(
    heading("Hint"),
    hint ? escapeTerminal(hint) : `none (${detail.hintReason || "none was written"})`,
    "\n",
  );
  const verdicts = gates.map((g) => [
    g.gate,
    g.verdict,
    [g.reason, evidenceText(g.evidence)].filter((x) => x !== "").join("; "),
  ]);
  if (verdicts.length > 0) {
    out.push(heading("Gates"), textTable(["gate", "verdict", "reason and evidence"], verdicts));
  }
  out.push(heading("Source"), numbered(environment.source));
  if (document) out.push(heading("Document"), escapeTerminal(document.text), "\n");
  out.push(heading("Plays"));
  for (const [i, pair] of detail.pairs.entries()) {
    out.push(
      `${pairText(pair)}: plain ${escapeTerminal(oneLine(playText(pair.plain)))}; ` +
        `hinted ${escapeTerminal(oneLine(playText(pair.hinted)))}\n`,
    );
    if (i >= plays) continue;
    const arms = [pair.plain, pair.hinted].filter((p) => p !== undefined);
    out.push(sideBySide(arms, detail, width), "\n");
  }
  return out.join("");
}

function sideBySide(
  plays: readonly RecordOf<"play">[],
  detail: EnvironmentDetail,
  width: number,
): string {
  const column = plays.length < 2 ? width : Math.floor((width - 3) / plays.length);
  const turns = plays.map((p) => detail.turns.get(p.id) ?? []);
  const length = Math.max(0, ...turns.map((of) => of.length));
  const lines: string[] = [];
  for (let i = 0; i < length; i++) {
    const blocks = turns.map((of, k) => turnLines(of[i], plays[k].arm, column));
    const height = Math.max(...blocks.map((b) => b.length));
    for (let row = 0; row < height; row++) {
      lines.push(blocks.map((b) => (b[row] ?? "").padEnd(column)).join(" │ ").trimEnd());
    }
  }
  return lines.join("\n") + "\n";
}

function turnLines(turn: RecordOf<"turn"> | undefined, arm: string, width: number): string[] {
  if (!turn) return [];
  const reward = turn.reward === null ? "none" : formatNumber(turn.reward);
  return [
    `── ${arm}, turn ${turn.index + 1} `.padEnd(width, "─"),
    ...fold(turn.observation, width),
    ...fold(turn.text, width - 2).map((line) => `» ${line}`),
    ...fold(`action ${turn.action ?? "none executed"}, reward ${reward}`, width),
  ];
}

/** Lines of at most `width` characters, broken at a space where there is one; line breaks and indentation are kept. */
function fold(text: string, width: number): string[] {
  return escapeTerminal(text).split("\n").flatMap((line) => {
    const lines: string[] = [];
    let letters = [...line.replaceAll("\t", "    ")];
    while (letters.length > width) {
      const space = letters.lastIndexOf(" ", width);
      const end = space > width / 2 ? space : width;
      lines.push(letters.slice(0, end).join(""));
      letters = letters.slice(space > width / 2 ? end + 1 : end);
    }
    return [...lines, letters.join("")];
  });
}

function numbered(source: string): string {
  const lines = escapeTerminal(source).replace(/\n$/, "").split("\n");
  return lines.map((line, i) => `${String(i + 1).padStart(4)}  ${line}`.trimEnd() + "\n").join("");
}

function oneLine(text: string): string {
  return escapeTerminal(text).replaceAll(/\s+/g, " ");
}
