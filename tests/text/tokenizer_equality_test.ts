/** The tokenizer of the nano policy: ids and texts equal those of Python `tokenizers` (make_fixture.py). */
import assert from "node:assert/strict";
import { type MemoryLine, sha256 } from "../../lib/core/mod.ts";
import { compactPrompt } from "../../lib/designer/mod.ts";
import { compactChat, loadTokenizer } from "../../lib/engine/text/mod.ts";
import file from "../../data/nano/tokenizer.json" with { type: "text" };
import fixture from "./tokenizer_ids.json" with { type: "json" };

const tokenizer = loadTokenizer(JSON.parse(file));

Deno.test("the fixture was made with this tokenizer", () => {
  assert.equal(sha256(file), fixture.tokenizer, "run tests/text/make_fixture.py again");
});

Deno.test("encode() equals Python, and decode() gives the text back", () => {
  for (const [text, ids] of fixture.encoded as [string, number[]][]) {
    assert.deepEqual(tokenizer.encode(text), ids, JSON.stringify(text));
    assert.equal(tokenizer.decode(ids), text);
  }
});

Deno.test("decode() of any sampled ids equals Python", () => {
  for (const [ids, text] of fixture.decoded as [number[], string][]) {
    assert.equal(tokenizer.decode(ids), text, JSON.stringify(ids));
  }
});

Deno.test("prompts equal those of pre-training, id by id", () => {
  const { brief, source, observation, ...expected } = fixture.prompts;
  const [prompt, chat] = [compactPrompt(), compactChat(tokenizer)];
  const { skill, document } = brief;
  const memory = brief.memory.split("\n").map((line): MemoryLine => {
    const [verdict, ...description] = line.split(" ");
    return {
      verdict: verdict as MemoryLine["verdict"],
      source: "",
      description: description.join(" "),
      successRate: 0.5,
    };
  });
  const agent = (text: string) => chat.first(prompt.agent({ skill }, text));
  const difficulty = "medium";
  assert.deepEqual(
    {
      design: chat.first(prompt.designer({ skill, document, memory, difficulty })),
      bare: chat.first(prompt.designer({ skill, memory: [], difficulty })),
      hint: chat.first(prompt.hint({ source, skill })),
      play: agent(observation),
      hinted: agent(`${observation}\n\nHINT: halve the range`),
      turn: chat.delta(prompt.observation("higher")),
    },
    expected,
  );
});
