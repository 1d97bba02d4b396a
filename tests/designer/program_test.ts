import assert from "node:assert/strict";
import { extractProgram, extractProgramPublished } from "../../lib/designer/mod.ts";
import golden from "../golden/parsing.json" with { type: "json" };

Deno.test("extractProgram() beside the published extract_game_code [D5]", () => {
  const ours: Record<string, string> = {
    "x\n```python\nA=1\n```\ny": "A=1",
    "```python\nA=1\n```\n```python\nB=2\n```": "B=2",
    "```py\nA=1\n```": "A=1",
    "A=1\n```": "A=1",
    "```python\r\nA=1\r\n```": "A=1",
    "```python\nA=1```": "A=1",
    "<think>```python\nT=0\n```</think>\n```python\nB=1\n```": "B=1",
    "```python\nx = f'use \\boxed{<go>} now {n}'\n```": "x = f'use \\boxed{<go>} now {n}'",
    "def f(:\n  pass": "def f(:\n  pass",
  };
  for (const { in: text } of golden.extract_game_code) {
    assert.equal(extractProgram(text), ours[text], JSON.stringify(text));
  }
});

Deno.test("extractProgramPublished() takes the first python fence, as published", () => {
  const doubling = golden.extract_game_code.filter(({ in: text }) => text.includes("\\boxed"));
  for (const { in: text, out } of golden.extract_game_code) {
    // Doubling braces needs Python's parser and belongs to the sandbox.
    if (!doubling.some((item) => item.in === text)) {
      assert.equal(extractProgramPublished(text), out, JSON.stringify(text));
    }
  }
});

Deno.test("extractProgram() accepts the listed fences only", () => {
  assert.equal(extractProgram("```\nA\n```"), "A");
  assert.equal(extractProgram("```Python\nA\n```"), "A");
  assert.equal(extractProgram("```python\nA\n```\n```json\n{}\n```"), "A");
  assert.equal(extractProgram("```json\n{}\n```"), "```json\n{}\n```");
  assert.equal(extractProgram("````python\na = '''\n```\n'''\n````"), "a = '''\n```\n'''");
});

Deno.test("extractProgram() closes an unclosed last fence", () => {
  assert.equal(extractProgram("first\n```python\nA\n```\nthen\n```python\nB\nC"), "B\nC");
  assert.equal(extractProgram("```python\nA\n```python\nB\n```"), "B");
  assert.equal(extractProgram("```python\nA\n```\n```"), "A");
});

Deno.test("extractProgram() drops a thinking section", () => {
  assert.equal(extractProgram("<think>\nno\n</think>\nA"), "\nA");
  assert.equal(extractProgram("```python\nT\n```\n</think>\n```python\nA\n```"), "A");
  assert.equal(extractProgram("<think>never closed ```python\nT\n```"), "");
  assert.equal(extractProgram("a = '<think></think>'"), "a = '<think></think>'");
});

Deno.test("extractProgram() keeps a reply without fence byte for byte", () => {
  const program = "import random\n\nclass AEnv:\n    N = 1\n";
  assert.equal(extractProgram(program), program);
});
