import assert from "node:assert/strict";
import { markdownHtml } from "../../lib/cli/jupyter/markdown.ts";
import { renderNotebook } from "../../lib/cli/jupyter/render.ts";
import type { Cell, Output } from "../../lib/kernel/mod.ts";

for (
  const [text, html] of [
    ["# A *b*", "<h1>A <em>b</em></h1>"],
    ["one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>"],
    ["- a `x*y*z`\n- b\n  more", "<ul><li>a <code>x*y*z</code></li><li>b more</li></ul>"],
    ["1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"],
    [
      "| a | b |\n|---|---|\n| 1 | **2** |",
      "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table>",
    ],
    ["```ts\na < b\n```", "<pre><code>a &lt; b</code></pre>"],
    ["> said", "<blockquote><p>said</p></blockquote>"],
    ["[here](../README.md#a)", '<p><a href="../README.md#a" rel="noreferrer">here</a></p>'],
    ["a snake_case_name and 2 * 3 * 4", "<p>a snake_case_name and 2 * 3 * 4</p>"],
    ["<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"],
    ['[x](javascript:alert(1)) [y](https://a"b)', null],
    ["| no table", "<p>| no table</p>"],
    ["```\nnever closed", "<pre><code>never closed</code></pre>"],
  ] as const
) {
  Deno.test(`markdownHtml() of ${JSON.stringify(text)}`, () => {
    if (html !== null) assert.equal(markdownHtml(text), html);
    else assert.doesNotMatch(markdownHtml(text), /href="javascript|href="[^"]*"b/);
  });
}

const page = (...outputs: Output[]) => {
  const cell: Cell = { cell_type: "code", source: 'const a = "<b>"; // c', metadata: {}, outputs };
  const notebook = { nbformat: 4 as const, nbformat_minor: 5, metadata: {}, cells: [cell] };
  return renderNotebook(notebook, { name: "<name>", note: "<note>" });
};
const data = (bundle: Record<string, string>): Output => ({
  output_type: "display_data",
  data: bundle,
  metadata: {},
});

Deno.test("renderNotebook() escapes all text and prefers pictures to markup to text", () => {
  const text = { "text/plain": "<plain>" };
  const html = page(
    { output_type: "stream", name: "stdout", text: "<printed>" },
    { output_type: "error", ename: "Error", evalue: "<bad>", traceback: [] },
    data(text),
    data({ ...text, "text/html": "<b>1</b>" }),
    data({ ...text, "text/html": "<b>2</b>", "image/png": "AAAA" }),
  );
  for (const raw of ["<printed>", "<bad>", "<plain>", "<name>", "<note>", "<b>"]) {
    assert.ok(!html.includes(raw), raw);
  }
  assert.match(html, /<span class="k">const<\/span> a = <span class="s">&quot;/);
  assert.match(html, /<iframe [^>]*sandbox="allow-same-origin" srcdoc="[^"]*&lt;b&gt;1/);
  assert.match(html, /<img alt="&lt;plain&gt;" src="data:image\/png;base64,AAAA">/);
  assert.ok(!html.includes("2&lt;/b"));
});

Deno.test("renderNotebook() lets no output run a script or load anything", () => {
  const html = page(data({ "text/html": '<script src="https://a.example/x.js"></script>' }));
  assert.match(
    html,
    /content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-/,
  );
  assert.equal(html.match(/<script/g)?.length, 1);
  assert.doesNotMatch(html, /allow-scripts/);
});
