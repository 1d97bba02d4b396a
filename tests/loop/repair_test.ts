import assert from "node:assert/strict";
import { type RecordOf, seedOf } from "../../lib/core/mod.ts";
import { checkConfig } from "../../lib/loop/config.ts";
import { designerBatch, queueSamples } from "../../lib/loop/designers.ts";
import { manifest, recordOf } from "../store/fixtures.ts";
import { Store } from "../../lib/store/mod.ts";

const config = (set: Record<string, unknown> = {}) =>
  checkConfig({
    ...{ preset: "p", kind: "compact", model: "m", skills: ["A"], environments: 3, plays: 2 },
    ...{ epoch: 1, delay: 1, rollouts: 2, context: 128, maxTurns: 3, corpus: null, heldout: null },
    ...{ tokens: { designer: 10, agent: 2, hint: 2 }, repairTurns: 2, attempts: 2 },
    ...set,
  });

/** Slots of one rollout: for each reply whether it was accepted, null where none was asked for. */
function storeOf(...slots: (boolean | null)[][]): Store {
  const store = Store.memory({ run: { ...recordOf("run", "run", -1) }, manifest });
  store.transaction(() => {
    slots.forEach((slot, number) =>
      slot.forEach((accepted, attempt) => {
        if (accepted === null) return;
        const reply: RecordOf<"reply"> = {
          ...recordOf("reply", `r0/s${number}/a${attempt}`),
          ...{ role: "designer", slot: number, attempt, skill: "A", accepted },
          environmentId: accepted ? `e${number}` : null,
          ...{ prompt: [1], ids: [2, 3], logps: [-1, -1] },
        };
        store.insert("reply", reply);
      })
    );
  });
  return store;
}

const samplesOf = (store: Store, set = {}) =>
  queueSamples({ config: config(set), store }, 0)
    .map(({ id, kind, environmentId }) => `${id} ${kind} ${environmentId}`);

Deno.test("repairTurns: the first reply of the accepted program's conversation is the unit", () => {
  using store = storeOf([true], [false, true], [false, false, false, false, true], [false, false]);
  const accepted = ["r0/s0/a0 accepted e0", "r0/s1/a0 accepted e1", "r0/s2/a3 accepted e2"];
  assert.deepEqual(samplesOf(store), accepted);
});

Deno.test("repairTurns with penaliseInvalid: no reply is a unit twice, later rejected ones never", () => {
  using store = storeOf([true], [false, true], [false, false, false, false, true], [false, false]);
  assert.deepEqual(samplesOf(store, { penaliseInvalid: true }), [
    "r0/s0/a0 accepted e0",
    "r0/s1/a0 accepted e1",
    "r0/s2/a0 rejected null",
    "r0/s2/a3 accepted e2",
    "r0/s3/a0 rejected null",
  ]);
});

Deno.test("turn-1-invalid is worth 0 in an immediate signal and its signal in a delayed one", () => {
  for (const [delay, repaired] of [[0, 0], [1, 1]]) {
    using store = storeOf([true], [false, true]);
    const settings = config({ delay, signal: "solve-rate" });
    store.transaction(() => {
      for (const environmentId of ["e0", "e1"]) {
        for (const index of [0, 1]) {
          store.insert("play", {
            ...recordOf("play", `${environmentId}/${index}`),
            ...{ environmentId, arm: "plain", index, seed: seedOf(environmentId, index) },
            ...{ outcome: { kind: "scored", value: index }, success: index === 1, hung: false },
          });
        }
      }
    });
    const due = queueSamples({ config: settings, store }, 0);
    const { samples, units } = designerBatch({ config: settings, store }, due, {
      ...{ rollout: delay, agents: 4, trackers: {} },
    });
    assert.deepEqual(samples.map(({ raw }) => raw), [1, repaired]);
    assert.deepEqual(units.map(({ id }) => id), ["r0/s0/a0", "r0/s1/a0"]);
  }
});
