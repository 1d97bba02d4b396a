/** Plays of tool-use environments: calls, answers, messages, and tools in the chat template. */
import assert from "node:assert/strict";
import { type Chat, failed, type ToolFacts } from "../../lib/core/mod.ts";
import { type EpisodeOptions, playEpisode } from "../../lib/agent/mod.ts";
import { compactPrompt } from "../../lib/designer/mod.ts";
import { episodeReturn } from "../../lib/reward/mod.ts";
import { compactChat } from "../../lib/engine/text/mod.ts";
import { fakeSandbox, Fault, type Game } from "../gates/fake_sandbox.ts";
import { tinyTokenizer } from "../text/tiny_tokenizer.ts";
import { fakeSampler } from "./fake_sampler.ts";

const tokenizer = tinyTokenizer();
const compact = compactChat(tokenizer);
const call = (name: string, args: unknown) =>
  `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;

const tools: ToolFacts = {
  tools: [{
    type: "function",
    function: {
      name: "put",
      parameters: { type: "object", properties: { thing: { type: "string" } } },
    },
  }],
  signatures: { put: { names: ["thing"], required: ["thing"], variadic: false } },
  instructions: 2,
  criteria: 2,
};

/** Put a cup, answer; put a jar, answer done. */
function shelfGame(): Game {
  const shelf: unknown[] = [];
  let answers = 0;
  return {
    reset: () => ["put the cup"],
    step: () => ["a game's step", 0, false, false],
    desk: {
      tools,
      call: (name, args) => {
        if (name !== "put") return `Unknown tool ${name}`;
        shelf.push(args.thing);
        return `shelf: ${shelf.join(" ")}`;
      },
      answer: (text) => {
        answers += 1;
        if (answers === 1) return ["put the jar", 0, false];
        const won = text === "done" && shelf.join(" ") === "cup jar";
        return [won ? "thanks" : "no", won ? 1 : 0, true];
      },
      criteria: () => [false, false],
    },
  };
}

function episode(replies: readonly string[], more: Partial<EpisodeOptions> = {}) {
  const offered: (readonly unknown[] | undefined)[] = [];
  const chat: Chat = {
    ...compact,
    first: (messages, tools) => (offered.push(tools), compact.first(messages)),
  };
  const sandbox = fakeSandbox(() => shelfGame());
  const options: EpisodeOptions = {
    environment: { id: "id", source: "source", skill: "State Modification" },
    seed: 1,
    hint: null,
    sandbox,
    sampler: fakeSampler(tokenizer, (turn) => replies[turn] ?? "nothing more"),
    tokenizer,
    chat,
    prompt: compactPrompt(),
    params: { maxTokens: 400, temperature: 1, stopIds: compact.stopIds },
    context: 4096,
    maxTurns: 6,
    toolUse: true,
    returnOf: episodeReturn,
    reserve: 16,
    samplingSeed: (turn) => turn,
    ...more,
  };
  return { options, sandbox, offered };
}

Deno.test("playEpisode() runs calls in their order, then the answer [D12]", async () => {
  const { options, sandbox, offered } = episode([
    `first ${call("put", { thing: "cup" })}`,
    "<answer>done</answer>",
    `<answer>done</answer> after ${call("put", { thing: "jar" })}`,
  ]);
  const result = await playEpisode(options);
  assert.deepEqual(result.outcome, { kind: "scored", value: 1 });
  assert.ok(result.success && result.terminated);
  assert.deepEqual(sandbox.actions, [
    '{"name":"put","arguments":{"thing":"cup"}}',
    "done",
    '{"name":"put","arguments":{"thing":"jar"}}',
    "done",
  ]);
  assert.deepEqual(offered, [tools.tools]);
  assert.deepEqual(result.turns.map(({ observation }) => observation), [
    "put the cup",
    "<tool_response>\nshelf: cup\n</tool_response>",
    "put the jar",
  ]);
  assert.deepEqual(result.turns.map(({ reward }) => reward), [null, 0, 1]);
  assert.deepEqual(JSON.parse(result.turns[2].action!), {
    calls: [{ kind: "call", name: "put", arguments: { thing: "jar" } }],
    answer: "done",
  });
  for (const { ids, logps } of result.turns) assert.equal(ids.length, logps.length);
});

Deno.test("playEpisode() puts results and the next instruction into one observation", async () => {
  const { options } = episode([
    `${call("put", { thing: "cup" })}${
      call("drop", {})
    }<tool_call>bad</tool_call><answer>ok</answer>`,
  ]);
  const { turns } = await playEpisode(options);
  const [first, second, third, ...rest] = turns[1].observation.split("\n</tool_response>\n");
  assert.match(first, /shelf: cup$/);
  assert.match(second, /Unknown tool drop$/);
  assert.match(third, /Tool call not understood: it is no JSON/);
  assert.deepEqual(rest, ["put the jar"]);
});

Deno.test("playEpisode() tells an agent that asks for nothing how to ask", async () => {
  const { options, sandbox } = episode(["I think.", "\\boxed{done}"]);
  const result = await playEpisode(options);
  assert.match(result.turns[1].observation, /^No tool call and no answer found/);
  assert.deepEqual(sandbox.actions, []);
  assert.equal(result.turns.length, 6);
  assert.ok(result.truncated);
  assert.deepEqual(result.outcome, { kind: "scored", value: 0 });
});

Deno.test("playEpisode() runs at most 32 calls of a reply, and says so", async () => {
  const many = Array.from({ length: 40 }, () => call("put", { thing: "a" })).join("");
  const { options, sandbox } = episode([many], {
    params: { maxTokens: 3000, temperature: 1, stopIds: compact.stopIds },
    maxTurns: 2,
    context: 8192,
  });
  const { turns } = await playEpisode(options);
  assert.equal(sandbox.actions.length, 32);
  assert.match(turns[1].observation, /Only the first 32 calls/);
});

Deno.test("playEpisode() does not run a cut reply, nor score a program that fails in a call [D6]", async () => {
  const cut = episode([`${call("put", { thing: "cup" })}…`]);
  const { turns, truncated } = await playEpisode(cut.options);
  assert.ok(truncated && turns[0].action === null);
  assert.deepEqual(cut.sandbox.actions, []);

  for (const request of ["tools", "call", "answer"]) {
    const sandbox = fakeSandbox(() => shelfGame(), {
      before: (now) => {
        if (now === request) throw new Fault(failed("designer", "exception"));
      },
    });
    const replies = [`${call("put", { thing: "cup" })}<answer>done</answer>`];
    const result = await playEpisode(episode(replies, { sandbox }).options);
    assert.deepEqual(result.outcome, failed("designer", "exception"), request);
    if (request !== "tools") assert.notEqual(result.turns[0].action, null);
    assert.equal(sandbox.open, 0);
  }
});

Deno.test("playEpisode() blames a program that has no tools", async () => {
  const sandbox = fakeSandbox(() => ({ ...shelfGame(), desk: undefined }));
  const { outcome } = await playEpisode(episode([], { sandbox }).options);
  assert.deepEqual(outcome, failed("designer", "contract", "the program has no tools"));
});

Deno.test("playEpisode() shows the hint once, and both arms take the same path [D10]", async () => {
  const replies = [call("put", { thing: "cup" }) + "<answer>done</answer>"];
  const plain = await playEpisode(episode(replies).options);
  const hinted = await playEpisode(episode(replies, { hint: "look first" }).options);
  assert.equal(hinted.turns[0].observation, "put the cup\n\nHINT: look first");
  assert.deepEqual(hinted.turns[1].prompt, plain.turns[1].prompt);
});
