/** A byte-level tokenizer without merges: one id a byte, after the special tokens of the compact form. */
import { loadTokenizer } from "../../lib/engine/text/mod.ts";

export const roles = [
  "pad",
  "end",
  "design",
  "corpus",
  "memory",
  "program",
  "hint",
  "play",
  "obs",
  "act",
];

export function tinyTokenizerFile(declared: boolean): object {
  const specials = roles.map((role) => `<|${role}|>`);
  const vocab = Object.fromEntries([...specials, ...byteSymbols()].map((token, id) => [token, id]));
  return {
    version: "1.0",
    added_tokens: declared
      ? specials.map((content, id) => ({ id, content, special: true, normalized: false }))
      : [],
    normalizer: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, use_regex: false },
    post_processor: null,
    decoder: { type: "ByteLevel" },
    model: { type: "BPE", vocab, merges: [], ignore_merges: true },
  };
}

export const tinyTokenizer = () => loadTokenizer(tinyTokenizerFile(false));

/** The printable characters by which byte-level BPE writes the bytes 0 to 255. */
function byteSymbols(): string[] {
  const printable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  return Array.from(
    { length: 256 },
    (_, byte) => String.fromCharCode(printable(byte) ? byte : next++),
  );
}
