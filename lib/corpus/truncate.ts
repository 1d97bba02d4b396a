/** Documents cut to a number of model tokens, line breaks kept [D22]. @module */
import type { Tokenizer } from "../core/mod.ts";

/** A text with its length in tokens, and whether it was cut. */
export interface Truncated {
  /** The text or a prefix of it. */
  text: string;
  /** Length of `text` in tokens. */
  tokens: number;
  /** Whether something is missing. */
  cut: boolean;
}

/**
 * The text if it has at most `limit` tokens, else a prefix of it that does: always characters of the original, so line
 * breaks and spaces stay as they are. The prefix is that of the first `limit` tokens where their text is one, else the
 * longest found by bisection.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // a tokenizer whose tokens are letters
 * const letters = {
 *   encode: (text: string) => [...text].map((letter) => letter.charCodeAt(0)),
 *   decode: (ids: readonly number[]) => String.fromCharCode(...ids),
 * };
 * const { text, tokens, cut } = truncateText("high\ntide", letters, { limit: 6 });
 * assert.deepEqual([text, tokens, cut], ["high\nt", 6, true]);
 * ```
 *
 * @throws {RangeError} when the limit is not a whole number >= 1.
 */
export function truncateText(
  text: string,
  tokenizer: Pick<Tokenizer, "encode" | "decode">,
  options: { limit?: number } = {},
): Truncated {
  const { limit = 6000 } = options;
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RangeError(`Cannot truncate: limit is ${limit}, must be a whole number >= 1`);
  }
  const ids = tokenizer.encode(text);
  if (ids.length <= limit) return { text, tokens: ids.length, cut: false };
  const count = (length: number) => tokenizer.encode(prefixOf(text, length)).length;
  const decoded = tokenizer.decode(ids.slice(0, limit)).replace(/\uFFFD+$/, "");
  const exact = decoded !== "" && text.startsWith(decoded) && count(decoded.length) <= limit;
  let low = exact ? decoded.length : 0, high = exact ? low : text.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(middle) <= limit) low = middle;
    else high = middle - 1;
  }
  const kept = prefixOf(text, low);
  return { text: kept, tokens: tokenizer.encode(kept).length, cut: true };
}

/** The first `length` UTF-16 units, never half a character. */
function prefixOf(text: string, length: number): string {
  const prefix = text.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(prefix) ? prefix.slice(0, -1) : prefix;
}
