import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { inProject } from "../../lib/cli/files.ts";
import type { Loop } from "../../lib/loop/mod.ts";
import { runSmall, smallConfig } from "../loop/support.ts";

interface Answer {
  code: number;
  out: string;
  err: string;
}

/** Runs a command of ours as a user would, with the train task's kind of permissions. */
async function command(script: string, ...args: string[]): Promise<Answer> {
  const python = ["engine", "sandbox"].map((name) => inProject(`.spade/${name}/bin/python`));
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--ignore-env",
      "--allow-read",
      `--allow-write=${inProject("runs")},${inProject(".spade")}`,
      "--allow-net=127.0.0.1",
      `--allow-run=${python}`,
      "--allow-sys",
      inProject(`scripts/${script}.ts`),
      ...args,
    ],
    cwd: inProject("."),
  });
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

const wrong: [string, string[], RegExp][] = [
  ["an unknown key", ["--set", "rolouts=3"], /rolouts/],
  ["a value of the wrong type", ["--set", "plays=many"], /plays/],
  ["an unknown preset", ["--preset", "nanno"], /preset "nanno".*nano/],
  ["an unknown overlay", ["--overlay", "no-corpsu"], /overlay "no-corpsu".*no-corpus/],
  ["a missing corpus", ["--set", "corpus=data/none.jsonl"], /corpus data\/none\.jsonl/],
  ["a missing model", ["--model", "data/none"], /data\/none/],
  ["an unknown option", ["--presets", "nano"], /--presets/],
  ["a delay that does not fit [D20]", ["--set", "delay=3"], /delay 3.*epoch 2/],
  ["an unreachable isolation level", ["--min-isolation", "total"], /--min-isolation total/],
];
for (const [name, args, expected] of wrong) {
  Deno.test(`train says what is wrong with ${name}, without a stack`, async () => {
    const { code, err } = await command("train", "--name", "test-wrong", ...args);
    assert.equal(code, 1, err);
    assert.match(err, expected);
    assert.doesNotMatch(err, /\n\s+at /);
  });
}

Deno.test("train --help and --dry-run answer at once", async () => {
  const help = await command("train", "--help");
  assert.equal(help.code, 0);
  assert.match(help.out, /--overlay NAME/);
  const args = ["--dry-run", "--json", "--overlay", "no-memory", "--seed", "4"];
  const { config } = JSON.parse((await command("train", ...args)).out);
  assert.deepEqual(config.memory, { seeds: 0, negatives: 0 });
  assert.equal(config.seed, 4);
});

Deno.test("resume, verify, inspect and report name a run that is not there", async () => {
  for (const script of ["resume", "verify", "inspect", "report"]) {
    const { code, err } = await command(script, "no-such-run");
    assert.equal(code, 1);
    assert.match(err, /no-such-run/);
    assert.doesNotMatch(err, /\n\s+at /);
  }
});

Deno.test("resume refuses another corpus, and makes up for a copy that was cut", async () => {
  const dir = inProject(`runs/test-resume-${Deno.pid}`);
  const corpus = `.spade/tests/corpus-${Deno.pid}.jsonl`;
  fs.mkdirSync(inProject(".spade/tests"), { recursive: true });
  fs.mkdirSync(dir, { recursive: true });
  const lines = fs.readFileSync(inProject("data/nano/corpus.jsonl"), "utf8");
  fs.writeFileSync(inProject(corpus), lines);
  try {
    const stop = new AbortController();
    const config = smallConfig(
      "rollouts=2",
      "checkpointEvery=1",
      "checkpointsKept=9",
      `corpus=${corpus}`,
    );
    const wrap = (loop: Loop): Loop => ({
      ...loop,
      emit: (event) => event.kind === "report" && stop.abort(new Error("enough")),
    });
    await assert.rejects(runSmall({ dir, config, wrap, signal: stop.signal }), /enough/);
    fs.rmSync(path.join(dir, "checkpoints/rollout-0001"), { recursive: true });
    fs.writeFileSync(inProject(corpus), lines.split("\n").slice(1).join("\n"));
    const refused = await command("resume", path.basename(dir));
    assert.equal(refused.code, 1);
    assert.match(refused.err, /the corpus .*corpus-\d+\.jsonl is not the one the run began with/);
    assert.doesNotMatch(refused.err, /\n\s+at /);
    fs.writeFileSync(inProject(corpus), lines);
    const went = await command("resume", path.basename(dir), "--plain", "--engine", "embedded");
    assert.equal(went.code, 0, went.err);
    assert.ok(fs.existsSync(path.join(dir, "checkpoints/rollout-0001/copy.json")));
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
    fs.rmSync(inProject(corpus), { force: true });
  }
});
