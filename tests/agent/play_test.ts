import assert from "node:assert/strict";
import { EngineError, failed, type SampleReply } from "../../lib/core/mod.ts";
import { type EpisodeOptions, playEpisode } from "../../lib/agent/mod.ts";
import { compactPrompt } from "../../lib/designer/mod.ts";
import { episodeReturn } from "../../lib/reward/mod.ts";
import { compactChat } from "../../lib/engine/text/mod.ts";
import { fakeSandbox, Fault, type Game, guessGame } from "../gates/fake_sandbox.ts";
import { tinyTokenizer } from "../text/tiny_tokenizer.ts";
import { fakeSampler } from "./fake_sampler.ts";

const tokenizer = tinyTokenizer();
const chat = compactChat(tokenizer);

/** Options of a play of the guessing game in which the agent says `answers` in turn. */
function episode(
  answers: readonly string[],
  { change, ...more }: Partial<EpisodeOptions> & {
    change?: (reply: SampleReply, call: number) => SampleReply;
  } = {},
) {
  const sampler = fakeSampler(tokenizer, (call) => answers[call] ?? "\\boxed{0}", change);
  const sandbox = fakeSandbox(() => guessGame());
  const options: EpisodeOptions = {
    environment: { id: "id", source: "source", skill: "Logical Deduction" },
    seed: 1,
    hint: null,
    sandbox,
    sampler,
    tokenizer,
    chat,
    prompt: compactPrompt(),
    params: { maxTokens: 16, temperature: 1, stopIds: chat.stopIds },
    context: 1024,
    maxTurns: 12,
    returnOf: episodeReturn,
    reserve: 16,
    samplingSeed: (turn) => 100 + turn,
    ...more,
  };
  return { options, sampler, sandbox };
}

Deno.test("playEpisode() records what was sampled, and appends without encoding again", async () => {
  const { options, sampler, sandbox } = episode(["so \\boxed{3} ", "\\boxed{7}"]);
  const result = await playEpisode(options);
  assert.deepEqual(result.outcome, { kind: "scored", value: 1 });
  assert.ok(result.success && result.terminated && !result.truncated);
  assert.deepEqual(sandbox.actions, ["\\boxed{3}", "\\boxed{7}"]);
  assert.deepEqual(result.turns.map(({ observation }) => observation), ["guess 0 to 19", "higher"]);
  assert.deepEqual(result.turns.map(({ reward }) => reward), [0, 1]);
  assert.deepEqual(sampler.requests.map(({ seed }) => seed), [100, 101]);

  const [first, second] = result.turns;
  assert.deepEqual(sampler.requests[0].prompt, first.prompt);
  assert.deepEqual(sampler.requests[1].prompt, [...first.prompt, ...first.ids, ...second.prompt]);
  for (const { ids, logps } of result.turns) assert.equal(ids.length, logps.length);
  assert.deepEqual([result.versionFirst, result.versionLast], [3, 3]);
  assert.equal(sandbox.open, 0);
});

Deno.test("playEpisode() renders each turn whole where the template rewrites replies", async () => {
  const whole = { ...chat, stripsThinking: true };
  const roles: string[][] = [];
  whole.first = (messages) => {
    roles.push(messages.map(({ role, content }) => `${role} ${content}`));
    return chat.first(messages.map((message) => ({ ...message, role: "obs" })));
  };
  const { options, sampler } = episode(["so \\boxed{3} ", "\\boxed{7}"], { chat: whole });
  const { turns, outcome } = await playEpisode(options);
  assert.deepEqual(outcome, { kind: "scored", value: 1 });
  assert.deepEqual(turns.map(({ rerendered }) => rerendered), [null, true]);
  assert.deepEqual(sampler.requests.map(({ prompt }) => prompt), turns.map(({ prompt }) => prompt));
  assert.deepEqual(roles[1], [...roles[0], "assistant so \\boxed{3} ", "obs higher", "act "]);
});

Deno.test("playEpisode() shows the hint after the first observation only [D10]", async () => {
  const answers = ["\\boxed{3}", "\\boxed{7}"];
  const plain = await playEpisode(episode(answers).options);
  const hinted = await playEpisode(episode(answers, { hint: "halve the range" }).options);
  assert.equal(hinted.turns[0].observation, "guess 0 to 19\n\nHINT: halve the range");
  assert.equal(hinted.turns[1].observation, "higher");
  assert.deepEqual(hinted.turns[1].prompt, plain.turns[1].prompt);
  assert.deepEqual(hinted.outcome, plain.outcome);
});

Deno.test("playEpisode() truncates at the smaller turn limit and scores 0", async () => {
  for (const [configured, own, turns] of [[3, undefined, 3], [12, 2, 2]] as const) {
    const sandbox = fakeSandbox(() => ({ ...guessGame(99), maxTurns: own }));
    const result = await playEpisode(episode([], { sandbox, maxTurns: configured }).options);
    assert.equal(result.turns.length, turns);
    assert.deepEqual(result.outcome, { kind: "scored", value: 0 });
    assert.ok(result.truncated && !result.terminated && !result.success);
  }
});

Deno.test("playEpisode() truncates when the program says so", async () => {
  const { options } = episode([], { sandbox: fakeSandbox(() => guessGame(2)) });
  const result = await playEpisode(options);
  assert.equal(result.turns.length, 2);
  assert.ok(result.truncated);
});

Deno.test("playEpisode() does not execute a reply cut by its limit", async () => {
  const { options, sandbox } = episode(["\\boxed{3}", "\\boxed{7} and …"]);
  const result = await playEpisode(options);
  assert.deepEqual(sandbox.actions, ["\\boxed{3}"]);
  assert.ok(result.truncated);
  assert.equal(result.turns[1].action, null);
  assert.equal(result.turns[1].reward, null);
  assert.equal(result.turns[1].finish, "length");
});

Deno.test("playEpisode() ends when the context leaves less than the reserve", async () => {
  const { options, sampler } = episode([], { context: 110, reserve: 64 });
  const result = await playEpisode(options);
  assert.equal(result.turns.length, 1);
  assert.ok(result.truncated);
  assert.deepEqual(result.outcome, { kind: "scored", value: 0 });
  assert.equal(sampler.requests.length, 1);
});

Deno.test("playEpisode() blames the program for an opening that leaves no turn", async () => {
  const result = await playEpisode(episode([], { context: 40, reserve: 16 }).options);
  assert.equal(result.outcome.kind === "failed" && result.outcome.blame, "designer");
  assert.deepEqual([result.turns.length, result.versionFirst, result.versionLast], [0, -1, -1]);
});

const faulty = (request: string, blame: "designer" | "host", reason: string) =>
  fakeSandbox(() => guessGame(), {
    before: (now) => {
      if (now === request) throw new Fault(failed(blame, reason));
    },
  });

for (const request of ["start", "reset", "step"]) {
  Deno.test(`playEpisode() never scores a program that fails in ${request} [D6]`, async () => {
    const sandbox = faulty(request, "designer", "exception");
    const result = await playEpisode(episode([], { sandbox }).options);
    assert.deepEqual(result.outcome, failed("designer", "exception"));
    assert.ok(!result.success && !result.hung);
    assert.equal(sandbox.open, 0);
  });
}

Deno.test("playEpisode(): incident https://github.com/PrimeIntellect-ai/verifiers/pull/659 a deadline is no turn", async () => {
  const sandbox = faulty("step", "designer", "deadline");
  const result = await playEpisode(episode([], { sandbox }).options);
  assert.deepEqual(result.outcome, failed("designer", "deadline"));
  assert.ok(result.hung);
  assert.equal(result.turns[0].reward, null);
});

Deno.test("playEpisode() does not blame the program for the host's deadline", async () => {
  const sandbox = faulty("step", "host", "deadline");
  const result = await playEpisode(episode([], { sandbox }).options);
  assert.deepEqual(result.outcome, failed("host", "deadline"));
  assert.ok(!result.hung);
});

Deno.test("playEpisode(): incident https://github.com/Tencent-Hunyuan/UniRL/pull/214 an outage is no episode", async () => {
  const { options } = episode([]);
  const sampler = {
    sample: () => Promise.reject(new EngineError("Cannot sample: server is gone")),
  };
  const result = await playEpisode({ ...options, sampler });
  assert.deepEqual(result.outcome, failed("model", "sampler", "Cannot sample: server is gone"));
  assert.equal(result.turns.length, 0);
});

Deno.test("playEpisode(): incident https://github.com/THUDM/slime/pull/1861 lengths differ by one", async () => {
  const change = (reply: SampleReply, call: number) =>
    call === 1 ? { ...reply, logps: reply.logps.slice(1) } : reply;
  const result = await playEpisode(episode(["\\boxed{3}"], { change }).options);
  const { outcome } = result;
  assert.ok(outcome.kind === "failed" && outcome.blame === "model");
  assert.match(outcome.detail ?? "", /^turn 1: 10 ids have 9 log-probabilities/);
});

Deno.test("playEpisode() refuses replies that break the sampler's contract", async () => {
  const broken: Record<string, (reply: SampleReply) => Partial<SampleReply>> = {
    "is NaN": ({ logps }) => ({ logps: logps.map(() => NaN) }),
    "is -Infinity": ({ logps }) => ({ logps: logps.map(() => -Infinity) }),
    "is 0.1": ({ logps }) => ({ logps: logps.map(() => 0.1) }),
    "0 ids, must be 1 to 16": () => ({ ids: [], logps: [] }),
    "without a stop id": ({ ids, logps }) => ({ ids: ids.slice(1).concat(20), logps }),
  };
  for (const [detail, damage] of Object.entries(broken)) {
    const change = (reply: SampleReply) => ({ ...reply, ...damage(reply) });
    const { outcome } = await playEpisode(episode([], { change }).options);
    assert.ok(outcome.kind === "failed" && outcome.blame === "model", detail);
    assert.ok(outcome.detail?.includes(detail), outcome.detail);
  }
});

Deno.test("playEpisode() throws the reason when aborted, and leaves no process", async () => {
  const controller = new AbortController();
  const { options, sandbox } = episode([], { signal: controller.signal });
  const sampler = {
    sample: () => {
      controller.abort(new Error("stop"));
      return Promise.reject(new Error("aborted"));
    },
  };
  await assert.rejects(playEpisode({ ...options, sampler }), /stop/);
  assert.equal(sandbox.open, 0);
});

Deno.test("playEpisode() makes the return by the given rule", async () => {
  const parts = (): Game => {
    let turn = 0;
    return {
      reset: () => ["go"],
      step: () => (turn++, ["", turn === 1 ? 0.25 : 0.75, turn === 2, false]),
    };
  };
  const sandbox = fakeSandbox(parts);
  const play = (more: Partial<EpisodeOptions>) =>
    playEpisode(episode([], { sandbox, ...more }).options);
  const last = await play({});
  assert.deepEqual([last.outcome, last.success], [{ kind: "scored", value: 0.75 }, false]);
  const returnOf: EpisodeOptions["returnOf"] = (rewards, terminated) =>
    episodeReturn(rewards, terminated, { rule: "sum" });
  const sum = await play({ returnOf });
  assert.deepEqual([sum.outcome, sum.success], [{ kind: "scored", value: 1 }, true]);
  const cut = await play({ returnOf, maxTurns: 1 });
  assert.deepEqual([cut.outcome, cut.success], [{ kind: "scored", value: 0.25 }, false]);
  const own = await play({ returnOf: (rewards, terminated) => terminated ? rewards.length : 0 });
  assert.deepEqual(own.outcome, { kind: "scored", value: 2 });
});

Deno.test("playEpisode() labels a play that spans two weights versions", async () => {
  const change = (reply: SampleReply, call: number) => ({ ...reply, weightsVersion: 5 + call });
  const result = await playEpisode(episode(["\\boxed{3}", "\\boxed{7}"], { change }).options);
  assert.deepEqual([result.versionFirst, result.versionLast], [5, 6]);
});

Deno.test("playEpisode() blames the agent for an action beyond the sandbox's limit", async () => {
  const { options } = episode(["x".repeat(70_000)], { context: 100_000 });
  const params = { ...options.params, maxTokens: 80_000 };
  const result = await playEpisode({ ...options, params });
  assert.equal(result.outcome.kind === "failed" && result.outcome.blame, "agent");
});

Deno.test("playEpisode() keeps addresses out of records", async () => {
  const detail = "TypeError: <object object at 0x7f3a5c0b1d20>";
  const sandbox = fakeSandbox(() => guessGame(), {
    before: () => {
      throw new Fault(failed("designer", "exception", detail));
    },
  });
  const { outcome } = await playEpisode(episode([], { sandbox }).options);
  assert.deepEqual(
    outcome,
    failed("designer", "exception", "TypeError: <object object at 0x...>"),
  );
});
