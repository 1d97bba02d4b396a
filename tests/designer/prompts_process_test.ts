import assert from "node:assert/strict";
import { doubleBraces, extractProgram, extractProgramPublished } from "../../lib/designer/mod.ts";
import { checkProgram } from "../../lib/gates/mod.ts";
import { readPromptFiles } from "../../lib/cli/inputs.ts";
import { testSandbox } from "../gates/test_sandbox.ts";
import golden from "../golden/parsing.json" with { type: "json" };

Deno.test("the published extract_game_code: first fence, then doubled braces [P]", async () => {
  await using sandbox = await testSandbox();
  for (const { in: text, out } of golden.extract_game_code) {
    const program = await doubleBraces(extractProgramPublished(text), sandbox);
    assert.equal(program, out, JSON.stringify(text));
  }
});

Deno.test("doubleBraces() leaves expressions and programs that parse as they are", async () => {
  await using sandbox = await testSandbox();
  const cases: [string, string][] = [
    ["a = {1: 2}\n", "a = {1: 2}\n"],
    ["b = f'{x + 1} {<y>}'", "b = f'{x + 1} {{<y>}}'"],
    ["a = f'{<x>}'\nb = f'{<y>} {n}'", "a = f'{{<x>}}'\nb = f'{{<y>}} {n}'"],
    ["def f(:\n  pass", "def f(:\n  pass"],
  ];
  for (const [program, expected] of cases) {
    assert.equal(await doubleBraces(program, sandbox), expected, program);
  }
});

Deno.test("the examples that the prompts show pass every gate", async () => {
  await using sandbox = await testSandbox();
  const files = readPromptFiles();
  for (const name of ["parts/example", "tool-use"]) {
    const report = await checkProgram(extractProgram(files[name]), { sandbox, maxTurns: 25 });
    const refusal = report.verdicts.find(({ verdict }) => verdict === "refuse");
    assert.equal(report.accepted, true, `${name}: ${JSON.stringify(refusal)}`);
  }
});
