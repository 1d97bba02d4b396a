import assert from "node:assert/strict";
import fc from "fast-check";
import { parseToolReply, type ToolReply } from "../../lib/agent/mod.ts";
import golden from "../golden/parsing.json" with { type: "json" };

const call = (name: string, args: Record<string, unknown>) =>
  ({ kind: "call", name, arguments: args }) as const;
const wrapped = (body: string) => `<tool_call>${body}</tool_call>`;
const kinds = ({ items }: ToolReply) => items.map(({ kind }) => kind);

Deno.test("parseToolReply() reads what spade.md section 7 lists [D12]", () => {
  const cases: [string, ToolReply["items"]][] = [
    ['{"name":"a","arguments":{"x":{"y":[1,{"z":null}]}}}', [
      call("a", { x: { y: [1, { z: null }] } }),
    ]],
    ['{"name":"a","parameters":{"x":1}}', [call("a", { x: 1 })]],
    ['{"name":"a","arguments":"{\\"x\\":1}"}', [call("a", { x: 1 })]],
    ['{"name":"a","arguments":null}', [call("a", {})]],
    ['{"name":"a","arguments":"null"}', [call("a", {})]],
    ['{"name":"a"}', [call("a", {})]],
    ['[{"name":"a"},{"name":"b","arguments":{"x":1}}]', [call("a", {}), call("b", { x: 1 })]],
    ['{"name":"a","arguments":{"x":"</tool_call> <answer>done</answer>"}}', [
      call("a", { x: "</tool_call> <answer>done</answer>" }),
    ]],
    [
      "\n<function=a>\n<parameter=x>\n3\n</parameter>\n<parameter=s>a&amp;b &lt;c&gt;</parameter>\n</function>\n",
      [
        call("a", { x: 3, s: "a&b <c>" }),
      ],
    ],
  ];
  for (const [body, items] of cases) {
    assert.deepEqual(parseToolReply(`so: ${wrapped(body)} then`), { items, answer: null }, body);
  }
});

Deno.test("parseToolReply() keeps the order of several calls, and the last answer", () => {
  const reply = wrapped('{"name":"a"}') + "<answer> no </answer>" + wrapped("bad") +
    wrapped('{"name":"b"}') + "<answer>done</answer>";
  const { items, answer } = parseToolReply(reply);
  assert.deepEqual(items.map((item) => item.kind === "call" ? item.name : item.kind), [
    "a",
    "problem",
    "b",
  ]);
  assert.equal(answer, "done");
});

Deno.test("parseToolReply() gives a helpful message for what it cannot read", () => {
  const cases: [string, RegExp][] = [
    ['<tool_call>{"name":"a","arguments":{"x":1}', /not closed/],
    ['<tool_call>{"name":"a","argum', /not closed/],
    [wrapped("bad"), /no JSON/],
    [wrapped('{"name":"a",}'), /no JSON/],
    [wrapped("[]"), /list is empty/],
    [wrapped("7"), /no object/],
    [wrapped('{"arguments":{}}'), /no name/],
    [wrapped('{"name":"a","arguments":[1]}'), /arguments are no object/],
    [wrapped('{"name":"a","arguments":"x: 1"}'), /string that is no JSON/],
    [wrapped('{"name":"a","arguments":{"x":1e999}}'), /too large/],
    [wrapped(`{"name":"a","arguments":{"x":${"[".repeat(40)}${"]".repeat(40)}}}`), /too deeply/],
    [wrapped(`{"name":"a","arguments":{"x":"${"y".repeat(70_000)}"}}`), /longer than/],
    [wrapped("<function=a><parameter=x>3</function>"), /parameter is not closed/],
    [wrapped("<function=a><parameter=x>3</parameter>"), /function is not closed/],
    ["<function=a><parameter=x>3", /not closed/],
    ["<answer>done", /answer is not closed/],
  ];
  for (const [reply, message] of cases) {
    const { items, answer } = parseToolReply(reply);
    assert.equal(answer, null);
    assert.equal(items.length, 1, reply);
    assert.ok(items[0].kind === "problem");
    assert.match(items[0].message, message);
    assert.match(items[0].message, /Write <tool_call>\{"name"/);
  }
});

Deno.test("parseToolReply() runs the whole call behind a half-written one", () => {
  const reply = `<tool_call>{"name":"a" ${wrapped('{"name":"b"}')}`;
  assert.deepEqual(kinds(parseToolReply(reply)), ["problem", "call"]);
});

Deno.test("parseToolReply() asks for nothing inside a thinking section", () => {
  const think = `<think>${wrapped('{"name":"a"}')}<answer>x</answer></think>`;
  assert.deepEqual(parseToolReply(`${think}${wrapped('{"name":"b"}')}`), {
    items: [call("b", {})],
    answer: null,
  });
  assert.deepEqual(parseToolReply("<think>so <answer>done</answer>"), { items: [], answer: null });
});

Deno.test("parseToolReply() takes XML values as texts where the schema says so", () => {
  const reply = wrapped(
    "<function=a><parameter=id>007</parameter><parameter=n>7</parameter></function>",
  );
  const isText = (tool: string, parameter: string) => tool === "a" && parameter === "id";
  assert.deepEqual(parseToolReply(reply, isText).items, [call("a", { id: "007", n: 7 })]);
});

const name = fc.stringMatching(/^[a-z_]{1,12}$/);
const json = fc.dictionary(
  fc.string({ unit: "binary", maxLength: 12 }).filter((key) => key !== "__proto__"),
  fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }),
  { maxKeys: 4 },
);
/** As JSON gives it back: -0 and what it cannot hold are gone. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

Deno.test("parseToolReply() gives back any nested JSON, in any number of calls, with text between", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((item) => !/[<>]/.test(item));
  fc.assert(fc.property(
    fc.array(fc.tuple(name, json, text, fc.constantFrom("arguments", "parameters")), {
      maxLength: 5,
    }),
    fc.boolean(),
    (calls, asText) => {
      const reply = calls.map(([tool, given, between, key]) =>
        between +
        wrapped(JSON.stringify({ name: tool, [key]: asText ? JSON.stringify(given) : given }))
      ).join("");
      assert.deepEqual(
        plain(parseToolReply(reply).items),
        plain(calls.map(([tool, given]) => call(tool, given))),
      );
    },
  ));
});

Deno.test("parseToolReply() takes any reply: pieces in any order, cut anywhere", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "<tool_call>",
      "</tool_call>",
      "<answer>",
      "</answer>",
      "<function=a>",
      "</function>",
      "<parameter=x>",
      "</parameter>",
      "<think>",
      "</think>",
      '{"name":"a","arguments":',
      '{"name":"a"}',
      "}",
      "[",
      '"',
      "\\",
    ),
    fc.string({ unit: "binary", maxLength: 8 }),
    json.map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const { items, answer } = parseToolReply(pieces.join(""));
      for (const item of items) {
        if (item.kind === "call") assert.ok(item.name !== "" && typeof item.arguments === "object");
        else assert.match(item.message, /^Tool call not understood: /);
      }
      assert.ok(answer === null || answer === answer.trim());
    }),
    { numRuns: 1000 },
  );
});

Deno.test("parseToolReply() never takes a whole call for a half-written one", () => {
  fc.assert(fc.property(name, json, fc.nat(), (tool, given, at) => {
    const whole = wrapped(JSON.stringify({ name: tool, arguments: given }));
    const cut = whole.slice(0, at % whole.length);
    assert.deepEqual(parseToolReply(cut).items.filter(({ kind }) => kind === "call"), []);
    assert.deepEqual(kinds(parseToolReply(cut + "\n" + whole)).at(-1), "call");
  }));
});

Deno.test("tool calls of golden/parsing.json: ours beside the published ones", () => {
  const differ = golden.parse_tool_calls.flatMap(({ in: text, out }) => {
    const ours = parseToolReply(text).items.map((item) =>
      item.kind === "call" ? { name: item.name, arguments: item.arguments } : "message"
    );
    const published = out.calls.map(({ name, arguments: given }) => ({ name, arguments: given }));
    const isSame = JSON.stringify(ours) === JSON.stringify(published);
    return isSame ? [] : [{ text, ours, published }];
  });
  for (const { text, ours, published } of differ) {
    console.log(
      `${text}\n  ours      ${JSON.stringify(ours)}\n  published ${JSON.stringify(published)}`,
    );
  }
  assert.deepEqual(differ.map(({ ours }) => ours), [
    [{ name: "a", arguments: { x: { y: 1 } } }],
    ["message"],
    [{ name: "a", arguments: {} }],
    [{ name: "a", arguments: {} }],
    ["message", { name: "b", arguments: {} }],
  ]);
});
