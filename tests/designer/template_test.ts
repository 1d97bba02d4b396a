import assert from "node:assert/strict";
import { parseTemplate, renderTemplate } from "../../lib/designer/mod.ts";

const render = (text: string, values: Record<string, string>, parts: Record<string, string> = {}) =>
  renderTemplate(parseTemplate("t", { t: text, ...parts }), values);

Deno.test("renderTemplate() puts values in once, and parts and sections where they belong", () => {
  const text = "version: 3\n--- system\nS {{a}}\n--- user\n{{> p}}\n{{?b}}\nB {{b}}\n{{/b}}\nend\n";
  const parts = { "parts/p": "part {{a}}\n" };
  assert.deepEqual(render(text, { a: "{{b}}", b: "" }, parts), [
    { role: "system", content: "S {{b}}" },
    { role: "user", content: "part {{b}}\nend" },
  ]);
  assert.equal(render(text, { a: "1", b: "2" }, parts)[1].content, "part 1\nB 2\nend");
  assert.equal(parseTemplate("t", { t: text, ...parts }).version, 3);
});

Deno.test("renderTemplate() keeps what dollar signs and angles a value has", () => {
  assert.equal(render("version: 1\n--- user\n{{a}}", { a: "$& <b> \\1" })[0].content, "$& <b> \\1");
});

Deno.test("parseTemplate() names the file and line that is wrong", () => {
  const wrong: [string, RegExp][] = [
    ["--- user\nx", /prompt t, line 1: must begin with `version: N`/],
    ["version: 1\nx\n--- user\n", /line 2: text before/],
    ["version: 1\n", /must have a message/],
    ["version: 1\n--- user\n{{?a}}\nx", /\{\{\?a\}\} is not closed/],
    ["version: 1\n--- user\n{{/a}}", /closes nothing/],
    ["version: 1\n--- user\n{{> none}}", /prompt parts\/none: there is none/],
    ["version: 1\n--- user\n{{> p}}", /part p holds itself/],
  ];
  for (const [text, expected] of wrong) {
    assert.throws(() => render(text, {}, { "parts/p": "{{> p}}" }), expected, text);
  }
  assert.throws(() => render("version: 1\n--- user\n{{b}}", { a: "" }), RangeError);
});
