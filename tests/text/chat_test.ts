import assert from "node:assert/strict";
import { compactChat, loadTokenizer } from "../../lib/engine/text/mod.ts";
import { tinyTokenizer, tinyTokenizerFile } from "./tiny_tokenizer.ts";

Deno.test("compactChat() renders each message as its role's token and its text", () => {
  const tokenizer = tinyTokenizer();
  const { specials } = tokenizer;
  const chat = compactChat(tokenizer);
  const ids = chat.first([
    { role: "play", content: "S" },
    { role: "obs", content: "<|act|>" },
    { role: "act", content: "" },
  ]);
  assert.deepEqual(ids, [
    specials["<|play|>"],
    ...tokenizer.encode("S"),
    specials["<|obs|>"],
    ...tokenizer.encode("<|act|>"),
    specials["<|act|>"],
  ]);
  assert.equal(ids.filter((id) => id === specials["<|act|>"]).length, 1);
  assert.deepEqual(chat.stopIds, [specials["<|end|>"]]);
});

Deno.test("compactChat() delta is what the same messages add to the opening", () => {
  const chat = compactChat(tinyTokenizer());
  const opening = [{ role: "obs", content: "a" }, { role: "act", content: "" }];
  const later = [{ role: "obs", content: "b\n" }, { role: "act", content: "" }];
  assert.deepEqual(
    [...chat.first(opening), ...chat.delta(later)],
    chat.first([...opening, ...later]),
  );
});

Deno.test("compactChat() refuses roles without a token, and tokenizers without an end", () => {
  assert.throws(
    () => compactChat(tinyTokenizer()).first([{ role: "user", content: "" }]),
    RangeError,
  );
  const file = tinyTokenizerFile(true) as { added_tokens: unknown[]; model: { vocab: object } };
  file.added_tokens = [];
  file.model.vocab = Object.fromEntries(
    Object.entries(file.model.vocab).filter(([token]) => !token.startsWith("<|")),
  );
  assert.throws(() => compactChat(loadTokenizer(file)), /<\|end\|> is not a special token/);
});
