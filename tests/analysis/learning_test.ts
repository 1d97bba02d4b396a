import assert from "node:assert/strict";
import {
  type Evaluation,
  learningCurve,
  pairedRise,
  riseByFamily,
} from "../../lib/analysis/mod.ts";
import { failed, scored } from "../../lib/core/mod.ts";

function row(environment: number, index: number, value: number, of: Partial<Evaluation> = {}) {
  const base: Evaluation = {
    id: `${of.rollout ?? 0}/${environment}/${index}/${of.mode ?? "sampled"}`,
    rollout: 0,
    set: "dev",
    weights: "current",
    mode: "sampled",
    environmentId: `e${environment}`,
    family: `f${environment % 2}`,
    seen: environment % 2 === 0,
    index,
    seed: 0,
    outcome: scored(value),
    success: value >= 1,
    turns: 1,
  };
  return { ...base, ...of };
}

const environments = [0, 1, 2, 3, 4, 5, 6, 7];
const before = environments.flatMap((e) => [row(e, 0, 0), row(e, 1, e % 4 === 0 ? 1 : 0)]);
const after = environments.flatMap((e) => [
  row(e, 0, e < 6 ? 1 : 0, { rollout: 4 }),
  row(e, 1, 1, { rollout: 4 }),
]);

Deno.test("learningCurve() gives a point per mode, part and number of updates", () => {
  const points = learningCurve([...after, ...before]);
  const all = points.filter((p) => p.part === "all");
  assert.deepEqual(all.map((p) => [p.updates, p.mean, p.scored]), [[0, 0.125, 16], [4, 0.875, 16]]);
  assert.deepEqual([...new Set(points.map((p) => p.part))], ["all", "seen", "unseen"]);
  assert.equal(learningCurve(before, { set: "test" }).length, 0);
});

Deno.test("learningCurve() counts base weights as no update, whatever rollout they were played in", () => {
  const [point] = learningCurve([row(0, 0, 1, { rollout: 72, weights: "base" })]);
  assert.equal(point.updates, 0);
});

Deno.test("pairedRise() pairs by environment and play index", () => {
  const [all, seen] = pairedRise([...before, ...after]);
  assert.equal(all.mean, 0.75);
  assert.equal(all.scored, 16);
  assert.ok(all.low! > 0 && all.low! < 0.75 && all.high! <= 1);
  assert.equal(all.base.mean, 0.125);
  assert.equal(all.final.mean, 0.875);
  assert.equal(seen.scored, 8);
});

Deno.test("pairedRise() counts pairs with a failed side and plays without partner", () => {
  const rows = [
    ...before,
    ...after.slice(0, -1).with(0, { ...after[0], outcome: failed("host", "deadline") }),
  ];
  const [all] = pairedRise(rows);
  assert.deepEqual([all.scored, all.failed, all.skipped], [14, 1, 1]);
});

Deno.test("pairedRise() is empty without an evaluation of both weights", () => {
  assert.deepEqual(pairedRise(before), []);
  assert.deepEqual(pairedRise(after), []);
});

Deno.test("pairedRise() takes the last evaluation as the final one", () => {
  const middle = environments.map((e) => row(e, 0, 0, { rollout: 2 }));
  assert.equal(pairedRise([...before, ...middle, ...after])[0].updates, 4);
});

Deno.test("riseByFamily() has a row per family and mode", () => {
  const rises = riseByFamily([...before, ...after]);
  assert.deepEqual(rises.map((r) => [r.family, r.part]), [["f0", "seen"], ["f1", "unseen"]]);
});
