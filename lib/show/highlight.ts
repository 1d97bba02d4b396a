/**
 * Python with simple highlighting. The text inside the markup is the source, whatever it is: only spans are added,
 * everything else is escaped, and no input takes more than linear time.
 * @module
 */
import { escapeHtml, showInvisible } from "./escape.ts";
import { type Html, html } from "./page.ts";

const keywords = new Set(
  ("and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield " +
    "None True False self").split(" "),
);

/** A piece of source and its class. */
export interface Token {
  /** k keyword, s string, c comment, n number; empty for the rest. */
  kind: "" | "k" | "s" | "c" | "n";
  /** As it stands in the source. */
  text: string;
}

/**
 * Pieces that joined give the source again.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(pythonTokens("x = 1  # one").at(-1), { kind: "c", text: "# one" });
 * ```
 */
export function pythonTokens(source: string): Token[] {
  const tokens: Token[] = [];
  const word = /[A-Za-z_]\w*/y, number = /\d[\w.]*/y, rest = /[^A-Za-z_\d"'#]+/y;
  let at = 0, opened = 0;
  const take = (kind: Token["kind"], end: number) => {
    tokens.push({ kind, text: source.slice(opened, end) });
    opened = at = end;
  };
  const match = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.test(source) ? pattern.lastIndex : -1;
  };
  while (at < source.length) {
    const c = source[at];
    if (c === "#") {
      const end = source.indexOf("\n", at);
      take("c", end < 0 ? source.length : end);
    } else if (c === '"' || c === "'") {
      take("s", stringEnd(source, at));
    } else if (match(word) > 0) {
      const end = word.lastIndex, text = source.slice(at, end);
      const quote = source[end] === '"' || source[end] === "'";
      if (quote && /^[rbfuRBFU]{1,2}$/.test(text)) at = end;
      else take(keywords.has(text) ? "k" : "", end);
    } else if (match(number) > 0) take("n", number.lastIndex);
    else take("", match(rest) > 0 ? rest.lastIndex : at + 1);
  }
  return tokens;
}

/** End of a string that opens at `at`: after its closing quotes, or at the end of line or text without them. */
function stringEnd(source: string, at: number): number {
  const quote = source[at], long = source.startsWith(quote.repeat(3), at);
  let i = at + (long ? 3 : 1);
  while (i < source.length) {
    if (source[i] === "\\") i += 2;
    else if (long && source.startsWith(quote.repeat(3), i)) return i + 3;
    else if (!long && source[i] === quote) return i + 1;
    else if (!long && source[i] === "\n") return i;
    else i += 1;
  }
  return source.length;
}

/**
 * `<pre>` with numbered lines; characters that are not seen or reorder text are named.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(pythonHtml("pass\n").text, /<span class="line"><span class="k">pass<\/span><\/span>/);
 * ```
 */
export function pythonHtml(source: string): Html {
  const body = pythonTokens(showInvisible(source)).map(({ kind, text }) =>
    text.split("\n").map((part) =>
      kind === "" || part === ""
        ? escapeHtml(part)
        : `<span class="${kind}">${escapeHtml(part)}</span>`
    ).join("\n")
  ).join("").replace(/\n$/, "");
  const lines = body.split("\n").map((line) => `<span class="line">${line}</span>`);
  return html(`<pre class="code" tabindex="0"><code>${lines.join("\n")}</code></pre>`);
}

/** Rules for code. */
export const codeStyle = `
.code{counter-reset:line;max-height:none;background:none;border:1px solid var(--spade-rule)}
.code .line::before{counter-increment:line;content:counter(line);display:inline-block;width:2.4em;margin-right:1em;
text-align:right;color:var(--spade-muted);user-select:none}
.code .k{font-weight:700;color:var(--spade-first)}.code .s{color:var(--spade-third)}
.code .c{font-style:italic;color:var(--spade-muted)}.code .n{color:var(--spade-second)}
`;
