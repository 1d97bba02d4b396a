/**
 * Text that a model or a program wrote is shown, never interpreted: escaped for HTML and SVG, control characters
 * made visible for terminals.
 * @module
 */

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Safe in HTML and SVG text and in quoted attributes. Control characters that XML forbids become U+FFFD.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(escapeHtml(`<b a="1">&'`), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
 * ```
 */
export function escapeHtml(text: string): string {
  return text.toWellFormed()
    // deno-lint-ignore no-control-regex
    .replaceAll(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/g, "\ufffd")
    .replaceAll(/[&<>"']/g, (c) => entities[c]);
}

/**
 * Safe in a terminal: escape sequences, carriage returns and bidirectional overrides become visible symbols.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(escapeTerminal("a\x1b[2Jb"), "a␛[2Jb");
 * ```
 */
export function escapeTerminal(text: string): string {
  return text.toWellFormed()
    // deno-lint-ignore no-control-regex
    .replaceAll(/[\x00-\x08\x0b-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replaceAll(/[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

/**
 * Names characters that are not seen or that reorder text: controls as symbols, the invisible by their code. Line breaks
 * and tabs stay. The result still has to be escaped.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(showInvisible("a\u202eb\x00\n"), "a⟨U+202E⟩b␀\n");
 * ```
 */
export function showInvisible(text: string): string {
  return text.toWellFormed()
    // deno-lint-ignore no-control-regex
    .replaceAll(/[\x00-\x08\x0b-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replaceAll(
      /[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g,
      (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
    );
}
