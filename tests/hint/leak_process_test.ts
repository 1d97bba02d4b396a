/** The leak check of hints on real programs in the real sandbox. */
import assert from "node:assert/strict";
import { naturalPrompt } from "../../lib/designer/mod.ts";
import { compactChat } from "../../lib/engine/text/mod.ts";
import { constantAnswers, writeHint } from "../../lib/hint/mod.ts";
import { readPromptFiles } from "../../lib/cli/inputs.ts";
import { fakeSampler } from "../agent/fake_sampler.ts";
import { program, programs } from "../gates/programs.ts";
import { testSandbox } from "../gates/test_sandbox.ts";
import { tinyTokenizer } from "../text/tiny_tokenizer.ts";

Deno.test("hints tell no value of an argument that is the same on every seed [D9]", async (t) => {
  await using sandbox = await testSandbox();
  const tokenizer = tinyTokenizer();
  const compact = compactChat(tokenizer);
  const chat = {
    ...compact,
    first: (messages: readonly { content: string }[]) =>
      tokenizer.encode(messages.map(({ content }) => content).join("\n")),
  };
  const prompt = naturalPrompt({ kind: "tool-use", files: readPromptFiles(), skills: [] });
  const hint = (name: string, ...replies: string[]) =>
    writeHint({
      ...{ prompt, chat, tokenizer, sandbox, seed: (retry: number) => retry },
      sampler: fakeSampler(tokenizer, (call) => replies[call]),
      environment: { id: name, source: program(`good/${name}.py`).source, skill: "S" },
      params: { maxTokens: 200, temperature: 0.3, stopIds: chat.stopIds },
    });

  await t.step(
    "of each tool-use program the constant values are known, `done` is none",
    async () => {
      const constants: Record<string, string[]> = {};
      for (const { name, source } of programs("good")) {
        if (!source.includes("ToolUseEnv")) continue;
        const found = await constantAnswers(source, { sandbox });
        assert.ok(found.kind === "ok", name);
        constants[name] = found.value;
      }
      assert.deepEqual(constants, {
        archive_desk: ["pages"],
        right_counter: [],
        stock_moves: ["dock", "hall", "yard"],
        storm_alerts: ["high", "calm"],
        stubborn_orders: [],
        trip_desk: [],
      });
    },
  );

  await t.step("a hint with one of them is asked for again, then there is none", async () => {
    const leak = "Look the books up, then file the sum under Pages.";
    const skipped = await hint("archive_desk", leak, leak);
    assert.equal(skipped.text, null);
    assert.equal(skipped.reason, "tells an answer that is the same on every seed");
    const fine =
      "Find all books first and compare their cards, then reserve; answer done each time.";
    assert.equal((await hint("archive_desk", leak, fine)).text, fine);
    assert.equal(
      (await hint("archive_desk", fine)).tried.length,
      1,
      "tools and `done` are no leak",
    );
  });

  await t.step(
    "a value that changes with the seed, or a longer word, may stand in a hint",
    async () => {
      for (
        const [name, varies] of [
          ["archive_desk", "Reserve B123 for Moll."],
          ["storm_alerts", "Look at the highest wind first, however calmly it begins."],
        ]
      ) assert.equal((await hint(name, varies)).text, varies);
    },
  );
});
