import assert from "node:assert/strict";
import fc from "fast-check";
import { UsageError } from "../../lib/core/mod.ts";
import { drainDue, dueRollout, flushQueue, planDelay, type Waiting } from "../../lib/grpo/mod.ts";

Deno.test("planDelay(): a delay that is no multiple of the epoch length is an error at start [D20]", () => {
  assert.deepEqual(planDelay({ epochLength: 4 }), { epochLength: 4, delay: 4 });
  assert.deepEqual(planDelay({ epochLength: 4, delay: 0 }), { epochLength: 4, delay: 0 });
  assert.equal(planDelay({ epochLength: 4, delay: 8 }).delay, 8);
  for (const delay of [3, 5, -4, 0.5, NaN]) {
    assert.throws(() => planDelay({ epochLength: 4, delay }), UsageError);
  }
  assert.throws(() => planDelay({ epochLength: 0 }), UsageError);
});

Deno.test("drainDue() gives what is due, whether or not the rollout generates, in order of id", () => {
  const queue = [{ id: "b", rollout: 0, due: 4 }, { id: "a", rollout: 0, due: 4 }, {
    id: "c",
    rollout: 4,
    due: 8,
  }];
  assert.deepEqual(drainDue(queue, 3).due, []);
  assert.deepEqual(drainDue(queue, 5).due.map(({ id }) => id), ["a", "b"]);
  assert.deepEqual(drainDue(queue, 5).waiting.map(({ id }) => id), ["c"]);
});

Deno.test("no sample is lost: every one is trained once or counted as dropped [D20]", () => {
  const plans = fc.record({
    epochLength: fc.integer({ min: 1, max: 5 }),
    epochs: fc.integer({ min: 0, max: 2 }),
    rollouts: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(fc.property(plans, ({ epochLength, epochs, rollouts }) => {
    const plan = planDelay({ epochLength, delay: epochLength * epochs });
    let queue: Waiting[] = [];
    const trained: string[] = [];
    let made = 0;
    for (let rollout = 0; rollout < rollouts; rollout++) {
      if (rollout % epochLength === 0) {
        queue.push({ id: `s${made++}`, rollout, due: dueRollout(rollout, plan) });
      }
      const { due, waiting } = drainDue(queue, rollout);
      for (const sample of due) {
        trained.push(sample.id);
        assert.equal(sample.due, rollout);
      }
      queue = waiting;
    }
    const { extra, dropped } = flushQueue(queue, rollouts - 1, plan);
    const ids = [...trained, ...extra.map(({ id }) => id), ...dropped.map(({ id }) => id)];
    assert.equal(new Set(ids).size, made);
    assert.equal(ids.length, made);
    if (rollouts % epochLength === 0) assert.equal(dropped.length, 0);
  }));
});

Deno.test("flushQueue() drops only samples whose window was cut short [D20]", () => {
  const plan = planDelay({ epochLength: 4 });
  const sample = (id: string, rollout: number) => ({ id, rollout, due: rollout + 4 });
  const { extra, dropped } = flushQueue([sample("a", 396), sample("b", 397)], 399, plan);
  assert.deepEqual([extra.map(({ id }) => id), dropped.map(({ id }) => id)], [["a"], ["b"]]);
});
