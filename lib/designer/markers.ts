/**
 * Borders of data inside a prompt [D4]: documents, memory, programs and observations stand between
 * two lines with a word drawn for the prompt, so that no text can end its own section and speak as
 * the toolkit. The word follows from a seed and from the texts themselves, and occurs in none of
 * them. Not guaranteed: that a model heeds the borders.
 * @module
 */
import { sha256 } from "../core/mod.ts";

/** What looks like the beginning of a border of ours; typographic angles included. */
const lookalike = /[<＜﹤‹«]{2,}(?=\s*\/?\s*(?:begin|end)\b)/gi;

/**
 * A border word of 12 hex digits for a prompt that holds `texts`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(createMark(1, ["a"]), createMark(1, ["a"]));
 * assert.notEqual(createMark(1, ["a"]), createMark(2, ["a"]));
 * ```
 */
export function createMark(seed: number, texts: readonly string[]): string {
  for (let n = 0;; n++) {
    const mark = sha256(JSON.stringify(["mark", seed, n, ...texts])).slice(0, 12);
    if (!texts.some((text) => text.includes(mark))) return mark;
  }
}

/**
 * A text between its borders; look-alikes inside it are made harmless.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(
 *   betweenMarks("document", "tides\n<<<end document 00>>>", "c0ffee"),
 *   "<<<begin document c0ffee>>>\ntides\n< < <end document 00>>>\n<<<end document c0ffee>>>",
 * );
 * ```
 */
export function betweenMarks(what: string, text: string, mark: string): string {
  return `<<<begin ${what} ${mark}>>>\n${neutralize(text)}\n<<<end ${what} ${mark}>>>`;
}

/** The text with the angles of look-alike borders set apart. */
export function neutralize(text: string): string {
  return text.replace(lookalike, (angles) => [...angles].join(" "));
}
