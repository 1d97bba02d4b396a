/** Whether a text gives something away. @module */

const isWord = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);

/**
 * Whether `text` says `words`, not inside a longer word, upper or lower case.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(says("The Oak's leaves", "oak"), true);
 * assert.equal(says("soaked", "oak"), false);
 * ```
 */
export function says(text: string, words: string): boolean {
  const [hay, needle] = [text.toLowerCase(), words.toLowerCase()];
  for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, at + 1)) {
    const end = at + needle.length;
    const glued = (isWord(hay[at - 1]) && isWord(needle[0])) ||
      (isWord(hay[end]) && isWord(needle[needle.length - 1]));
    if (!glued) return true;
  }
  return false;
}
