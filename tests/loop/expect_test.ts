import assert from "node:assert/strict";
import { checkConfig } from "../../lib/loop/config.ts";
import { type Assumptions, expectedScale, expectRun } from "../../lib/loop/expect.ts";

const base = {
  ...{ preset: "p", kind: "compact", model: "m", skills: ["A"], environments: 4, plays: 3 },
  ...{ epoch: 2, delay: 2, rollouts: 5, context: 100, maxTurns: 10, corpus: "c", heldout: "h" },
  ...{ tokens: { designer: 50, agent: 4, hint: 10 }, documentTokens: 20, attempts: 3 },
  ...{ evaluateEvery: 2, evaluationPlays: { dev: 2, test: 1 } },
};
const assumed: Assumptions = {
  ...{ acceptance: 0.5, turns: 0.5, replies: { designer: 0.5, agent: 0.5, hint: 0.5 } },
  ...{ brief: 10, program: 2, observation: 3 },
};
const none = { dev: 0, test: 0 };
const expect = (set = {}, heldout = none) =>
  new Map(
    expectRun(checkConfig({ ...base, ...set }), heldout, assumed)
      .map(({ what, least, expected, most }) => [what, [least, expected, most]]),
  );

Deno.test("expectRun() counts by its formula", () => {
  const rows = expect();
  assert.deepEqual(rows.get("sets of environments"), [3, 3, 3]);
  assert.deepEqual(rows.get("updates"), [5, 6, 6], "one designer-only update at the end");
  assert.deepEqual(rows.get("designer calls"), [12, 21, 36], "12 slots × (1 + 1/2 + 1/4)");
  assert.deepEqual(rows.get("plain plays"), [60, 60, 120]);
  assert.deepEqual(rows.get("hinted plays"), [36, 36, 72]);
  assert.deepEqual(rows.get("agent calls"), [96, 480, 1920]);
  assert.deepEqual(rows.get("tokens written: designer"), [12, 525, 1800]);
  assert.deepEqual(rows.get("tokens read: designer"), [12, 21 * (10 + 3 * 2 + 20), 36 * 50]);
});

Deno.test("expectRun() follows repair turns, hinted plays, held-out sets and runs without a designer", () => {
  assert.deepEqual(expect({ repairTurns: 1, attempts: 1 }).get("designer calls"), [12, 18, 24]);
  assert.deepEqual(expect({ hintedPlays: 5 }).get("hinted plays"), [60, 60, 120]);
  // Evaluated after 0, 2, 4 and 5 rollouts, sampled and greedy; the test set with two sets of weights.
  const held = 2 * (4 * 3 * 2 + 2 * 1 * 1);
  assert.deepEqual(expect({}, { dev: 3, test: 1 }).get("held-out plays"), [held, held, held]);
  const pool = expect({ designer: "none", designerLoss: false, pool: "d" });
  assert.deepEqual(pool.get("designer calls"), [0, 0, 0]);
  assert.deepEqual(pool.get("hinted plays"), [0, 0, 0]);
  assert.deepEqual(pool.get("updates"), [5, 5, 5]);
});

Deno.test("expectedScale() is S of full groups, capped", () => {
  assert.equal(expectedScale(checkConfig(base)), 6);
  assert.equal(expectedScale(checkConfig({ ...base, scaleCap: 2 })), 2);
});
