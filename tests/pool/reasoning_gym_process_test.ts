/** The real library in its real process. Skipped where `deno task setup reasoning-gym` was not run. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { inProject } from "../../lib/cli/files.ts";
import { startReasoningGym } from "../../lib/cli/open_pool.ts";
import type { Result, Sandbox, Stepped } from "../../lib/core/mod.ts";
import { SandboxError, UsageError } from "../../lib/core/mod.ts";
import {
  ReasoningGym,
  reasoningGymPrograms,
  reasoningGymSource,
  reasoningGymSuite,
  withReasoningGym,
} from "../../lib/pool/mod.ts";
import { sandboxOf } from "../sandbox/helper.ts";

const python = inProject(".spade/reasoning-gym/bin/python");
const ignore = !fs.existsSync(python);
const chain = { dataset: "chain_sum", level: 0 };

/** They have many right answers and name none. */
const withoutAnswer = ["boxnet", "graph_color", "propositional_logic", "rubiks_cube", "rush_hour"];
/** No wheel of a package they need, or no usable level. */
const absent = [
  ...["codeio", "composite", "game_of_life", "game_of_life_halting", "knight_swap"],
  "zebra_puzzles",
];

function faulty(deadlineMs = 60_000): Promise<ReasoningGym> {
  return ReasoningGym.start({
    python,
    script: inProject("tests/pool/faulty_serve.py"),
    deadlineMs,
  });
}

Deno.test({
  name: "every data set makes an item at its easiest and hardest level and pays its own answer 1",
  ignore,
  fn: async () => {
    await using gym = await startReasoningGym();
    const datasets = await gym.datasets();
    assert.deepEqual(
      datasets.filter(({ levels }) => levels.length === 0).map((d) => d.name),
      absent,
    );
    const unanswered = new Set<string>();
    const bad: string[] = [];
    let pairs = 0;
    for (const { name: dataset, levels } of datasets) {
      for (const level of new Set([levels.at(0), levels.at(-1)])) {
        if (level === undefined) continue;
        const settings = { dataset, level };
        const item = await gym.item(settings, 1);
        if (item.kind !== "ok") {
          bad.push(`${dataset} ${level}: ${item.reason} ${item.detail}`);
          continue;
        }
        pairs += 1;
        const { answer } = item.value;
        if (answer === null) unanswered.add(dataset);
        const own = answer === null ? undefined : await gym.score(settings, 1, answer);
        if (own !== undefined && (own.kind !== "ok" || own.value !== 1)) {
          bad.push(`${dataset} ${level}: own answer pays ${JSON.stringify(own)}`);
        }
        for (const wrong of ["no such answer", null]) {
          const paid = await gym.score(settings, 1, wrong);
          if (paid.kind !== "ok" || paid.value >= 1) bad.push(`${dataset} ${level}: ${wrong} wins`);
        }
      }
    }
    console.log(`${datasets.length - absent.length} data sets, ${pairs} pairs with a level`);
    assert.deepEqual(bad, []);
    assert.deepEqual([...unanswered].sort(), withoutAnswer);
  },
});

Deno.test({
  name: "the same settings and seed are the same item, also in another process; others differ",
  ignore,
  fn: async () => {
    await using gym = await startReasoningGym();
    await using other = await startReasoningGym();
    for (const dataset of ["chain_sum", "letter_counting", "knights_knaves", "shortest_path"]) {
      const settings = { dataset, level: 1 };
      const item = await gym.item(settings, 2 ** 31 - 1);
      await other.item(settings, 4);
      assert.deepEqual(await other.item(settings, 2 ** 31 - 1), item);
      assert.notDeepEqual(await gym.item(settings, 5), item);
    }
  },
});

Deno.test({
  name:
    "wrong settings are the designer's failure with the reason, and the next request is answered",
  ignore,
  fn: async () => {
    await using gym = await startReasoningGym();
    const cases: [Parameters<ReasoningGym["item"]>[0], string, RegExp][] = [
      [{ dataset: "nope", level: 0 }, "config", /no dataset "nope"/],
      [{ dataset: "chain_sum", level: 99 }, "config", /level of chain_sum must be one of \[0, 1/],
      [{ dataset: "survo", level: 2 }, "config", /must be one of \[0, 1\]/],
      [{ dataset: "zebra_puzzles", level: 0 }, "missing", /needs the package pycosat/],
      [{ dataset: "chain_sum", config: { no: 1 } }, "config", /keys of .*min_terms/],
      [{ dataset: "chain_sum", config: { seed: 1 } }, "config", /keys of/],
      [{ dataset: "chain_sum", config: { min_terms: -3 } }, "config", /AssertionError/],
      [{ dataset: "chain_sum", config: { min_terms: "a" } }, "config", /TypeError/],
    ];
    for (const [settings, reason, message] of cases) {
      const result = await gym.item(settings, 1);
      assert.equal(result.kind, "failed", JSON.stringify(settings));
      assert.deepEqual([result.blame, result.reason], ["designer", reason]);
      assert.match(result.detail!, message);
      assert.equal((await gym.item(chain, 1)).kind, "ok");
    }
    const far = await gym.score(chain, 1, "x".repeat(70_000));
    assert.deepEqual([far.kind, (far as { blame?: string }).blame], ["failed", "host"]);
    const neither = await gym.item({ dataset: "chain_sum" }, 1);
    assert.deepEqual([neither.kind, (neither as { blame?: string }).blame], ["failed", "host"]);
    const seed = await gym.item(chain, 2 ** 31);
    assert.deepEqual([seed.kind, (seed as { blame?: string }).blame], ["failed", "host"]);
  },
});

Deno.test({
  name: "a process that hangs, dies or speaks nonsense gives a failure and is replaced",
  ignore,
  fn: async () => {
    await using gym = await faulty(1500);
    const faults: [number, string, RegExp][] = [
      [1, "deadline", /no answer within 1500 ms/],
      [2, "crash", /exit code 7/],
      [3, "crash", /SIGKILL/],
      [4, "protocol", /no JSON: no json/],
      [5, "protocol", /answered request 999/],
      [6, "protocol", /another shape/],
      [7, "protocol", /a line of more than/],
      [8, "crash", /exit code 1\): last words/],
    ];
    for (const [seed, reason, message] of faults) {
      const result = await gym.item(chain, seed);
      assert.equal(result.kind, "failed", `seed ${seed}`);
      assert.deepEqual([seed, result.blame, result.reason], [seed, "host", reason]);
      assert.match(result.detail!, message);
      assert.equal((await gym.item(chain, 100)).kind, "ok", `after seed ${seed}`);
    }
    for (const seed of [11, 12, 13, 14, 15]) {
      const result = await gym.score(chain, seed, "1");
      assert.equal(result.kind, "failed", `seed ${seed}`);
      assert.deepEqual([seed, result.blame, result.reason], [seed, "host", "protocol"]);
      assert.equal((await gym.score(chain, 100, "1")).kind, "ok");
    }
    assert.equal(gym.isGone, false);
  },
});

Deno.test({
  name: "an item that takes too long or makes the library raise is the data set's fault",
  ignore,
  fn: async () => {
    await using gym = await faulty();
    const slow = await gym.item(chain, 9);
    assert.deepEqual({ ...slow, detail: "" }, {
      kind: "failed",
      blame: "designer",
      reason: "deadline",
      detail: "",
    });
    const raised = await gym.item(chain, 10);
    assert.deepEqual([raised.kind, (raised as { reason?: string }).reason], [
      "failed",
      "exception",
    ]);
    assert.equal((await gym.item(chain, 100)).kind, "ok");
  },
});

Deno.test({
  name: "three deaths in a row are an outage: the sandbox says so, and nothing is started again",
  ignore,
  fn: async () => {
    await using inner = await sandboxOf();
    await using gym = await faulty();
    const sandbox = withReasoningGym(inner, gym);
    assert.equal((await sandbox.parse("pass\n")).kind, "ok");
    for (const _ of [1, 2, 3]) assert.equal((await gym.item(chain, 2)).kind, "failed");
    assert.equal(gym.isGone, true);
    const after = await gym.item(chain, 100);
    assert.deepEqual([after.kind, (after as { reason?: string }).reason], ["failed", "closed"]);
    const probe = await sandbox.parse("pass\n");
    assert.deepEqual([probe.kind, (probe as { blame?: string }).blame], ["failed", "host"]);
  },
});

Deno.test({
  name: "an abort and a close end who waits; a close leaves no process behind",
  ignore,
  fn: async () => {
    const gym = await faulty();
    const stop = new AbortController();
    const hung = gym.item(chain, 1);
    const waiting = gym.item(chain, 100, { signal: stop.signal });
    stop.abort();
    assert.deepEqual(await waiting, { kind: "failed", blame: "host", reason: "aborted" });
    await gym[Symbol.asyncDispose]();
    assert.equal(((await hung) as { reason?: string }).reason, "closed");
    assert.equal(((await gym.item(chain, 1)) as { reason?: string }).reason, "closed");
  },
});

Deno.test({
  name: "what does not start is an error that says why",
  ignore,
  fn: async () => {
    const none = ReasoningGym.start({ python: "/no/python", script: "x" });
    await assert.rejects(none, (error: Error) => error instanceof SandboxError);
    const script = ReasoningGym.start({ python, script: "/no/serve.py" });
    await assert.rejects(script, /Cannot start reasoning-gym: crash: .*serve\.py/s);
  },
});

/** Plays one item through the sandbox. */
async function play(sandbox: Sandbox, source: string, act: (solution: string) => string) {
  const started = await sandbox.start(source);
  assert.equal(started.kind, "ok", JSON.stringify(started));
  await using process = (started as Extract<typeof started, { kind: "ok" }>).value;
  const reset = await process.reset(3);
  const solution = await process.solution();
  assert.equal(reset.kind, "ok", JSON.stringify(reset));
  assert.equal(solution.kind, "ok");
  const [answer] = (solution as { value: string[] }).value;
  return await process.step(act(answer));
}
const reward = (step: Result<Stepped>) => step.kind === "ok" ? step.value.reward : step;

Deno.test({
  name: "withReasoningGym(): a question is reset, its score a step; programs go to the wall",
  ignore,
  fn: async () => {
    await using inner = await sandboxOf();
    await using gym = await startReasoningGym();
    const sandbox = withReasoningGym(inner, gym);
    assert.match(String(sandbox.layers["reasoning-gym"]), /^0\.1\.25: trusted/);
    const source = reasoningGymSource(chain, gym.version);
    const right = await play(sandbox, source, (answer) => `\\boxed{ ${answer} }`);
    assert.deepEqual(right, {
      kind: "ok",
      value: { observation: "Solved.", reward: 1, terminated: true, truncated: false, info: {} },
    });
    assert.equal(reward(await play(sandbox, source, () => "\\boxed{no}")), 0);
    assert.equal(reward(await play(sandbox, source, (answer) => answer)), 0, "without a box");
    assert.equal(reward(await play(sandbox, source, () => "\\boxed{}")), 0);

    const one = await sandbox.parse(source);
    const two = await sandbox.parse(reasoningGymSource({ ...chain, level: 1 }, gym.version));
    const spaced = await sandbox.parse(` ${source.replaceAll(",", ", ")}`);
    assert.deepEqual(one, spaced);
    assert.notDeepEqual(one, two);
    const wrong = source.replace('"level":0', '"level":"0"');
    for (const result of [await sandbox.parse(wrong), await sandbox.start(wrong)]) {
      assert.deepEqual([result.kind, (result as { reason?: string }).reason], [
        "failed",
        "contract",
      ]);
    }
    const older = await sandbox.start(source.replace("0.1.25", "0.1.0"));
    assert.deepEqual(older, {
      kind: "failed",
      blame: "host",
      reason: "version",
      detail: "the source is of reasoning-gym 0.1.0, installed is 0.1.25",
    });
    const program = await sandbox.parse("class AEnv:\n    pass\n");
    assert.deepEqual((program as { value: { environments: string[] } }).value.environments, [
      "AEnv",
    ]);
  },
});

Deno.test({
  name:
    "reasoningGymSuite() takes each data set at a hard level; reasoningGymPrograms() all levels",
  ignore,
  fn: async () => {
    await using gym = await startReasoningGym();
    const suite = await reasoningGymSuite(gym);
    assert.equal(suite.length, 100);
    const levels = suite.map(({ source }) => JSON.parse(source).level as number);
    assert.ok(levels.every((level) => level <= 3));
    assert.ok(levels.filter((level) => level === 3).length >= 80);
    const easy = await reasoningGymSuite(gym, { names: ["chain_sum"], level: 0 });
    assert.deepEqual(easy.map(({ family, skill }) => [family, skill]), [[
      "chain_sum",
      "arithmetic",
    ]]);
    const names = ["modulo_grid", "chain_sum"];
    const programs = await reasoningGymPrograms(gym, { names, maxDifficulty: 2 });
    assert.deepEqual(
      programs.map(({ source, difficulty }) => [difficulty, JSON.parse(source).level]),
      [[0, 0], [1, 2], [2, 3], [0, 0], [1, 1], [2, 2]],
    );
    assert.equal(new Set(programs.map(({ id }) => id)).size, 6);
    const unknown = reasoningGymSuite(gym, { names: ["chess"] });
    await assert.rejects(unknown, (error: Error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /"chess": must be one of ab, /);
      return true;
    });
    await assert.rejects(reasoningGymSuite(gym, { names: ["codeio"] }), /needs the package zss/);
  },
});
