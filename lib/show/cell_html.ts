/** Markup for a cell's output. @module */
import { type Content, html, markup, paragraphHtml } from "./page.ts";

/** Front ends align all cells to the right; code is told apart by weight and strength, in light and dark. */
const style = "<style>.spade.spade th,.spade.spade td{text-align:left;vertical-align:top}" +
  ".spade.spade th.n,.spade.spade td.n{text-align:right}" +
  ".spade.spade pre{white-space:pre-wrap;margin:0;background:none;font-family:monospace}" +
  ".spade code .k{font-weight:600}" +
  ".spade code .c{opacity:.65;font-style:italic}</style>";

/**
 * The parts with the style that front ends need; text is escaped.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(cellHtml("1 < 2"), /<div class="spade">\n1 &lt; 2\n<\/div>$/);
 * ```
 */
export function cellHtml(...parts: readonly Content[]): string {
  return `${style}<div class="spade">\n${parts.map(markup).join("\n")}\n</div>`;
}

/**
 * A heading and what stands below it.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(notebookHtml("won", "3 turns"), /<p><strong>won<\/strong><\/p>\n3 turns/);
 * ```
 */
export function notebookHtml(heading: string, ...parts: readonly Content[]): string {
  return cellHtml(paragraphHtml(html(`<strong>${markup(heading)}</strong>`)), ...parts);
}
