/**
 * The action inside an agent's reply. Default [D11]: the last balanced, non-empty `\boxed{…}`. The
 * published rules (first box wins, outer braces stripped) stay available as parity variants.
 * @module
 */

/** Matches the head of a box; spaces before the brace are allowed. */
const head = /\\boxed\s*\{/g;

/**
 * Content of the last balanced, non-empty `\boxed{…}`, trimmed; undefined when there is none.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(lastBoxed(String.raw`\boxed{1} then \boxed{\frac{1}{2}}`), String.raw`\frac{1}{2}`);
 * ```
 */
export function lastBoxed(text: string): string | undefined {
  const starts = [...text.matchAll(head)].map((match) => match.index + match[0].length);
  for (const start of starts.reverse()) {
    const end = closingBrace(text, start);
    if (end === -1) continue;
    const content = text.slice(start, end).trim();
    if (content !== "") return content;
  }
  return undefined;
}

/**
 * What `step` receives for a reply: the last box re-wrapped, or the raw reply where there is none.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(boxedAction(String.raw`not \boxed{1} but \boxed{ 2 }`), String.raw`\boxed{2}`);
 * assert.equal(boxedAction("go north"), "go north");
 * ```
 */
export function boxedAction(reply: string): string {
  const content = lastBoxed(reply);
  return content === undefined ? reply : box(content);
}

/** `\boxed{content}`. */
export function box(content: string): string {
  return `\\boxed{${content}}`;
}

/** Parity: published `extract_boxed_answer`; null where it found nothing. */
export function extractBoxedPublished(text: string): string | null {
  for (
    const pattern of [
      /\\boxed\{([^{}]+)\}/,
      /\\boxed\{\{([^{}]+)\}\}/,
      /\\boxed\{\{\{([^{}]+)\}\}\}/,
    ]
  ) {
    const match = pattern.exec(text);
    if (match) return match[1].trim();
  }
  const last = text.lastIndexOf("\\boxed");
  const open = last === -1 ? -1 : text.indexOf("{", last);
  const end = open === -1 ? -1 : closingBrace(text, open + 1);
  if (end === -1) return null;
  let content = text.slice(open + 1, end).trim();
  for (let layer = 0; layer < 2 && /^\{[\s\S]*\}$/.test(content); layer++) {
    content = content.slice(1, -1).trim();
  }
  return content;
}

/** Parity: published `parse_action_boxed`. */
export function boxedActionPublished(reply: string): string {
  const content = extractBoxedPublished(reply);
  return content ? box(content) : reply;
}

/** Index of the brace that closes the one before `start`, or -1. */
function closingBrace(text: string, start: number): number {
  let depth = 1;
  for (let i = start; i < text.length; i++) {
    if (text[i] === "{") depth += 1;
    else if (text[i] === "}" && --depth === 0) return i;
  }
  return -1;
}
