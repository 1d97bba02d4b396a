import assert from "node:assert/strict";
import fc from "fast-check";
import { sha256 } from "../../lib/core/mod.ts";
import {
  type CorpusCursor,
  corpusStats,
  createCorpus,
  createCursor,
  createDocument,
  drawDocuments,
  parseFolder,
  parseJsonl,
  poolOf,
  truncateText,
} from "../../lib/corpus/mod.ts";

const line = (value: unknown) => JSON.stringify(value);

Deno.test("parseJsonl() reads orig_doc, else text, with skill, origin and licence of each document", () => {
  const { documents, rejects } = parseJsonl(
    [
      line({ text: "a", skill: "Logical Deduction", licence: "CC0" }),
      line({ text: "no", orig_doc: "b\r\nc", origin: "book 3", license: "MIT" }),
      "",
      line({ text: "d", orig_doc: null, skill: null, licence: null }),
    ].join("\n") + "\n",
    { name: "x.jsonl", licence: "BY" },
  );
  assert.deepEqual(rejects, []);
  assert.deepEqual(
    documents.map(({ text, skill, origin, licence }) => [text, skill, origin, licence]),
    [
      ["a", "Logical Deduction", "x.jsonl:1", "CC0"],
      ["b\nc", "", "book 3", "MIT"],
      ["d", "", "x.jsonl:4", "BY"],
    ],
  );
  assert.equal(documents[0].id, sha256("a"));
});

Deno.test("parseJsonl() skips malformed lines up to 1 %, with their numbers, then refuses", () => {
  const good = Array.from({ length: 99 }, (_, i) => line({ text: `t${i}` }));
  const { documents, rejects } = parseJsonl([...good, "{oops"].join("\n"));
  assert.equal(documents.length, 99);
  assert.deepEqual(rejects, [{ line: 100, name: "corpus", reason: "not JSON" }]);
  const bad = [
    "[1]",
    "7",
    line({ skill: "x" }),
    line({ text: " " }),
    line({ text: "t", skill: 3 }),
  ];
  assert.throws(
    () => parseJsonl([...good, ...bad].join("\n"), { name: "c.jsonl" }),
    (error: Error) => {
      assert(error instanceof SyntaxError);
      assert.match(error.message, /c\.jsonl: 5 of 104 .*line 100: not an object; line 101: not an/);
      assert.match(error.message, /line 102: no text.*line 103: text is empty; line 104: skill is/);
      return true;
    },
  );
  assert.equal(parseJsonl([...good, ...bad].join("\n"), { limit: 0.1 }).rejects.length, 5);
});

Deno.test("parseJsonl() keeps the first of equal texts", () => {
  const { documents, duplicates } = parseJsonl(
    [line({ text: "a" }), line({ text: "a" })].join("\n"),
  );
  assert.deepEqual([documents.length, duplicates], [1, 1]);
});

Deno.test("parseFolder(): one document a file, in order of path", () => {
  const files = [{ path: "b.txt", text: "two\r\n" }, { path: "a.txt", text: "one" }];
  const { documents } = parseFolder(files, { licence: "CC0" });
  assert.deepEqual(documents.map(({ text, origin }) => [text, origin]), [["one", "a.txt"], [
    "two\n",
    "b.txt",
  ]]);
  assert.throws(() => parseFolder([...files, { path: "c", text: "" }]), /c: file is empty/);
});

const words = {
  encode: (text: string) => [...text.matchAll(/\n|[^\s]+ ?| /g)].map((match) => word(match[0])),
  decode: (list: readonly number[]) => list.map((id) => vocabulary[id]).join(""),
};
const vocabulary: string[] = [];
function word(text: string): number {
  const at = vocabulary.indexOf(text);
  return at >= 0 ? at : vocabulary.push(text) - 1;
}
/** A tokenizer whose text loses line breaks, as some do. */
const lossy = {
  ...words,
  decode: (list: readonly number[]) => words.decode(list).replace(/\s+/g, " "),
};
/** UTF-8 bytes: cuts can fall inside a character. */
const bytes = {
  encode: (text: string) => [...new TextEncoder().encode(text)],
  decode: (list: readonly number[]) => new TextDecoder().decode(new Uint8Array(list)),
};

Deno.test("truncateText() cuts by model tokens and keeps line breaks [D22]", () => {
  const text = "one two\n\nthree four\nfive";
  for (const tokenizer of [words, lossy]) {
    assert.deepEqual(truncateText(text, tokenizer), { text, tokens: 8, cut: false });
    const { text: kept, tokens, cut } = truncateText(text, tokenizer, { limit: 5 });
    assert(text.startsWith(kept) && kept.includes("one two\n\nthree"), kept);
    assert(tokens <= 5 && cut);
  }
  assert.throws(() => truncateText("a", words, { limit: 0 }), RangeError);
});

Deno.test("truncateText(): always a well-formed prefix within the limit", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n", " ") });
  fc.assert(fc.property(text, fc.integer({ min: 1, max: 12 }), (value, limit) => {
    for (const tokenizer of [bytes, words, lossy]) {
      const { text: kept, tokens, cut } = truncateText(value, tokenizer, { limit });
      assert(value.startsWith(kept) && kept.isWellFormed());
      assert(tokens <= limit && cut === (kept !== value));
    }
  }));
});

const documents = (count: number, skill = "") =>
  Array.from(
    { length: count },
    (_, i) => createDocument({ text: `${skill} ${i}`, skill, origin: "", licence: "" }),
  );

Deno.test("drawDocuments(): without replacement until exhausted, then a new seeded pass [D23]", () => {
  const corpus = createCorpus(documents(10));
  const { documents: drawn, cursor } = drawDocuments(corpus, createCursor(1), Array(30).fill("A"));
  const passes = [0, 1, 2].map((pass) =>
    drawn.slice(10 * pass, 10 * pass + 10).map(({ id }) => id)
  );
  for (const pass of passes) assert.equal(new Set(pass).size, 10);
  assert.notDeepEqual(passes[0], passes[1]);
  assert.deepEqual([cursor.drawn, cursor.repeated], [30, 20]);
  const other = drawDocuments(corpus, createCursor(2), Array(10).fill("A")).documents;
  assert.notDeepEqual(other.map(({ id }) => id), passes[0]);
});

Deno.test("drawDocuments(): documents of the skill, else those without one, else an error", () => {
  const corpus = createCorpus([...documents(3, "A"), ...documents(3, "B")]);
  const { documents: drawn } = drawDocuments(corpus, createCursor(1), ["A", "B", "A", "A", "B"]);
  assert.deepEqual(drawn.map(({ skill }) => skill), ["A", "B", "A", "A", "B"]);
  assert.equal(new Set(drawn.map(({ id }) => id)).size, 5);
  assert.throws(
    () => drawDocuments(corpus, createCursor(1), ["C"]),
    /none for skill C, only for A, B/,
  );
  assert.equal(poolOf(createCorpus([...documents(1, "A"), ...documents(1)]), "C"), "");
});

Deno.test("drawDocuments(): the order of the corpus file changes nothing", () => {
  const list = documents(9);
  const [a, b] = [list, [...list].reverse()].map((items) =>
    drawDocuments(createCorpus(items), createCursor(4), Array(12).fill("")).documents
  );
  assert.deepEqual(a, b);
});

Deno.test("[6.6] the cursor survives a checkpoint: a resumed run sees no document twice https://github.com/paiml/entrenar/issues/294", () => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 6 }), (steps) => {
    const corpus = createCorpus([...documents(5, "A"), ...documents(7, "B")]);
    const skills = steps.map((count) => Array.from({ length: count }, (_, i) => "AB"[i % 2]));
    const whole = drawDocuments(corpus, createCursor(3), skills.flat());
    let cursor: CorpusCursor = createCursor(3);
    const resumed = skills.flatMap((list) => {
      const result = drawDocuments(corpus, JSON.parse(JSON.stringify(cursor)), list);
      cursor = result.cursor;
      return result.documents;
    });
    assert.deepEqual(resumed, whole.documents);
    assert.deepEqual(cursor, whole.cursor);
  }));
  const corpus = createCorpus(documents(4)),
    { cursor } = drawDocuments(corpus, createCursor(1), [""]);
  assert.throws(() => drawDocuments(createCorpus(documents(5)), cursor, [""]), /must have 4/);
});

Deno.test("corpusStats() counts licences, near duplicates and lengths", () => {
  const lines = [
    { text: "One two, three.", licence: "MIT", skill: "A" },
    { text: "one two three", licence: "CC0-1.0" },
    { text: "x ".repeat(40), licence: "CC0-1.0" },
    { text: "x ".repeat(40), licence: "CC0-1.0" },
  ].map(line);
  const stats = corpusStats(parseJsonl(lines.join("\n")));
  assert.deepEqual([stats.documents, stats.duplicates, stats.nearDuplicates], [3, 1, 1]);
  assert.deepEqual(stats.licences, [["CC0-1.0", 2], ["MIT", 1]]);
  assert.deepEqual(stats.skills, [["none", 2], ["A", 1]]);
  assert.deepEqual(stats.words, { least: 3, quartiles: [3, 3, 40], most: 40, total: 46 });
  assert.deepEqual(stats.histogram.map(({ from, to, count }) => [from, to, count]), [
    ...[[0, 4, 2], [5, 9, 0], [10, 14, 0], [15, 19, 0], [20, 24, 0], [25, 29, 0]],
    ...[[30, 34, 0], [35, 39, 0], [40, 44, 1]],
  ]);
  const empty = corpusStats(parseJsonl(""));
  assert.deepEqual([empty.words.most, empty.histogram, empty.licences], [0, [], []]);
});

Deno.test("corpusStats(): the bins hold every document, however long", () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(lengths, (list) => {
      const text = list.map((n, i) => line({ text: `${i} ${"x ".repeat(n)}` })).join("\n");
      const { histogram } = corpusStats(parseJsonl(text));
      assert(histogram.length <= 12);
      assert.equal(histogram.reduce((sum, { count }) => sum + count, 0), list.length);
      assert(histogram[0].count > 0 && histogram.at(-1)!.count > 0);
    }),
    { numRuns: 30 },
  );
});
