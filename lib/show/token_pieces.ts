/**
 * What each sampled id says. A character of several bytes may be spread over several ids: the last one then carries it
 * and those before it are marked as parts of it, so that the texts joined are the text of all ids.
 * @module
 */
import type { Tokenizer } from "../core/mod.ts";

/** One id and its text. */
export interface TokenPiece {
  /** In the tokenizer's vocabulary. */
  id: number;
  /** What it adds to the text; empty for a part of a character. */
  text: string;
  /** `special`: `text` is its name; `part`: of a character that a later id completes; `unknown`: not in the vocabulary. */
  kind: "text" | "special" | "part" | "unknown";
}

/** Ids that one character may be spread over. */
const longestCharacter = 8;

/**
 * The pieces of a sequence, an id a piece.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const words = ["<end>", "no", "de"];
 * const decode = (ids: readonly number[]) => ids.filter((id) => id > 0).map((id) => words[id]).join("");
 * const tokenizer = { encode: () => [], decode, specials: { "<end>": 0 } };
 * assert.deepEqual(tokenPieces(tokenizer, [1, 2, 0]), [
 *   { id: 1, text: "no", kind: "text" },
 *   { id: 2, text: "de", kind: "text" },
 *   { id: 0, text: "<end>", kind: "special" },
 * ]);
 * ```
 */
export function tokenPieces(tokenizer: Tokenizer, ids: readonly number[]): TokenPiece[] {
  const names = new Map(Object.entries(tokenizer.specials).map(([name, id]) => [id, name]));
  const pieces: TokenPiece[] = [];
  // Decoders may drop a space at the start of a text: each group is read after the one before it.
  let before: number[] = [];
  for (let at = 0; at < ids.length;) {
    const name = names.get(ids[at]);
    if (name !== undefined) {
      pieces.push({ id: ids[at], text: name, kind: "special" });
      before = [];
      at += 1;
      continue;
    }
    const group = groupAt(tokenizer, ids, at, (id) => names.has(id));
    const text = textAfter(tokenizer, before, group);
    for (const id of group.slice(0, -1)) pieces.push({ id, text: "", kind: "part" });
    pieces.push({ id: group[group.length - 1], text, kind: text === "" ? "unknown" : "text" });
    before = group;
    at += group.length;
  }
  return pieces;
}

/** The ids from `at` that make whole characters: as a rule one. */
function groupAt(
  tokenizer: Tokenizer,
  ids: readonly number[],
  at: number,
  isSpecial: (id: number) => boolean,
): number[] {
  for (let end = at + 1; end <= Math.min(ids.length, at + longestCharacter); end++) {
    if (isSpecial(ids[end - 1])) break;
    const group = ids.slice(at, end);
    if (!tokenizer.decode(group).includes("\ufffd")) return group;
  }
  return [ids[at]];
}

function textAfter(
  tokenizer: Tokenizer,
  before: readonly number[],
  group: readonly number[],
): string {
  const alone = tokenizer.decode(group);
  if (before.length === 0) return alone;
  const start = tokenizer.decode(before), both = tokenizer.decode([...before, ...group]);
  return both.startsWith(start) ? both.slice(start.length) : alone;
}
