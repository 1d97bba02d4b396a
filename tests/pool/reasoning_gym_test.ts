import assert from "node:assert/strict";
import { readReasoningGymSource, reasoningGymSource } from "../../lib/pool/mod.ts";

const chain = { library: "reasoning-gym", version: "0.1.25", dataset: "chain_sum" };

Deno.test("readReasoningGymSource() reads what reasoningGymSource() wrote", () => {
  for (const settings of [{ level: 0 }, { config: { min_terms: 2, operators: ["+", "-"] } }]) {
    const source = reasoningGymSource({ dataset: "chain_sum", ...settings }, "0.1.25");
    assert.deepEqual(readReasoningGymSource(source), {
      kind: "ok",
      value: { ...chain, ...settings },
    });
  }
});

Deno.test("reasoningGymSource(): the order of the configuration's keys changes nothing", () => {
  const of = (config: Record<string, unknown>) =>
    reasoningGymSource({ dataset: "chain_sum", config }, "0.1.25");
  assert.equal(of({ a: 1, b: { c: 2, d: 3 } }), of({ b: { d: 3, c: 2 }, a: 1 }));
});

Deno.test("readReasoningGymSource() leaves programs and other JSON alone", () => {
  const others = [
    "import random\n",
    "{1, 2}\n",
    "{not json",
    '{"library":"other"}',
    '{"a":1}',
    "[1]",
  ];
  for (const source of others) assert.equal(readReasoningGymSource(source), undefined);
});

const wrong: [string, Record<string, unknown>, RegExp][] = [
  ["an unknown key", { level: 1, levels: 2 }, /levels/],
  ["a level that is no whole number", { level: 1.5 }, /source\.level/],
  ["a negative level", { level: -1 }, /source\.level/],
  ["neither level nor config", {}, /source\.level: must be given/],
  ["both level and config", { level: 1, config: {} }, /source\.level.*not both/],
  ["a data set that is a path", { level: 1, dataset: "../chain" }, /source\.dataset/],
  ["a missing version", { level: 1, version: undefined }, /source\.version/],
];
for (const [what, change, message] of wrong) {
  Deno.test(`readReasoningGymSource() refuses ${what}, and names it`, () => {
    const result = readReasoningGymSource(JSON.stringify({ ...chain, ...change }));
    assert.equal(result?.kind, "failed");
    assert.match((result as { detail?: string }).detail ?? "", message);
    assert.deepEqual({ ...result, detail: "" }, {
      kind: "failed",
      blame: "designer",
      reason: "contract",
      detail: "",
    });
  });
}
