/**
 * Tables for terminals.
 * @module
 */
import { escapeTerminal } from "./escape.ts";

/**
 * Aligned columns, two spaces apart; a heading that starts with # aligns right. Cells are made safe to print.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const text = textTable(["skill", "#plays"], [["Optimization", "8"], ["Causal Inference", "16"]]);
 * assert.equal(text.split("\n")[3], "Causal Inference     16");
 * ```
 */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  options: { width?: number } = {},
): string {
  const { width = Infinity } = options;
  const names = headings.map((h) => h.replace(/^#/, ""));
  const cells = [names, ...rows].map((row) =>
    row.map((c) => escapeTerminal(c).replace(/\s/g, " "))
  );
  const sizes = names.map((_, i) => Math.max(...cells.map((row) => [...(row[i] ?? "")].length)));
  const lines = cells.map((row) => {
    const line = sizes.map((size, i) => {
      const cell = row[i] ?? "", gap = " ".repeat(size - [...cell].length);
      return headings[i].startsWith("#") ? gap + cell : cell + gap;
    }).join("  ").trimEnd();
    return cutText(line, width);
  });
  const rule = "─".repeat(Math.max(...lines.map((line) => [...line].length)));
  return [lines[0], rule, ...lines.slice(1)].join("\n") + "\n";
}

/**
 * At most `width` characters; what is cut is marked.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual([cutText("regret", 6), cutText("regrets", 6)], ["regret", "regre…"]);
 * ```
 */
export function cutText(text: string, width: number): string {
  const letters = [...text];
  return letters.length <= width ? text : letters.slice(0, Math.max(0, width - 1)).join("") + "…";
}
