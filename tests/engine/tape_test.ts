import assert from "node:assert/strict";
import { readTape, replayEngine, type TapeLine, writeTapeLine } from "../../lib/engine/mod.ts";

const lines: TapeLine[] = [
  { port: "trainer", call: "capabilities", key: "", value: { engine: "x", reference: false } },
  { port: "trainer", call: "forward", key: "0 k", value: [[-0.5, NaN]] },
];

Deno.test("a tape keeps every number, NaN too, and forgives a cut last line only", () => {
  const text = lines.map(writeTapeLine).join("");
  assert.deepEqual(readTape(text), lines);
  assert.deepEqual(readTape(text.slice(0, -5)), lines.slice(0, 1));
  assert.throws(() => readTape(`{"port":1}\n${text}`), /line 1 is malformed/);
  assert.throws(() => readTape(text.slice(9)), /line 1 is malformed/);
});

Deno.test("replayEngine() needs a beginning, and answers only what was recorded", async () => {
  assert.throws(() => replayEngine([]), /it has no capabilities/);
  const engine = replayEngine(lines);
  assert.equal(engine.trainer.capabilities.engine, "x");
  assert.equal(engine.trainer.reference, undefined);
  await assert.rejects(engine.trainer.forward([]), /no answer to this call/);
  const params = { maxTokens: 1, temperature: 1, stopIds: [] };
  await assert.rejects(engine.sampler.sample({ prompt: [1], params, seed: 1 }), /no answer/);
});
