/** The gates over the programs of data/environments in the real sandbox: good ones pass, each bad one falls at its gate. */
import assert from "node:assert/strict";
import { checkProgram, type GateOptions, gateRules } from "../../lib/gates/mod.ts";
import { inTurns, program, programs } from "./programs.ts";
import { isSetUp, testSandbox } from "./test_sandbox.ts";

Deno.test("gates over good and bad programs", async (t) => {
  await using sandbox = await testSandbox();
  const options: GateOptions = { sandbox, maxTurns: 25, limits: { requestCpuSeconds: 0.5 } };
  const parse = async (path: string) => {
    const parsed = await sandbox.parse(program(path).source, { details: true });
    assert.ok(parsed.kind === "ok");
    return { id: path, ...parsed.value, shingles: parsed.value.shingles! };
  };
  const guess = await parse("../../tests/gates/programs/good/guess.py");

  const good = programs("good");
  const skills = good.filter(({ header }) => header.hard === undefined)
    .map(({ header }) => header.skill);
  await t.step("there are 2 of each game skill, 1 of each tool-use skill, and 6 hard ones", () => {
    const counts = Map.groupBy(skills, (skill) => skill);
    const sizes = [...counts.values()].map(({ length }) => length).sort();
    assert.deepEqual(sizes, [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
    assert.equal(good.length - skills.length, 6);
    for (const { source } of good) assert.match(source, /def solution\(self\)/);
  });

  const reports = await inTurns(good, ({ source }) => {
    const rules = source.includes("ToolUseEnv") ? gateRules("tool-use") : gateRules("game-single");
    return checkProgram(source, { ...options, ...rules, known: () => false });
  });
  for (const [i, { name }] of good.entries()) {
    await t.step(`good: ${name}`, () => {
      const { accepted, verdicts } = reports[i];
      const last = verdicts[verdicts.length - 1];
      assert.ok(accepted, `${last.gate}: ${last.reason} ${JSON.stringify(last.evidence)}`);
      assert.deepEqual(verdicts.filter(({ verdict }) => verdict === "skipped"), []);
      assert.equal(verdicts.length, 8);
    });
  }
  await t.step("no two good programs are twins or near twins", () => {
    assert.equal(new Set(reports.map(({ parsed }) => parsed!.treeHash)).size, good.length);
  });

  const bad = programs("bad");
  const found = await inTurns(bad, async ({ source, header }) => {
    // Without `deno task setup` there may be no numpy.
    if (!isSetUp && source.includes("numpy")) return null;
    const near = header.near === undefined ? undefined : await parse(`bad/${header.near}`);
    return await checkProgram(source, {
      ...options,
      requireActions: header.kind === "compact",
      known: (tree) => tree === guess.treeHash,
      similar: near && { threshold: 0.8, known: () => [near] },
    });
  });
  for (const [i, { name, source, header }] of bad.entries()) {
    const report = found[i];
    const fn = () => {
      const expected = header.refuse;
      const { gate, reason, evidence } = report!.verdicts[report!.verdicts.length - 1];
      assert.ok(!report!.accepted, "accepted");
      assert.ok(
        `${gate}: ${reason}`.startsWith(expected),
        `${gate}: ${reason}, expected ${expected}: ${JSON.stringify(evidence)}`,
      );
      assert.ok(name.startsWith(`${gate}_`), `${name} is not named after ${gate}`);
      assert.equal(report!.hung, expected.endsWith("deadline"));
      if (name.endsWith("_reward") && reason === "contract") {
        assert.match(String(evidence.detail), /^step\.reward: is /);
      }
      if (source.includes("import torch")) assert.match(String(evidence.detail), /torch/);
    };
    const title = `bad: ${name}${header.incident ? ` (${header.incident})` : ""}`;
    await t.step({ name: title, ignore: report === null, fn });
  }
});
