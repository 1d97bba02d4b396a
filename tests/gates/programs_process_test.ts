/** The gates over small programs in the real sandbox: good ones pass, each bad one falls at its gate. */
import assert from "node:assert/strict";
import { checkProgram, type GateOptions } from "../../lib/gates/mod.ts";
import { isSetUp, testSandbox } from "./test_sandbox.ts";

const folder = new URL("programs/", import.meta.url);

async function programs(kind: "good" | "bad"): Promise<{ name: string; source: string }[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(new URL(kind, folder))) names.push(name);
  return await Promise.all(
    names.sort().map(async (name) => ({
      name,
      source: await Deno.readTextFile(new URL(`${kind}/${name}`, folder)),
    })),
  );
}

Deno.test("gates over good and bad programs", async (t) => {
  await using sandbox = await testSandbox();
  const known = new Set<string>();
  const options: GateOptions = {
    sandbox,
    maxTurns: 12,
    requireActions: true,
    known: (tree) => known.has(tree),
    limits: { requestCpuSeconds: 0.5 },
  };

  /** All at once: most of the time goes into waiting for deadlines. */
  const checkAll = async (kind: "good" | "bad") =>
    await Promise.all((await programs(kind)).map(async ({ name, source }) => {
      // Without `deno task setup` there may be no numpy.
      const ignore = !isSetUp && source.includes("numpy");
      return { name, source, report: ignore ? null : await checkProgram(source, options) };
    }));

  for (const { name, report } of await checkAll("good")) {
    await t.step(`good: ${name}`, () => {
      const last = report!.verdicts[report!.verdicts.length - 1];
      assert.ok(report!.accepted, `${last.gate}: ${last.reason} ${JSON.stringify(last.evidence)}`);
      known.add(report!.parsed!.treeHash);
    });
  }

  for (const { name, source, report } of await checkAll("bad")) {
    const fn = () => {
      const expected = /^# refuse: (.*)$/m.exec(source)![1];
      const { gate, reason, evidence } = report!.verdicts[report!.verdicts.length - 1];
      assert.ok(!report!.accepted, "accepted");
      assert.ok(
        `${gate}: ${reason}`.startsWith(expected),
        `${gate}: ${reason}, expected ${expected}: ${JSON.stringify(evidence)}`,
      );
      assert.equal(report!.hung, expected.endsWith("deadline"));
      if (name.endsWith("_reward.py") && gate === "contract" && reason === "contract") {
        assert.match(String(evidence.detail), /^step\.reward: is /);
      }
      if (name === "missing_module.py") assert.match(String(evidence.detail), /torch/);
    };
    const incident = /^# incident: (.*)$/m.exec(source)?.[1];
    const title = `bad: ${name}${incident ? ` (${incident})` : ""}`;
    await t.step({ name: title, ignore: report === null, fn });
  }
});
