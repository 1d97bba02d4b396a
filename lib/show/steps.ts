/**
 * Turns side by side, and the slider that goes through them one by one. Without the script all turns stand below one
 * another.
 * @module
 */
import { escapeHtml } from "./escape.ts";
import { type Content, type Html, html, markup } from "./page.ts";

/** One arm, or one telling, of a play. */
export interface TurnColumn {
  /** Stands above its turns. */
  head: Content;
  /** What each turn shows. */
  turns: readonly Content[];
}

/**
 * Columns turn by turn: a row holds the same turn of each. `name` tells the slider from others of the page.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const columns = [{ head: "plain", turns: ["a", "b"] }, { head: "hinted", turns: ["c"] }];
 * assert.match(stepsHtml("play 0", columns).text, /data-turn="2">b<\/div>\n<div class="turn none"/);
 * ```
 */
export function stepsHtml(name: string, columns: readonly TurnColumn[]): Html {
  const length = Math.max(0, ...columns.map(({ turns }) => turns.length));
  const cells = columns.map(({ head }) => `<div class="arm">${markup(head)}</div>`);
  for (let i = 0; i < length; i++) {
    for (const { turns } of columns) {
      cells.push(
        turns[i] === undefined
          ? `<div class="turn none" data-turn="${i + 1}"></div>`
          : `<div class="turn" data-turn="${i + 1}">${markup(turns[i])}</div>`,
      );
    }
  }
  if (length === 0) cells.push("<p>No turns are stored.</p>");
  return html(
    `<div class="play" data-name="${escapeHtml(name)}"><div class="pair n${columns.length}">` +
      `${cells.join("\n")}</div></div>`,
  );
}

/** Rules for columns and slider. */
export const stepsStyle = `
.pair{display:grid;gap:8px 16px;margin:.5em 0 1.2em}
.pair.n2{grid-template-columns:1fr 1fr}
.arm{border-bottom:2px solid var(--spade-muted);padding-bottom:3px;min-width:0;overflow-wrap:anywhere}
.turn{min-width:0;font-size:.93em;overflow-wrap:anywhere}
.turn[hidden]{display:none}
.turn pre{margin:.25em 0;max-height:20em}
.turn pre.seen{background:none;border-left:3px solid var(--spade-rule);border-radius:0;padding:2px 10px}
.turn pre.said{border-left:3px solid var(--spade-first)}
.steps{display:flex;align-items:center;gap:8px;margin:.5em 0;flex-wrap:wrap}
.steps input{flex:1 1 140px;max-width:340px;min-width:0;height:28px;margin:0;accent-color:var(--spade-first)}
.steps button{font:inherit;color:inherit;background:var(--spade-band);border:1px solid var(--spade-muted);border-radius:4px;
min-width:36px;padding:3px 8px;cursor:pointer}
.steps button:disabled{color:var(--spade-muted);border-color:var(--spade-rule);cursor:default}
.steps output{min-width:7.5em}
@media (max-width:640px){.pair.n2{grid-template-columns:1fr}.turn.none{display:none}}
@media print{.steps{display:none}.turn[hidden]{display:block}}
`;
