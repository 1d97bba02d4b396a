import assert from "node:assert/strict";
import { compactPrompt } from "../../lib/designer/mod.ts";

const line = {
  source: "class GuessEnv: ...",
  successRate: 0.5,
  description: "GuessEnv N 20 TURNS 5",
};

Deno.test("compactPrompt() names every section of the designer's brief", () => {
  const messages = compactPrompt().designer({
    skill: "Logical Deduction",
    document: "a gate",
    difficulty: "medium",
    memory: [{ ...line, verdict: "good" }, { ...line, verdict: "hard", description: "A\n B" }],
  });
  assert.deepEqual(messages, [
    { role: "design", content: "Logical Deduction" },
    { role: "corpus", content: "a gate" },
    { role: "memory", content: "good GuessEnv N 20 TURNS 5\nhard A B" },
    { role: "program", content: "" },
  ]);
});

Deno.test("compactPrompt() keeps empty sections", () => {
  const messages = compactPrompt().designer({ skill: "S", difficulty: "medium", memory: [] });
  assert.deepEqual(messages.map(({ content }) => content), ["S", "", "", ""]);
});

Deno.test("compactPrompt() renders hints, plays and later observations", () => {
  const prompt = compactPrompt();
  assert.deepEqual(prompt.hint({ source: "A\n", skill: "S" }), [
    { role: "program", content: "A\n" },
    { role: "hint", content: "" },
  ]);
  assert.deepEqual(prompt.agent({ skill: "S" }, "o"), [
    { role: "play", content: "S" },
    { role: "obs", content: "o" },
    { role: "act", content: "" },
  ]);
  assert.deepEqual(prompt.observation("p"), [
    { role: "obs", content: "p" },
    { role: "act", content: "" },
  ]);
});

Deno.test("compactPrompt() parses as published under parity, and says so in its version", () => {
  const reply = "\\boxed{1} \\boxed{2}";
  assert.equal(compactPrompt().action(reply), "\\boxed{2}");
  assert.equal(compactPrompt({ parity: true }).action(reply), "\\boxed{1}");
  assert.notEqual(compactPrompt().version, compactPrompt({ parity: true }).version);
});
