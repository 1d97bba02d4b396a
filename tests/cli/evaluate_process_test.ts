/** `deno task evaluate` under the permissions of its task, with the nano policy and the embedded engine. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { evaluationPlay } from "../../lib/cli/evaluate/record.ts";
import { isSetUp } from "../gates/test_sandbox.ts";
import { folder, runSmall, smallConfig } from "../loop/support.ts";
import { run, start, workFolder } from "./command.ts";

const ignore = !isSetUp || !fs.existsSync(".spade/engine/bin/python");
const nano = ["--model", "data/nano"];
const line = (value: unknown) => JSON.stringify(value) + "\n";
const read = (file: string) => Deno.readTextFileSync(file);

/** Runs with `--json -`; the record goes with `using`. */
async function numbers(...args: string[]) {
  const { code, out, error } = await run("evaluate", [...args, "--json", "-"]);
  assert.equal(code, 0, error);
  const result = JSON.parse(out);
  return {
    ...result,
    error,
    [Symbol.dispose]: () => fs.rmSync(result.record, { force: true }),
  };
}

/** A folder of a few held-out programs, fast to play. */
function someEnvironments(at: string): string {
  const dir = `${at}/environments`;
  Deno.mkdirSync(dir);
  const index = JSON.parse(read("data/heldout/dev/index.json")).slice(5, 11);
  for (const { file } of index) Deno.copyFileSync(`data/heldout/dev/${file}`, `${dir}/${file}`);
  Deno.writeTextFileSync(`${dir}/index.json`, JSON.stringify(index));
  return dir;
}

function someQuestions(at: string): string {
  const file = `${at}/questions.jsonl`;
  const questions = [
    { question: "3 gap 4 of 9", answer: "7" },
    { question: "goal 5", answer: 5, family: "goals" },
    { question: "say it", answer: "up", kind: "exact", family: "words" },
  ];
  Deno.writeTextFileSync(file, questions.map(line).join(""));
  return file;
}

Deno.test(
  { name: "evaluate: two suites, their intervals, and the same numbers again", ignore },
  async () => {
    using work = workFolder("evaluate");
    const suites = [
      ...["--suite", `folder:${someEnvironments(work.path)}`],
      ...["--suite", `questions:${someQuestions(work.path)}`],
    ];
    const args = [...nano, ...suites, "--plays", "3", "--seed", "31"];
    using first = await numbers(...args);
    const [games, questions] = first.results;
    assert.deepEqual([games.items, games.plays, questions.items, questions.plays], [6, 18, 3, 9]);
    assert.equal(games.mean.scored, 18);
    assert.ok(games.mean.low < games.mean.mean && games.mean.mean < games.mean.high, "interval");
    assert.equal(questions.mean.low, undefined);
    assert.match(questions.mean.interval, /3 environments, needs 4/);
    assert.ok(
      questions.families.find(({ family }: { family: string }) => family === "goals").mean.mean > 0,
    );
    assert.equal(games.byItem.length, 6);
    assert.ok(games.turns > 1 && games.promptTokens > games.completionTokens);
    assert.equal(first.model.hash.length, 64);
    assert.match(first.toolkit.commit, /^[0-9a-f]{40}$/);

    // The record: what was measured, then every play, with what was said and without any answer.
    const [head, ...plays] = read(first.record).trim().split("\n").map((text) => JSON.parse(text));
    assert.deepEqual(head.command.slice(0, 5), [
      "deno",
      "task",
      "evaluate",
      "--model",
      "data/nano",
    ]);
    assert.equal(head.suites[1].items, 3);
    assert.equal(plays.length, 27);
    for (const play of plays) evaluationPlay.parse(play);
    assert.ok(plays.every(({ replies, turns }) => replies.length === turns));

    // Again: nothing is played. Without the record: everything, with the same result.
    const again = await run("evaluate", args);
    assert.match(again.error, /27 of 27 plays are kept from before/);
    assert.match(again.out, /^all +6 +18 +0\.\d\d \[/m);
    assert.match(again.out, /^goals +1 +3 /m);
    fs.rmSync(first.record);
    using anew = await numbers(...args);
    assert.doesNotMatch(anew.error, /kept/);
    assert.deepEqual(anew.results, first.results);
    using greedy = await numbers(...args, "--greedy");
    assert.notEqual(greedy.record, first.record);
    assert.equal(greedy.mode, "greedy");
    using other = await numbers(...args, "--seed", "32");
    assert.notDeepEqual(other.results, first.results);
  },
);

Deno.test({ name: "evaluate: what hangs is a failure, no zero", ignore }, async () => {
  using work = workFolder("evaluate");
  const dir = `${work.path}/hang`;
  Deno.mkdirSync(dir);
  Deno.copyFileSync("data/environments/bad/contract_loop_in_step.py", `${dir}/hang.py`);
  Deno.copyFileSync("data/heldout/dev/08_heading.py", `${dir}/heading.py`);
  using found = await numbers(...nano, "--suite", `folder:${dir}`, "--plays", "2");
  const [{ mean, byItem }] = found.results;
  assert.deepEqual([mean.scored, mean.failed], [2, 2]);
  const hung = byItem.find((item: { mean: { failed: number } }) => item.mean.failed === 2);
  assert.equal(hung.mean.mean, undefined);
  assert.equal(hung.success.mean, undefined);
});

/** The engine below a process of ours. */
async function engineOf(pid: number): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const children = read(`/proc/${pid}/task/${pid}/children`).trim().split(" ").filter(Boolean);
    const engine = children.find((child) => read(`/proc/${child}/cmdline`).includes("server.py"));
    if (engine !== undefined) return Number(engine);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("no engine was started");
}

/** Waits until a record of `seed` has some plays. */
async function someKept(seed: string): Promise<string> {
  for (let tries = 0; tries < 400; tries++) {
    for (
      const { name } of fs.existsSync("runs/evaluations")
        ? Deno.readDirSync("runs/evaluations")
        : []
    ) {
      const lines = read(`runs/evaluations/${name}`).split("\n");
      if (lines[0].includes(`"seed":${seed},`) && lines.length > 8) {
        return `runs/evaluations/${name}`;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("no play was kept");
}

Deno.test({
  name: "evaluate: stopped, or its engine dead, it keeps what is finished and goes on",
  ignore,
}, async () => {
  using work = workFolder("evaluate");
  const suite = [
    "--suite",
    `folder:${someEnvironments(work.path)}`,
    "--set",
    "sandbox.concurrency=4",
  ];
  const seed = String(1_000_000 + Deno.pid);
  const args = [...nano, ...suite, "--plays", "50", "--seed", seed];
  const stopped = await start("evaluate", args);
  const record = await someKept(seed);
  stopped.child.kill("SIGINT");
  const first = await stopped.answer;
  assert.equal(first.code, 130, first.error);
  assert.match(first.error, /stopped: \d+ of 300 plays are kept in runs\/evaluations\/\w+\.jsonl/);
  // A line that was cut in the middle is played again.
  const kept = read(record);
  const whole = kept.trim().split("\n").length - 1;
  assert.ok(whole > 0 && whole < 300, String(whole));
  Deno.writeTextFileSync(record, kept.slice(0, -20));

  const broken = await start("evaluate", args);
  Deno.kill(await engineOf(broken.child.pid), "SIGKILL");
  const second = await broken.answer;
  assert.equal(second.code, 1);
  assert.match(second.error, /error: .*engine/i);
  assert.doesNotMatch(second.error, /\n\s+at /);

  using resumed = await numbers(...args);
  assert.match(resumed.error, /\d+ of 300 plays are kept from before/);
  assert.equal(resumed.results[0].mean.scored, 300);
  assert.equal(read(record).trim().split("\n").length, 301);
  fs.rmSync(record);
  using anew = await numbers(...args);
  assert.deepEqual(anew.results, resumed.results);
});

Deno.test({ name: "evaluate measures a run's weights, old and new", ignore }, async () => {
  using made = folder();
  using work = workFolder("evaluate");
  const config = smallConfig("rollouts=2", "environments=4", "adam.learningRate=0.01");
  await runSmall({ dir: made.path, config });
  const name = made.path.replace(/^.*\.spade/, ".spade");
  const suite = ["--suite", `folder:${someEnvironments(work.path)}`, "--plays", "4"];
  using newest = await numbers(name, ...suite);
  using oldest = await numbers(name, ...suite, "--checkpoint", "0");
  using plain = await numbers(...nano, ...suite);
  assert.match(newest.record, /run-\w+\/evaluations\/\w+\.jsonl$/);
  assert.match(newest.model.checkpoint, /^rollout-000\d$/);
  assert.equal(newest.model.weights.length, 64);
  assert.equal(oldest.model.checkpoint, "start");
  assert.deepEqual(oldest.results, plain.results);
  assert.notDeepEqual(newest.results, oldest.results);
  const none = await run("evaluate", [name, ...suite, "--checkpoint", "77"]);
  assert.match(none.error, /Cannot use --checkpoint 77: must be 0 or one of \d/);
});

const noGym = ignore || !fs.existsSync(".spade/reasoning-gym/bin/python");
Deno.test({ name: "evaluate: data sets of reasoning-gym", ignore: noGym }, async () => {
  const suite = ["--suite", "reasoning-gym:chain_sum,leg_counting", "--plays", "3"];
  using found = await numbers(...nano, ...suite);
  const [{ mean, families }] = found.results;
  assert.deepEqual([mean.scored, mean.failed], [6, 0]);
  assert.deepEqual(families.map(({ family }: { family: string }) => family), [
    "chain_sum",
    "leg_counting",
  ]);
  const unknown = await run("evaluate", [...nano, "--suite", "reasoning-gym:chess_960"]);
  assert.match(unknown.error, /Cannot use reasoning-gym's "chess_960": must be one of /);
  assert.equal(unknown.code, 1);
});

Deno.test({ name: "evaluate says what is wrong, without a stack", ignore }, async () => {
  using work = workFolder("evaluate");
  const at = work.path;
  const file = (name: string, content: string) => {
    Deno.writeTextFileSync(`${at}/${name}`, content);
    return `questions:${at}/${name}`;
  };
  Deno.mkdirSync(`${at}/empty`);
  const dev = ["--suite", "folder:data/heldout/dev"];
  const wrong: [string[], RegExp][] = [
    [[], /no --suite is given/],
    [[...dev], /must be given a RUN, or a --model/],
    [["some-run", ...nano, ...dev], /a RUN, or a --model, and not both/],
    [["no-such-run", ...dev], /Cannot find run no-such-run/],
    [["--model", "data/none", ...dev], /data\/none/],
    [[...nano, "--suite", "chess"], /Cannot use suite chess: must be one of folder:DIR, questions/],
    [[...nano, "--suite", "constructor"], /Cannot use suite constructor/],
    [[...nano, "--suite", "questions"], /must be questions:FILE\.jsonl/],
    [[...nano, "--suite", "folder:data/none"], /Cannot read pool data\/none/],
    [[...nano, "--suite", `folder:${at}/empty`], /it has no index\.json and no \.py/],
    [[...nano, "--suite", "questions:none.jsonl"], /Cannot read questions none\.jsonl/],
    [[...nano, "--suite", file("void.jsonl", "\n")], /it holds no question/],
    [[
      ...nano,
      "--suite",
      file("bad.jsonl", line({ question: "q", answer: "1" }) + '{"question":1}\n'),
    ], /bad\.jsonl: 1 malformed; line 2: question is not text/],
    [[...nano, ...dev, "--plays", "0"], /Cannot use --plays 0/],
    [[...nano, ...dev, "--plays", "many"], /Cannot use --plays many/],
    [[...nano, ...dev, "--checkpoint", "1"], /a --model has none/],
    [[...nano, ...dev, "--set", "contxt=4"], /contxt/],
    [[...nano, ...dev, "--preset", "nanno"], /preset "nanno"/],
    [[...nano, ...dev, "--engine", "http://127.0.0.1:1"], /127\.0\.0\.1:1/],
    [[...nano, ...dev, "--min-isolation", "total"], /--min-isolation total/],
  ];
  for (const [args, expected] of wrong) {
    const { code, error } = await run("evaluate", args);
    assert.equal(code, 1, args.join(" "));
    assert.match(error, expected);
    assert.doesNotMatch(error, /\n\s+at /, args.join(" "));
  }
  assert.match((await run("evaluate", ["--help"])).out, /questions:FILE\.jsonl/);
});

Deno.test({ name: "evaluate needs each of its permissions", ignore }, async () => {
  using work = workFolder("evaluate");
  const args = [
    ...nano,
    "--suite",
    `questions:${someQuestions(work.path)}`,
    "--plays",
    "1",
    "--seed",
    "77",
  ];
  const withAll = await run("evaluate", args);
  assert.equal(withAll.code, 0, withAll.error);
  const record = /^record +(\S+)$/m.exec(withAll.out)![1];
  fs.rmSync(record);
  for (const without of ["--allow-read", "--allow-write", "--allow-net", "--allow-run"]) {
    assert.equal((await run("evaluate", args, { without })).code, 1, without);
  }
});
