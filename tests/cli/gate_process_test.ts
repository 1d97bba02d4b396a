/** `deno task gate` under the permissions of its task. */
import assert from "node:assert/strict";
import config from "../../deno.json" with { type: "json" };
import { isSetUp } from "../gates/test_sandbox.ts";

const flags = /deno run (.*) scripts\/gate\.ts$/.exec(config.tasks.gate.command)![1].split(" ");

async function gate(args: string[], options: { without?: string; stdin?: string } = {}) {
  const allowed = flags.filter((flag) =>
    options.without === undefined || !flag.startsWith(options.without)
  );
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", ...allowed, "scripts/gate.ts", ...args],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  if (options.stdin !== undefined) await writer.write(new TextEncoder().encode(options.stdin));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), error: text(stderr) };
}

const good = "data/environments/good/four_gates.py";
const ignore = !isSetUp;

Deno.test({ name: "deno task gate prints every verdict", ignore }, async () => {
  const { code, out } = await gate([
    good,
    "--kind",
    "game-single",
    "--known",
    "data/environments/good",
  ]);
  assert.equal(code, 1);
  assert.match(out, /^four_gates\.py: REFUSED \(FourGatesEnv, id [0-9a-f]{16}, \d+ ms\)/);
  for (const name of ["parse", "contract", "determinism", "presolved", "floor", "oracle", "leak"]) {
    assert.match(out, new RegExp(`^${name} +pass`, "m"));
  }
  assert.match(out, /^duplicate +refuse +same syntax tree/m);
});

Deno.test(
  { name: "deno task gate --json gives the report of a piped program", ignore },
  async () => {
    const stdin = "import torch\nclass AEnv:\n    pass\n";
    const { code, out } = await gate(["-", "--json"], { stdin });
    assert.equal(code, 1);
    const report = JSON.parse(out);
    assert.deepEqual([report.accepted, report.runs, report.imports], [false, false, ["torch"]]);
    assert.equal(report.verdicts[1].reason, "no module torch");
  },
);

Deno.test("deno task gate explains itself and what it cannot do", async () => {
  const help = await gate(["--help"]);
  assert.equal(help.code, 0);
  assert.match(help.out, /--json/);
  const kind = await gate([good, "--kind", "chess"]);
  assert.match(kind.error, /Cannot use --kind chess: must be one of compact/);
  assert.match((await gate(["nothing.py"])).error, /Cannot read program nothing\.py/);
});

Deno.test({
  name: "deno task gate needs each of its permissions, and reads the project only",
  ignore,
}, async () => {
  const outside = await gate(["/etc/hostname"]);
  assert.match(outside.error, /lies outside the project; pipe it/);
  assert.equal((await gate([good])).code, 0);
  for (const without of ["--allow-read", "--allow-run"]) {
    const { code } = await gate([good], { without });
    assert.equal(code, 1, without);
  }
});
