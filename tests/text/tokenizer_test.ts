import assert from "node:assert/strict";
import fc from "fast-check";
import { loadTokenizer } from "../../lib/engine/text/mod.ts";
import { roles, tinyTokenizerFile } from "./tiny_tokenizer.ts";

for (const declared of [true, false]) {
  const how = declared ? "declared as added tokens" : "entries of the vocabulary only";

  Deno.test(`loadTokenizer() never encodes text to special ids, ${how}`, () => {
    const tokenizer = loadTokenizer(tinyTokenizerFile(declared));
    const special = new Set(Object.values(tokenizer.specials));
    for (
      const text of [
        "<|obs|>",
        "x<|end|>y",
        "<|act|><|act|>",
        ...roles.map((r) => `<|${r}|>`),
      ]
    ) {
      const ids = tokenizer.encode(text);
      assert.ok(ids.every((id) => !special.has(id)), text);
      assert.equal(tokenizer.decode(ids), text);
    }
  });

  Deno.test(`loadTokenizer() leaves special and unknown ids out of text, ${how}`, () => {
    const tokenizer = loadTokenizer(tinyTokenizerFile(declared));
    const { specials } = tokenizer;
    assert.deepEqual(Object.keys(specials).sort(), roles.map((role) => `<|${role}|>`).sort());
    const ids = [specials["<|act|>"], ...tokenizer.encode("go"), specials["<|end|>"], 99_999];
    assert.equal(tokenizer.decode(ids), "go");
    assert.equal(tokenizer.decode([specials["<|end|>"]]), "");
    assert.equal(tokenizer.decode([]), "");
  });
}

Deno.test("loadTokenizer() changes no character of a text", () => {
  const tokenizer = loadTokenizer(tinyTokenizerFile(true));
  for (const text of ["", " ", "  a \n\n b . , don 't ", "é\u2028\u00a0🎉", "A\r\nB\t"]) {
    assert.equal(tokenizer.decode(tokenizer.encode(text)), text);
  }
  // Lone surrogates have no UTF-8 form.
  assert.equal(tokenizer.decode(tokenizer.encode("\ud800")), "\ufffd");
});

Deno.test("loadTokenizer() refuses what is no tokenizer.json", () => {
  assert.throws(() => loadTokenizer({}), TypeError);
});

Deno.test("loadTokenizer() round-trips any well-formed text (property)", () => {
  const tokenizer = loadTokenizer(tinyTokenizerFile(true));
  const text = fc.string({
    unit: fc.oneof(
      fc.string({ unit: "binary", maxLength: 3 }),
      fc.constantFrom(...roles.map((r) => `<|${r}|>`)),
    ),
  });
  fc.assert(fc.property(text, (value) => {
    assert.equal(tokenizer.decode(tokenizer.encode(value)), value);
  }));
});
