import assert from "node:assert/strict";
import fc from "fast-check";
import {
  boxedAction,
  boxedActionPublished,
  extractBoxedPublished,
  lastBoxed,
} from "../../lib/designer/mod.ts";
import golden from "../golden/parsing.json" with { type: "json" };

Deno.test("extractBoxedPublished() equals the published extract_boxed_answer [P]", () => {
  for (const { in: text, out } of golden.extract_boxed_answer) {
    assert.equal(extractBoxedPublished(text), out, text);
  }
});

Deno.test("boxedActionPublished() equals the published parse_action_boxed [P]", () => {
  for (const { in: text, out } of golden.parse_action_boxed) {
    assert.equal(boxedActionPublished(text), out, text);
  }
});

Deno.test("boxedAction() takes the last balanced box [D11]", () => {
  const ours: Record<string, string> = {
    "answer: \\boxed{42}": "\\boxed{42}",
    "\\boxed{1} then \\boxed{2}": "\\boxed{2}",
    "\\boxed{ }": "\\boxed{ }",
    "\\boxed{\\frac{1}{2}} and \\boxed{3}": "\\boxed{3}",
    "\\boxed {7}": "\\boxed{7}",
    "\\boxed{{a}}": "\\boxed{{a}}",
    "\\boxed{go north": "\\boxed{go north",
    "\\boxed{multi\nline}": "\\boxed{multi\nline}",
    "\\text{\\boxed{5}}": "\\boxed{5}",
    "\\boxed 5 {6}": "\\boxed 5 {6}",
    "no box": "no box",
    "\\boxed{ padded }": "\\boxed{padded}",
    "\\boxed{a}}": "\\boxed{a}",
    "\\boxed{{x}+{y}}": "\\boxed{{x}+{y}}",
  };
  for (const { in: text } of golden.parse_action_boxed) {
    assert.equal(boxedAction(text), ours[text], text);
  }
});

Deno.test("boxedAction() passes over boxes that are empty or never closed", () => {
  assert.equal(boxedAction("\\boxed{a} \\boxed{}"), "\\boxed{a}");
  assert.equal(boxedAction("\\boxed{a} \\boxed{b"), "\\boxed{a}");
  assert.equal(boxedAction(""), "");
  assert.equal(lastBoxed("\\boxed{\\boxed{5}}"), "5");
});

Deno.test("boxedAction() wraps what it unwrapped (property)", () => {
  const balanced = fc.string().map((text) => text.replace(/[{}\\]/g, "").trim()).filter(Boolean);
  fc.assert(fc.property(balanced, fc.string(), fc.string(), (content, before, after) => {
    const tail = after.replaceAll("}", "").replaceAll("{", "");
    const reply = `${before.replaceAll("\\", "")}\\boxed{ ${content} }${tail}`;
    assert.equal(boxedAction(reply), `\\boxed{${content}}`);
    assert.equal(boxedAction(boxedAction(reply)), boxedAction(reply));
  }));
});
