/** Markup for a cell's output. @module */
import { type Content, html, markup, paragraphHtml } from "../show/mod.ts";

/** Front ends align all cells to the right; code is told apart by weight and strength, in light and dark. */
const style = "<style>.spade.spade th,.spade.spade td{text-align:left;vertical-align:top}" +
  ".spade.spade th.n,.spade.spade td.n{text-align:right}" +
  ".spade pre{white-space:pre-wrap;margin:0}.spade code .k{font-weight:600}" +
  ".spade code .c{opacity:.65;font-style:italic}</style>";

/** A heading and what stands below it; text is escaped. */
export function notebookHtml(heading: string, ...parts: readonly Content[]): string {
  const head = paragraphHtml(html(`<strong>${markup(heading)}</strong>`));
  return `${style}<div class="spade">\n${[head, ...parts].map(markup).join("\n")}\n</div>`;
}
