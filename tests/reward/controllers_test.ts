import assert from "node:assert/strict";
import fc from "fast-check";
import golden from "../golden/rewards.json" with { type: "json" };
import { Random } from "../../lib/core/mod.ts";
import {
  createProgressTracker,
  createWindow,
  drawDifficulty,
  pickByProgress,
  type Tracker,
  updateTracker,
  updateWindow,
} from "../../lib/reward/mod.ts";

Deno.test("updateWindow() equals sliding_window_controller [P]", () => {
  for (const { in: { params, updates }, out } of golden.sliding_window_controller) {
    const { max_difficulty, tau_num } = params as { max_difficulty?: number; tau_num?: number };
    const options = { max: max_difficulty, attempts: tau_num };
    let window = createWindow();
    updates.forEach(([difficulty, value], i) => {
      window = updateWindow(window, { difficulty, success: value === 1 }, options);
      const { low, high, successes, attempts } = window;
      assert.deepEqual([low, high, successes, attempts], out[i]);
    });
  }
});

Deno.test("updateWindow(): only plays at high count, low follows 4 wide, the maximum holds", () => {
  const start = { low: 2, high: 5, successes: 7, attempts: 7 };
  for (const difficulty of [0, 2, 4, 6]) {
    assert.equal(updateWindow(start, { difficulty, success: true }), start);
  }
  const up = updateWindow(start, { difficulty: 5, success: true });
  assert.deepEqual(up, { low: 3, high: 6, successes: 0, attempts: 0 });
  const held = updateWindow(start, { difficulty: 5, success: true }, { max: 5 });
  assert.deepEqual(held, { low: 2, high: 5, successes: 0, attempts: 0 });
  const failed = updateWindow(start, { difficulty: 5, success: false });
  assert.deepEqual(failed, { low: 2, high: 5, successes: 0, attempts: 0 }, "7 of 8 is below .9");
  assert.throws(() => updateWindow(start, { difficulty: 0.5, success: true }), RangeError);
});

Deno.test("updateWindow(): low and high never fall, stay within 4 and below the maximum", () => {
  const plays = fc.array(
    fc.record({ offset: fc.integer({ min: 0, max: 4 }), success: fc.boolean() }),
  );
  fc.assert(fc.property(plays, fc.integer({ min: 0, max: 6 }), (list, max) => {
    let window = createWindow();
    for (const { offset, success } of list) {
      const before = window;
      const difficulty = Math.max(0, window.high - (offset % 2));
      window = updateWindow(window, { difficulty, success }, { max, attempts: 2, ratio: 0.5 });
      assert(window.low >= before.low && window.high >= before.high && window.high <= max);
      assert(window.high - window.low <= 3 && window.low <= window.high);
    }
  }));
});

Deno.test("drawDifficulty() draws every difficulty of the window and no other", () => {
  const random = new Random(3);
  const seen = new Set<number>();
  for (let i = 0; i < 200; i++) {
    seen.add(drawDifficulty({ low: 2, high: 5, successes: 0, attempts: 0 }, random));
  }
  assert.deepEqual([...seen].sort(), [2, 3, 4, 5]);
});

const history = (...values: number[]): Tracker =>
  values.reduce(updateTracker, createProgressTracker());

Deno.test("pickByProgress(): half by largest |signal|, rising or falling, half at random", () => {
  const ids = Array.from({ length: 20 }, (_, i) => `e${String(i).padStart(2, "0")}`);
  const trackers: Record<string, Tracker> = Object.fromEntries(
    ids.slice(0, 16).map((id) => [id, history(0.5, 0.5, 0.5)]),
  );
  trackers.e07 = history(0, 0, 1);
  trackers.e11 = history(1, 0.2);
  const others = new Set<string>();
  const random = new Random(1);
  for (let i = 0; i < 300; i++) {
    const picked = pickByProgress(ids, trackers, 4, random);
    assert.deepEqual(picked.slice(0, 2), ["e07", "e11"]);
    assert.equal(new Set(picked).size, 4);
    picked.slice(2).forEach((id) => others.add(id));
  }
  assert.equal(others.size, 18, "all the others are met, those without tracker too");
});

Deno.test("pickByProgress() is seeded, blind to the order of ids, and gives what there is", () => {
  const ids = ["a", "b", "c", "d", "e"], trackers = { c: history(0, 1) };
  const at = (list: string[], count: number) =>
    pickByProgress(list, trackers, count, new Random(5));
  assert.deepEqual(at([...ids].reverse(), 3), at(ids, 3));
  assert.deepEqual([at(ids, 0), at(ids, 1)], [[], ["c"]]);
  assert.deepEqual(at(ids, 9).sort(), ids);
  assert.throws(() => at(ids, -1), RangeError);
});

Deno.test("createProgressTracker() has gammas .35 and .15", () => {
  const { gammaFast, gammaSlow } = createProgressTracker();
  assert.deepEqual([gammaFast, gammaSlow], [0.35, 0.15]);
});
