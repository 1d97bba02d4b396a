/**
 * A `tokenizer.json` as a {@link Tokenizer}. Guarantees: `encode` never yields a special id, so
 * text from a corpus, a program or an observation cannot imitate a role marker; `decode` leaves out
 * special ids (and ids without a token, which a padded output layer can sample) and changes no
 * spaces. Not guaranteed: `encode(decode(ids))` equals `ids`; sampled ids are therefore stored,
 * never re-encoded.
 * @module
 */
import { Tokenizer as HuggingFaceTokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import type { Tokenizer } from "../../core/mod.ts";

const addedToken = z.looseObject({
  id: z.number().int().nonnegative(),
  content: z.string().min(1),
  special: z.boolean().optional(),
});

const tokenizerFile = z.looseObject({
  added_tokens: z.array(addedToken).default([]),
  model: z.looseObject({ vocab: z.unknown() }),
});

/**
 * How special entries of a vocabulary are spelled when the file does not declare them as added
 * tokens.
 */
const spelling = /^<\|[^|]+\|>$/;

/**
 * Reads the parsed content of a Hugging Face `tokenizer.json`. Special are its added tokens marked
 * so, and entries of the vocabulary spelled `<|name|>`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const tokenizer = loadTokenizer({
 *   added_tokens: [{ id: 2, content: "<|end|>", special: true }],
 *   normalizer: null,
 *   pre_tokenizer: { type: "Whitespace" },
 *   post_processor: null,
 *   decoder: null,
 *   model: { type: "WordLevel", vocab: { up: 0, down: 1, "<|end|>": 2 }, unk_token: "up" },
 * });
 * assert.deepEqual(tokenizer.encode("down up"), [1, 0]);
 * assert.deepEqual(tokenizer.specials, { "<|end|>": 2 });
 * assert.equal(tokenizer.decode([1, 2, 0]), "down up");
 * ```
 *
 * @throws {TypeError} when the object has not the shape of such a file.
 */
export function loadTokenizer(tokenizerJson: object): Tokenizer {
  const parsed = tokenizerFile.safeParse(tokenizerJson);
  if (!parsed.success) {
    throw new TypeError("Cannot load tokenizer: not the content of a tokenizer.json", {
      cause: parsed.error,
    });
  }
  const { added_tokens: added, model } = parsed.data;
  const declared = added.filter((token) => token.special === true)
    .map(({ content, id }): [string, number] => [content, id]);
  const spelled = entries(model.vocab).filter(([token]) => spelling.test(token));
  const specials = Object.freeze(Object.fromEntries([...spelled, ...declared]));
  const specialIds = new Set(Object.values(specials));
  // Without its special tokens the library treats their spellings as ordinary text.
  const plain = new HuggingFaceTokenizer({
    ...parsed.data,
    added_tokens: added.filter((token) => token.special !== true),
    model: { ...model, vocab: withoutSpecials(model.vocab, specials) },
  }, {});

  return {
    specials,
    encode(text) {
      if (text === "") return [];
      const { ids } = plain.encode(text, { add_special_tokens: false });
      if (ids.some((id) => !Number.isInteger(id) || specialIds.has(id))) {
        throw new RangeError("Cannot encode text: it yields an unknown or special token id");
      }
      return ids;
    },
    decode(ids) {
      const text = ids.filter((id) => !specialIds.has(id) && plain.id_to_token(id) !== undefined);
      if (text.length === 0) return "";
      return plain.decode(text, { clean_up_tokenization_spaces: false });
    },
  };
}

/** Vocabulary without the special spellings; their ids stay free. */
function withoutSpecials(vocab: unknown, specials: Readonly<Record<string, number>>): unknown {
  const kept = entries(vocab).filter(([token]) => !Object.hasOwn(specials, token));
  return kept.length > 0 ? Object.fromEntries(kept) : vocab;
}

/** Entries of a `{token: id}` vocabulary; other forms (Unigram's list) have none. */
function entries(vocab: unknown): [string, number][] {
  return vocab !== null && typeof vocab === "object" && !Array.isArray(vocab)
    ? Object.entries(vocab)
    : [];
}
