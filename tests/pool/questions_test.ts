import assert from "node:assert/strict";
import { parseQuestions, questionEnvironments, questionProgram } from "../../lib/pool/mod.ts";

const line = (value: unknown) => JSON.stringify(value) + "\n";

Deno.test("parseQuestions() reads questions, and names every other line", () => {
  const content = "\uFEFF" + line({ question: "1+1?", answer: 2 }) + "\n" +
    line({ problem: "capital?", answer: " Oslo ", kind: "exact", family: "cities", skill: null }) +
    "{oops\n[]\n" + line({ answer: "1" }) + line({ question: "q" }) +
    line({ question: "q", answer: "" }) + line({ question: "q", answer: ["1"] }) +
    line({ question: "q", answer: "1", kind: "fuzzy" }) +
    line({ question: "q", answer: "1", family: 3 }) +
    line({ question: "q".repeat(16_001), answer: "1" });
  const { questions, malformed } = parseQuestions(content);
  assert.deepEqual(questions, [
    { question: "1+1?", answer: "2", kind: "boxed", family: "", skill: "" },
    { question: "capital?", answer: "Oslo", kind: "exact", family: "cities", skill: "" },
  ]);
  assert.deepEqual(malformed.map(({ line, reason }) => `${line} ${reason}`), [
    "4 not JSON",
    "5 not an object",
    "6 question is missing, must be text",
    "7 answer is missing, must be text",
    "8 answer is empty",
    "9 answer is not text",
    '10 kind is "fuzzy", must be boxed or exact',
    "11 family is not text",
    "12 question has 16001 characters, at most 16000",
  ]);
});

Deno.test("questionProgram() shows the question only, and equal questions are one environment", () => {
  const question = { question: "q", answer: "a", kind: "exact" as const, family: "f", skill: "s" };
  const source = questionProgram(question);
  assert.match(source, /def reset\(self, seed=None\):\n {8}return self\.QUESTION, \{\}/);
  assert.match(source, /return "Answered\.", float/);
  const found = questionEnvironments([question, { ...question, family: "g" }, {
    ...question,
    answer: "b",
  }]);
  assert.deepEqual(found.map(({ family }) => family), ["f", "f"]);
  assert.notEqual(found[0].id, found[1].id);
});
