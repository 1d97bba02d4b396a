import assert from "node:assert/strict";
import { askDesigner, type AskOptions, compactPrompt } from "../../lib/designer/mod.ts";
import type { MemoryLine, SampleReply } from "../../lib/core/mod.ts";
import { compactChat } from "../../lib/engine/text/mod.ts";
import { fakeSampler } from "../agent/fake_sampler.ts";
import { tinyTokenizer } from "../text/tiny_tokenizer.ts";

const tokenizer = tinyTokenizer();
const chat = compactChat(tokenizer);
const line = (description: string): MemoryLine => ({
  verdict: "good",
  source: "",
  description,
  successRate: 0.5,
});

function ask(
  answer: string,
  more: Partial<AskOptions> = {},
  change?: (reply: SampleReply) => SampleReply,
) {
  const sampler = fakeSampler(tokenizer, () => answer, change);
  const brief = {
    skill: "S",
    document: "a river",
    memory: [line("AEnv"), line("BEnv")],
    difficulty: "medium",
  };
  const params = { maxTokens: 50, temperature: 1, stopIds: chat.stopIds };
  const prompt = compactPrompt();
  return askDesigner({
    prompt,
    chat,
    tokenizer,
    sampler,
    brief,
    seed: 7,
    params,
    context: 200,
    ...more,
  });
}

Deno.test("askDesigner() gives the ids as sampled, the text and the canonical program", async () => {
  const emitted = await ask("class AEnv: \n  pass");
  assert.equal(emitted.source, "class AEnv:\n  pass\n");
  assert.ok(emitted.asEmitted);
  assert.deepEqual(emitted.cut, { memoryLines: 0, documentTokens: 0 });
  assert.equal(emitted.text, tokenizer.decode(emitted.reply.ids));
  const fenced = await ask("Here:\n```python\nA\n```");
  assert.equal(fenced.source, "A\n");
  assert.ok(!fenced.asEmitted);
});

Deno.test("askDesigner() cuts memory, then the document, to keep within the context", async () => {
  const whole = (await ask("A")).prompt.length;
  const fewer = await ask("A", { context: whole + 50 - 1 });
  assert.deepEqual(fewer.cut, { memoryLines: 1, documentTokens: 0 });
  assert.ok(tokenizer.decode(fewer.prompt).endsWith("good AEnv"));
  const short = await ask("A", { context: 50 + 4 + 1 + 3 });
  assert.deepEqual(short.cut, { memoryLines: 2, documentTokens: 4 });
  assert.equal(short.prompt.length, 8);
  await assert.rejects(ask("A", { context: 54 }), RangeError);
});

Deno.test("askDesigner() refuses replies whose lengths differ", async () => {
  const change = (reply: SampleReply) => ({ ...reply, logps: [] });
  await assert.rejects(ask("A", {}, change), /2 ids have 0 log-probabilities/);
});
