/** Plays in the real sandbox. */
import assert from "node:assert/strict";
import { failed } from "../../lib/core/mod.ts";
import { type EpisodeOptions, playEpisode } from "../../lib/agent/mod.ts";
import { episodeReturn } from "../../lib/reward/mod.ts";
import { compactPrompt } from "../../lib/designer/mod.ts";
import { compactChat } from "../../lib/engine/text/mod.ts";
import { testSandbox } from "../gates/test_sandbox.ts";
import { tinyTokenizer } from "../text/tiny_tokenizer.ts";
import { fakeSampler } from "./fake_sampler.ts";

const tokenizer = tinyTokenizer();
const chat = compactChat(tokenizer);
const programs = new URL("../gates/programs/", import.meta.url);
const read = (path: string) => Deno.readTextFile(new URL(path, programs));
const bad = (name: string) => read(`../../../data/environments/bad/contract_${name}.py`);

/** Halves the range of guess.py; reads the conversation only. */
function halving() {
  const ranges = new Map<number, [number, number]>();
  return (_call: number, { prompt, seed }: { prompt: readonly number[]; seed: number }) => {
    const play = Math.floor(seed / 100);
    let [low, high] = ranges.get(play) ?? [0, 19];
    const text = tokenizer.decode(prompt);
    const last = [...text.matchAll(/\\boxed\{(\d+)\}(higher|lower)/g)].at(-1);
    if (last?.[2] === "higher") low = Number(last[1]) + 1;
    if (last?.[2] === "lower") high = Number(last[1]) - 1;
    ranges.set(play, [low, high]);
    return `\\boxed{${(low + high) >> 1}}`;
  };
}

Deno.test("playEpisode() in the sandbox", async (t) => {
  await using sandbox = await testSandbox();
  const guess = await read("good/guess.py");
  const options = (source: string, seed: number, hint: string | null): EpisodeOptions => ({
    environment: { id: "id", source, skill: "Logical Deduction" },
    seed,
    hint,
    sandbox,
    sampler: fakeSampler(tokenizer, halving()),
    tokenizer,
    chat,
    prompt: compactPrompt(),
    params: { maxTokens: 16, temperature: 1, stopIds: chat.stopIds },
    context: 1024,
    maxTurns: 12,
    returnOf: episodeReturn,
    reserve: 16,
    samplingSeed: (turn) => 100 * seed + turn,
    limits: { requestCpuSeconds: 0.3 },
  });

  await t.step("a strategy wins, in both arms alike, many plays at a time", async () => {
    const seeds = Array.from({ length: 16 }, (_, seed) => seed);
    const play = (hint: string | null) =>
      Promise.all(seeds.map((seed) => playEpisode(options(guess, seed, hint))));
    const [plain, hinted] = [await play(null), await play("halve the range")];
    assert.ok(plain.every(({ success, turns }) => success && turns.length <= 5));
    const actions = (plays: typeof plain) =>
      plays.map(({ turns }) => turns.map(({ action, reward }) => [action, reward]));
    assert.deepEqual(actions(plain), actions(hinted));
  });

  await t.step(
    "incident https://github.com/volcengine/verl/issues/288 a step that spins",
    async () => {
      const source = await bad("loop_in_step");
      const result = await playEpisode(options(source, 1, null));
      assert.equal(result.outcome.kind === "failed" && result.outcome.blame, "designer");
      assert.ok(result.hung);
      assert.equal((await playEpisode(options(guess, 1, null))).success, true);
    },
  );

  await t.step("faults of the program are failures of the designer [D6]", async () => {
    for (const [name, reason] of [["nan_reward", "contract"], ["recursion", "exception"]]) {
      const result = await playEpisode(options(await bad(name), 1, null));
      assert.ok(result.outcome.kind === "failed", name);
      const { detail: _, ...outcome } = result.outcome;
      assert.deepEqual(outcome, failed("designer", reason), name);
      assert.ok(!result.hung);
    }
  });

  await t.step("a tool-use program is won by calls and answers", async () => {
    const source = await read("../../../data/environments/good/stock_moves.py");
    const started = await sandbox.start(source);
    assert.ok(started.kind === "ok");
    await using process = started.value;
    await process.reset(5);
    const solution = await process.solution();
    assert.ok(solution.kind === "ok" && solution.value !== null);
    const replies = solution.value.map((action) =>
      action === "done" ? "<answer>done</answer>" : `<tool_call>${action}</tool_call>`
    );
    const result = await playEpisode({
      ...options(source, 5, null),
      sampler: fakeSampler(tokenizer, (turn) => replies[turn]),
      params: { maxTokens: 400, temperature: 1, stopIds: chat.stopIds },
      context: 8192,
      toolUse: true,
    });
    assert.deepEqual(result.outcome, { kind: "scored", value: 1 }, JSON.stringify(result));
    assert.equal(result.turns.length, replies.length);
    assert.match(result.turns[1].observation, /^<tool_response>\nMoved\.\n<\/tool_response>$/);
  });
});
