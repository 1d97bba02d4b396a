import assert from "node:assert/strict";
import fc from "fast-check";
import {
  cutText,
  escapeHtml,
  escapeTerminal,
  formatChange,
  formatCount,
  formatCounts,
  formatInterval,
  formatLarge,
  formatNumber,
  formatSeconds,
  formatShare,
  textTable,
} from "../../lib/show/mod.ts";
import { pythonHtml, pythonTokens } from "../../lib/show/highlight.ts";

Deno.test("pythonTokens() joined are the source, for any text", () => {
  const piece = fc.constantFrom(
    "'",
    '"',
    '"""',
    "\\",
    "\n",
    "#",
    "def ",
    "rb",
    "f",
    "1_0.5",
    "é ",
    "_x",
  );
  const text = fc.oneof(fc.string(), fc.array(piece).map((of) => of.join("")));
  fc.assert(fc.property(text, (source) => {
    assert.equal(pythonTokens(source).map((t) => t.text).join(""), source);
  }));
});

Deno.test("pythonTokens() knows strings, comments, keywords and numbers", () => {
  const kinds = pythonTokens(`def f(x): # no "string"\n  return rb'a#b' + """c\nd""" + 1.5`)
    .filter((t) => t.kind !== "").map((t) => `${t.kind}:${t.text}`);
  assert.deepEqual(kinds, [
    "k:def",
    'c:# no "string"',
    "k:return",
    "s:rb'a#b'",
    's:"""c\nd"""',
    "n:1.5",
  ]);
});

Deno.test("pythonTokens() takes linear time on hostile input", () => {
  const start = performance.now();
  pythonTokens("'".repeat(100_000) + "\\".repeat(100_000) + '"""'.repeat(50_000));
  assert.ok(performance.now() - start < 2000);
});

Deno.test("pythonHtml() escapes and numbers lines", () => {
  const { text } = pythonHtml("x = '<b>'\ny");
  assert.equal(text.match(/class="line"/g)?.length, 2);
  assert.ok(text.includes("&lt;b&gt;") && !text.includes("<b>"));
});

Deno.test("escapeHtml() leaves no markup, whatever comes in", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    assert.doesNotMatch(escapeHtml(text), /[<>"']/);
    assert.ok(!escapeHtml(text).includes("\0"));
  }));
  assert.equal(escapeHtml("\ud800"), "\ufffd");
});

Deno.test("escapeTerminal() leaves tabs and line breaks and no other control character", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(escapeTerminal(text), /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
  }));
  assert.equal(escapeTerminal("a\tb\n"), "a\tb\n");
});

Deno.test("numbers read alike everywhere", () => {
  assert.equal(formatNumber(-0.001), "0.00");
  assert.equal(formatNumber(-0.126), "−0.13");
  assert.equal(formatNumber(undefined), "–");
  assert.equal(formatNumber(NaN), "–");
  assert.equal(formatChange(0.1), "+0.10");
  assert.equal(formatChange(undefined), "–");
  assert.equal(formatInterval({ low: 0, high: null }), "–");
  assert.equal(formatInterval({ low: -0.1, high: 0.2 }), "[−0.10,\u00a00.20]");
  assert.equal(formatCount(1234567), "1,234,567");
  assert.deepEqual([950, 12345, 4.56e6].map(formatLarge), ["950", "12.3 k", "4.56 M"]);
  assert.deepEqual([42, 425, 3725].map(formatSeconds), ["42 s", "7 min 05 s", "1 h 02 min"]);
  assert.equal(formatShare({ count: 861, of: 864, share: 861 / 864 }), "99.7 % (861 of 864)");
  assert.equal(formatCounts({ scored: 3, failed: 1, skipped: 0 }), "3 plays, 1 failed");
});

Deno.test("textTable() aligns columns and cuts long lines", () => {
  assert.equal(
    textTable(["name", "#n"], [["a", "10"], ["bbbbb", "2"]]),
    [
      "name    n",
      "─────────",
      "a      10",
      "bbbbb   2",
      "",
    ].join("\n"),
  );
  assert.equal(cutText("abcdef", 4), "abc…");
});
