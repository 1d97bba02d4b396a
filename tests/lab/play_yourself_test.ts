import assert from "node:assert/strict";
import {
  type EnvironmentProcess,
  failed,
  ok,
  type Sandbox,
  type ToolFacts,
  UsageError,
} from "../../lib/core/mod.ts";
import { inspect, playYourself, replay } from "../../lib/lab/mod.ts";

const source = "class LampEnv:\n    pass\n";

/** A program that pays for `\boxed{on}` and fails at `\boxed{break}`. */
function sandboxOf(parts: Partial<EnvironmentProcess> = {}): Sandbox {
  const end = { truncated: false, info: {} };
  const process: EnvironmentProcess = {
    maxTurns: 3,
    reset: (seed) => Promise.resolve(ok({ observation: `lamp ${seed}\u001b[2J`, info: {} })),
    step: (action) => {
      if (action.length > 100) throw new RangeError("Cannot step: action is too long");
      if (action === "\\boxed{break}") return Promise.resolve(failed("designer", "exception"));
      const won = action === "\\boxed{on}", observation = won ? "light" : "dark";
      return Promise.resolve(ok({ observation, reward: Number(won), terminated: won, ...end }));
    },
    tools: () => Promise.resolve(ok(null)),
    call: (name, args) =>
      Promise.resolve(ok({ observation: `${name} ${JSON.stringify(args)}`, info: {} })),
    answer: (text) =>
      Promise.resolve(
        ok({ observation: "read", reward: Number(text === "7"), terminated: true, ...end }),
      ),
    criteria: () => Promise.resolve(ok([])),
    solution: () => Promise.resolve(ok(null)),
    ...parts,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return {
    level: "full",
    layers: {},
    start: () => Promise.resolve(ok(process)),
    parse: () => Promise.reject(new Error("not asked")),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Answers one after the other, and what was asked. */
function reader(...answers: (string | null)[]) {
  const questions: string[] = [];
  const ask = (question: string) => {
    questions.push(question);
    return answers.shift() ?? null;
  };
  return { ask, questions };
}

Deno.test("playYourself() asks, steps, shows rewards and ends when the program does", async () => {
  const { ask, questions } = reader("off", " on ");
  const mine = await playYourself(source, { seed: 4, ask, sandbox: sandboxOf() });
  assert.deepEqual(questions, [
    "LampEnv, turn 1 of 3\nlamp 4␛[2J",
    "LampEnv, turn 2 of 3 · reward 0.00\ndark",
  ]);
  assert.deepEqual([mine.outcome, mine.success], [{ kind: "scored", value: 1 }, true]);
  assert.deepEqual(mine.turns.map(({ action }) => action), ["\\boxed{off}", "\\boxed{on}"]);
  assert.match(
    Deno.inspect(mine),
    /LampEnv, seed 4, plain: won: 1\.00 in 2 turns[\s\S]*last {2}light/,
  );
});

Deno.test("playYourself() ends on an empty or cancelled answer and at the last turn", async () => {
  const left = await playYourself(source, { ...reader("off", " "), sandbox: sandboxOf() });
  assert.deepEqual(left.outcome, { kind: "skipped", reason: "left after 1 turn" });
  const none = await playYourself(source, { ...reader(null), sandbox: sandboxOf() });
  assert.match(Deno.inspect(none), /skipped \(nobody answered: play it in a notebook/);
  const three = reader("off", "off", "off", "on");
  const lost = await playYourself(source, { ...three, sandbox: sandboxOf() });
  assert.deepEqual([lost.outcome, lost.truncated], [{ kind: "scored", value: 0 }, true]);
  assert.equal(three.questions.length, 3);
});

Deno.test("playYourself() names a program's failure and an answer that is too long", async () => {
  const broken = await playYourself(source, { ...reader("break"), sandbox: sandboxOf() });
  assert.deepEqual(broken.outcome, failed("designer", "exception"));
  assert.equal(broken.turns.length, 1);
  const long = await playYourself(source, { ...reader("x".repeat(200)), sandbox: sandboxOf() });
  assert.equal(long.outcome.kind === "failed" && long.outcome.blame, "agent");
  await assert.rejects(playYourself(source, { seed: -1 }), UsageError);
});

Deno.test("playYourself() calls tools and answers", async () => {
  const facts: ToolFacts = {
    tools: [],
    signatures: { find: { names: ["key"], required: ["key"], variadic: false } },
    instructions: 1,
    criteria: 1,
  };
  const sandbox = sandboxOf({ tools: () => Promise.resolve(ok(facts)) });
  const { ask, questions } = reader('find {"key": 1}', "7");
  const mine = await playYourself(source, { ask, sandbox });
  assert.match(questions[0], /Tools: find\(key\)\. Call one as NAME/);
  assert.match(questions[1], /turn 2 of 3\nfind \{"key":1\}/);
  assert.equal(mine.success, true);
  assert.equal(mine.turns[1].action, '{"calls":[],"answer":"7"}');
});

Deno.test("a person's play can be inspected and replayed like any other", async () => {
  const mine = await playYourself(source, { ...reader("off", "on"), sandbox: sandboxOf() });
  const page = inspect(mine, {
    engine: { tokenizer: { specials: {}, encode: () => [], decode: () => "" } },
  });
  assert.match(page.page, /action <code>\\boxed\{on\}<\/code>/);
  const again = await replay(mine, { sandbox: sandboxOf() });
  assert.deepEqual(again.outcome, { kind: "same" });
});

Deno.test("the question names the actions that the program allows", async () => {
  const info = { actions: Array.from({ length: 32 }, (_, at) => `a${at}`) };
  const sandbox = sandboxOf({ reset: () => Promise.resolve(ok({ observation: "lamp", info })) });
  const { ask, questions } = reader("off", null);
  await playYourself(source, { ask, sandbox });
  assert.match(questions[0], /\nlamp\nactions: a0, a1, .*, a29, and 2 more$/);
  assert.doesNotMatch(questions[1], /actions/);
});
