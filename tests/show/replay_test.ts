import assert from "node:assert/strict";
import {
  type EnvironmentProcess,
  failed,
  ok,
  type Sandbox,
  SandboxError,
  scored,
  type Stepped,
} from "../../lib/core/mod.ts";
import { frameHtml, replayHtml, replayPlay, type StoredPlay } from "../../lib/show/mod.ts";

const stored: StoredPlay = {
  environment: { id: "e".repeat(64), source: "class LampEnv: ..." },
  play: { arm: "hinted", seed: 7, outcome: scored(1), terminated: true },
  turns: [
    { observation: "start 7\n\nHINT: wait", action: "a", reward: 0 },
    { observation: "after a", action: "b", reward: 1 },
  ],
};

/** A sandbox whose programs say `after ACTION` and end at `b`, but for what `change` says. */
function sandboxOf(
  change: (action: string) => Partial<Stepped> | ReturnType<typeof failed> = () => ({}),
  parts: Partial<EnvironmentProcess> = {},
): Sandbox & { started: unknown[] } {
  const started: unknown[] = [];
  const process: EnvironmentProcess = {
    maxTurns: undefined,
    reset: (seed) => Promise.resolve(ok({ observation: `start ${seed}`, info: {} })),
    step: (action) => {
      const changed = change(action);
      if ("blame" in changed) return Promise.resolve(changed);
      const won = action === "b";
      const plain = { observation: `after ${action}`, reward: Number(won), terminated: won };
      return Promise.resolve(ok({ ...plain, truncated: false, info: {}, ...changed }));
    },
    tools: () => Promise.resolve(ok(null)),
    call: () => Promise.reject(new Error("no tools")),
    answer: () => Promise.reject(new Error("no tools")),
    criteria: () => Promise.resolve(ok([])),
    solution: () => Promise.resolve(ok(null)),
    ...parts,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return {
    started,
    level: "full",
    layers: {},
    start: (_source, options) => {
      started.push(options);
      return Promise.resolve(ok(process));
    },
    parse: () => Promise.reject(new Error("not asked")),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

Deno.test("replayPlay() finds a play the same, hint and all", async () => {
  const sandbox = sandboxOf();
  const replayed = await replayPlay(stored, { sandbox, maxTurns: 9 });
  assert.deepEqual(replayed.outcome, { kind: "same" });
  assert.equal(replayed.last, "after b");
  assert.equal((sandbox.started[0] as { maxTurns: number }).maxTurns, 9);
  assert.match(Deno.inspect(replayed), /✓ same in all 2 turns[\s\S]*── turn 2 ✓/);
});

Deno.test("replayPlay() names the first difference and marks each", async () => {
  const observation = await replayPlay(stored, {
    sandbox: sandboxOf((action) => action === "a" ? { observation: "other" } : {}),
  });
  assert.deepEqual(observation.outcome, { kind: "different", turn: 2, what: "observation" });
  assert.match(Deno.inspect(observation), /after a\nreplayed:\n {2}other/);
  assert.match(replayHtml(observation), /⚠ other observation/);

  const reward = await replayPlay(stored, {
    sandbox: sandboxOf((action) => action === "b" ? { reward: 0.5 } : {}),
  });
  assert.deepEqual(reward.outcome, { kind: "different", turn: 2, what: "reward" });
  assert.match(Deno.inspect(reward), /reward 1\.00, replayed 0\.50/);

  const early = await replayPlay(stored, { sandbox: sandboxOf(() => ({ terminated: true })) });
  assert.deepEqual(early.outcome, { kind: "different", turn: 1, what: "end" });
  assert.equal(early.turns[1].observation.again, null);
  const late = await replayPlay(stored, { sandbox: sandboxOf(() => ({ terminated: false })) });
  assert.deepEqual(late.outcome, { kind: "different", turn: 2, what: "end" });
});

Deno.test("replayPlay() names a program's failure, and knows a stored one", async () => {
  const hung = failed("designer", "deadline", "request used 2 s\u001b[2J");
  const sandbox = sandboxOf((action) => action === "b" ? hung : {});
  const replayed = await replayPlay(stored, { sandbox });
  assert.deepEqual(replayed.outcome, { kind: "failed", turn: 2, failure: hung });
  assert.match(Deno.inspect(replayed), /failed at turn 2.*designer, deadline.*␛\[2J/);
  assert.match(Deno.inspect(replayed), /── turn 2 ⚠ no result/);

  const asStored = { ...stored, play: { ...stored.play, outcome: hung, terminated: false } };
  const turns = [stored.turns[0], { ...stored.turns[1], reward: null }];
  const same = await replayPlay({ ...asStored, turns }, { sandbox });
  assert.deepEqual(same.outcome, { kind: "same", note: "it fails as stored: designer, deadline" });
  const now = await replayPlay({ ...asStored, turns: [stored.turns[0]] }, { sandbox });
  assert.equal(now.outcome.kind, "different");
});

Deno.test("replayPlay() gives an outcome when the sandbox is gone, and throws only an abort", async () => {
  const gone = { ...sandboxOf(), start: () => Promise.reject(new SandboxError("no host")) };
  const { outcome } = await replayPlay(stored, { sandbox: gone });
  assert.deepEqual(outcome, {
    kind: "failed",
    turn: 1,
    failure: failed("host", "sandbox", "no host"),
  });
  const signal = AbortSignal.abort("enough");
  await assert.rejects(
    replayPlay(stored, { sandbox: sandboxOf(), signal }),
    (error) => error === "enough",
  );
});

Deno.test("replayPlay() runs the calls and answers of tool use", async () => {
  const calls = [
    { kind: "call", name: "find", arguments: { key: 1 } },
    { kind: "problem", message: "not understood" },
  ];
  const tooled: StoredPlay = {
    ...stored,
    turns: [
      { observation: "start 7", action: JSON.stringify({ calls, answer: null }), reward: null },
      {
        observation:
          "<tool_response>\nfound 1\n</tool_response>\n<tool_response>\nnot understood\n" +
          "</tool_response>",
        action: JSON.stringify({ calls: [], answer: "1" }),
        reward: 1,
      },
    ],
  };
  const facts = { tools: [], signatures: {}, instructions: 1, criteria: 1 };
  const end = { observation: "right", reward: 1, terminated: true, truncated: false, info: {} };
  const sandbox = sandboxOf(undefined, {
    tools: () => Promise.resolve(ok(facts)),
    call: (name, args) => Promise.resolve(ok({ observation: `found ${args.key}`, info: { name } })),
    answer: () => Promise.resolve(ok(end)),
  });
  const replayed = await replayPlay(tooled, { sandbox });
  assert.deepEqual(replayed.outcome, { kind: "same" });
});

Deno.test("frames contain whatever a page holds", () => {
  const frame = frameHtml(`</iframe><script>alert("1")</script>`, { title: `a"b` });
  assert.match(frame, /^<iframe title="a&quot;b" sandbox="allow-scripts" srcdoc="&lt;\/iframe&gt;/);
  assert.equal(frame.match(/<\/?[a-z]+/g)!.length, 2);
});
