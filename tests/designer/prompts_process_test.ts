import assert from "node:assert/strict";
import {
  doubleBraces,
  extractProgram,
  extractProgramPublished,
  loadSkills,
  naturalKinds,
  naturalPrompt,
} from "../../lib/designer/mod.ts";
import { checkProgram } from "../../lib/gates/mod.ts";
import { inProject } from "../../lib/cli/files.ts";
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

Deno.test("programs have a generator of their own, seeded from the seed; the global one is refused [D2]", async () => {
  await using sandbox = await testSandbox();
  const files = readPromptFiles();
  const skills = loadSkills(Deno.readTextFileSync(inProject("data/skills.yaml")));
  for (const kind of naturalKinds) {
    const skill = kind === "tool-use" ? "Tool Selection" : "Optimization";
    const prompt = naturalPrompt({ kind, files, skills });
    const text = prompt.designer({ skill, difficulty: "medium", memory: [] })
      .map(({ content }) => content).join("\n");
    assert.match(text, /All chance comes from .*`self\.rng = random\.Random\(seed\)`/, kind);
    assert.match(text, /[Nn]ever .*the module's own functions/, kind);
    // The example of the prompt as it stands, and the same with the module's own functions.
    const example = extractProgram(text);
    const own = await checkProgram(example, { sandbox, maxTurns: 25, until: "determinism" });
    assert.equal(own.accepted, true, kind);
    const shared = example.replace("self.rng = random.Random(seed)", "self.rng = random");
    assert.notEqual(shared, example);
    const refused = await checkProgram(shared, { sandbox, maxTurns: 25 });
    const last = refused.verdicts.at(-1)!;
    assert.deepEqual([last.gate, last.verdict], ["determinism", "refuse"], kind);
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
