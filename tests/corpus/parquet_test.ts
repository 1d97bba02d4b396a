/** Files written by pyarrow (see parquet.py), so that reader and writer are not the same code. */
import assert from "node:assert/strict";
import { parseParquet } from "../../lib/corpus/mod.ts";
import files from "./parquet.json" with { type: "json" };

const bytes = (name: keyof typeof files) => Uint8Array.fromBase64(files[name]);

for (const codec of ["none", "snappy", "gzip", "zstd", "brotli"] as const) {
  Deno.test(`[8.5] parseParquet() reads ${codec} pages, null columns and all (dataset cards of the SPADE release)`, async () => {
    const { documents, rejects, duplicates } = await parseParquet(bytes(codec), {
      ...{ name: "x.parquet", licence: "BY", limit: 0.5 },
    });
    assert.deepEqual(
      documents.map(({ text, skill, origin, licence }) => [text, skill, origin, licence]),
      [
        ["tide tables", "", "x.parquet:1", "CC0-1.0"],
        ["two\nlines — 潮", "Causal Inference", "x.parquet:4", "MIT"],
      ],
    );
    assert.deepEqual(rejects.map(({ line, reason }) => [line, reason]), [
      [2, "text is empty"],
      [3, "no text in orig_doc or text"],
    ]);
    assert.equal(duplicates, 1);
  });
}

Deno.test("parseParquet() reads several row groups in order, orig_doc before text", async () => {
  const { documents } = await parseParquet(bytes("groups"));
  assert.deepEqual(
    documents.map(({ text }) => text),
    [...Array(25).keys()].map((i) => `document ${i}`),
  );
});

Deno.test("parseParquet() reads large, dictionary and binary text", async () => {
  for (
    const [name, wanted] of [["large", ["big"]], ["dictionary", ["a", "b"]], ["binary", [
      "raw",
    ]]] as const
  ) {
    const { documents } = await parseParquet(bytes(name));
    assert.deepEqual(documents.map(({ text }) => text), wanted);
  }
});

Deno.test("parseParquet() says what is wrong: other columns, too many rows without text, no Parquet", async () => {
  const refusal = (content: Uint8Array) =>
    parseParquet(content, { name: "x.parquet" }).then(
      () => assert.fail("must be refused"),
      (error) => {
        assert(error instanceof SyntaxError, String(error));
        return error.message;
      },
    );
  assert.match(await refusal(bytes("other")), /x\.parquet: it has the columns body, n, must have/);
  assert.match(await refusal(bytes("snappy")), /2 of 5 are malformed.* 1 %; line 2: text is empty/);
  assert.match(await refusal(bytes("nothing")), /3 of 3 are malformed.*line 1: no text/);
  assert.match(await refusal(bytes("number")), /2 of 2 are malformed/);
  assert.match(await refusal(new TextEncoder().encode('{"text":"a"}\n')), /^Cannot read corpus x/);
  assert.match(await refusal(bytes("none").slice(0, -20)), /^Cannot read corpus x/);
  assert.deepEqual((await parseParquet(bytes("empty"))).documents, []);
});
