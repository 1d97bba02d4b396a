import assert from "node:assert/strict";
import { agentBatch, applyBatch } from "../../lib/loop/update.ts";
import { configSchema } from "../../lib/loop/schema.ts";
import { makeBatch, makePlays, makeUnit } from "../grpo/help.ts";

function batchOf(set: Record<string, unknown>, baselines?: Record<string, number>) {
  const { advantages, baselineDecay } = configSchema.shape;
  const config = {
    ...{ shuffleRewards: false, dropDeadGroups: false, maskTruncated: false, plays: 2 },
    advantages: advantages.parse(undefined),
    baselineDecay: baselineDecay.parse(undefined),
    ...set,
  };
  // Units have no turns here: what is tested are their advantages and the baselines.
  const store = { all: () => [] };
  const plays = [...makePlays("a", [0, 1]), ...makePlays("b", [1, 1])];
  return agentBatch({ config, store } as never, plays as never, 0, baselines);
}
const advantagesOf = (batch: ReturnType<typeof batchOf>) =>
  batch.units.map(({ advantage }) => Math.round(advantage * 1e6) / 1e6);

Deno.test("agentBatch() compares returns by the configured rule", () => {
  assert.deepEqual(advantagesOf(batchOf({})), [-1, 1, 0, 0]);
  assert.deepEqual(advantagesOf(batchOf({ advantages: "mean-only" })), [-0.5, 0.5, 0, 0]);
  assert.deepEqual(batchOf({}).baselines, {});
});

Deno.test("agentBatch(): ema-baseline compares with the past, then moves by the groups' means", () => {
  const set = { advantages: "ema-baseline", baselineDecay: 0.5 };
  const first = batchOf(set, { b: 0.25, gone: 1 });
  assert.deepEqual(advantagesOf(first), [0, 1, 0.75, 0.75]);
  assert.deepEqual(first.baselines, { a: 0.5, b: 0.625 }, "environments out of play are dropped");
  const second = batchOf(set, first.baselines);
  assert.deepEqual(advantagesOf(second), [-0.5, 0.5, 0.375, 0.375]);
});

Deno.test("agentBatch(): a turn rendered anew begins a sequence of its own", () => {
  const turn = (index: number, rerendered: true | null) => ({
    playId: makePlays("a", [0])[0].id,
    index,
    prompt: [10 * index, 10 * index + 1],
    ids: [10 * index + 2],
    logps: [-1 - index],
    rerendered,
  });
  const config = { advantages: "grpo", plays: 2 };
  const sequencesOf = (turns: unknown[]) => {
    const store = { all: () => turns };
    return agentBatch({ config, store } as never, makePlays("a", [0, 1]) as never, 0).units[0]
      .sequences;
  };
  const together = {
    ids: [0, 1, 2, 10, 11, 12],
    logps: [0, 0, -1, 0, 0, -2],
    mask: [0, 0, 1, 0, 0, 1],
  };
  assert.deepEqual(sequencesOf([turn(0, null), turn(1, null)]), [together]);
  assert.deepEqual(sequencesOf([turn(0, null), turn(1, true)]), [
    { ids: [0, 1, 2], logps: [0, 0, -1], mask: [0, 0, 1] },
    { ids: [10, 11, 12], logps: [0, 0, -2], mask: [0, 0, 1] },
  ]);
});

Deno.test("applyBatch(): an engine that takes whole batches gets it and nothing else; no KL there", async () => {
  const batch = makeBatch([makeUnit({ id: "a" }), makeUnit({ id: "b", advantage: 0 })]);
  const taken: unknown[] = [];
  const trainer = {
    capabilities: { engine: "whole" },
    takeBatch: (given: unknown) => Promise.resolve({ weightsVersion: taken.push(given) }),
  };
  const apply = (klCoefficient: number) => {
    const config = { klCoefficient, maxDifference: 0.25 };
    return applyBatch({ config, engine: { trainer } } as never, batch);
  };
  const { weighted, gradNorm, weightsVersion } = await apply(0);
  assert.deepEqual(taken, [batch]);
  assert.equal(weightsVersion, 1);
  assert.equal(gradNorm, null);
  assert.equal(weighted.statistics.meanDifference, 0);
  assert.equal(weighted.loss, -0.5, "half of the units have advantage 1");
  await assert.rejects(apply(0.1), /klCoefficient is 0.1, must be 0 on whole/);
  assert.equal(taken.length, 1);
});
