/** What a page leaves out to stay small, and that it says so. @module */
import { escapeHtml, showInvisible } from "./escape.ts";
import { formatCount } from "./format.ts";
import { type Html, html } from "./page.ts";

/**
 * Text in a `<pre>`, its invisible characters named, with a ⚠ where only its start is shown.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(preHtml("a < b\u202e").text, '<pre class="wrap">a &lt; b⟨U+202E⟩</pre>');
 * ```
 */
export function preHtml(
  text: string,
  { className = "wrap", most = 20_000 }: { className?: string; most?: number } = {},
): Html {
  const { shown, note } = cut(text, most);
  // What may scroll must be reached by the keyboard; what cannot would only be in its way.
  const scrolls = shown.length > 400 || shown.split("\n", 11).length > 10;
  return html(
    `<pre class="${escapeHtml(className)}"${scrolls ? ' tabindex="0"' : ""}>${
      escapeHtml(showInvisible(shown))
    }</pre>${note}`,
  );
}

/**
 * The start of a text and a ⚠ that counts the rest; whole where it is short enough.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(cut("abc", 5), { shown: "abc", note: "" });
 * assert.match(cut("abcdef", 4).note, /⚠ 2 of 6 characters left out/);
 * ```
 */
export function cut(text: string, most: number): { shown: string; note: string } {
  if (text.length <= most) return { shown: text, note: "" };
  const left = `${formatCount(text.length - most)} of ${formatCount(text.length)}`;
  return {
    shown: text.slice(0, most),
    note: `<p class="warn">⚠ ${left} characters left out</p>`,
  };
}
