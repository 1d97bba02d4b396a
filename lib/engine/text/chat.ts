/**
 * The compact chat form of the embedded policy: each message is the special token named by its
 * role, then its text. The text is encoded apart from the marker, so a conversation only ever grows
 * at its end.
 * @module
 */
import type { Chat, Message, Tokenizer } from "../../core/mod.ts";

/** Ends every reply. */
export const endToken = "<|end|>";

/**
 * Chat over the special tokens `<|role|>` of `tokenizer`; replies end with `<|end|>`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const tokenizer = {
 *   encode: (text: string) => [...text].map((character) => character.charCodeAt(0)),
 *   decode: (ids: readonly number[]) => String.fromCharCode(...ids),
 *   specials: { "<|end|>": 1, "<|obs|>": 2, "<|act|>": 3 },
 * };
 * const chat = compactChat(tokenizer);
 * assert.deepEqual(chat.delta([{ role: "obs", content: "A" }, { role: "act", content: "" }]), [2, 65, 3]);
 * assert.deepEqual(chat.stopIds, [1]);
 * ```
 *
 * @throws {RangeError} when the tokenizer has no end token; by `first` and `delta` when a role has
 * no token.
 */
export function compactChat(tokenizer: Tokenizer): Chat {
  const special = (name: string) => {
    const id = tokenizer.specials[name];
    if (id === undefined) {
      throw new RangeError(
        `Cannot render message: ${name} is not a special token of the tokenizer`,
      );
    }
    return id;
  };
  const render = (messages: readonly Message[]) =>
    messages.flatMap(({ role, content }) => [
      special(`<|${role}|>`),
      ...tokenizer.encode(content),
    ]);
  return {
    first: (messages) => render(messages),
    delta: (messages) => render(messages),
    stopIds: [special(endToken)],
    stripsThinking: false,
    placesTools: false,
  };
}
