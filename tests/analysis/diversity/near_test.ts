import assert from "node:assert/strict";
import {
  acceptedInOrder,
  collapseRuns,
  diversityByEpoch,
  duplicateGroups,
  nearPairs,
  noveltyOf,
  tokenKernel,
} from "../../../lib/analysis/mod.ts";
import type { RecordOf } from "../../../lib/core/mod.ts";
import { environment } from "./help.ts";

const active = (
  environmentId: string,
  rollout: number,
  slot: number,
  origin: RecordOf<"active">["origin"] = "designed",
  skill = "s",
): RecordOf<"active"> => ({
  id: `r${rollout}/s${slot}`,
  rollout,
  slot,
  environmentId,
  skill,
  origin,
  replyId: null,
  hint: null,
});

const sources: Record<string, string> = {
  a: "one two three four five six",
  b: "one two three four five seven",
  c: "one two three four five eight",
  d: "red green blue",
  e: "red green gold",
};
const run = {
  environment: [
    environment("c", { source: sources.c, parents: ["a", "gone"] }),
    environment("a", { source: sources.a }),
    environment("e", { source: sources.e, parents: ["gone"] }),
    environment("b", { source: sources.b, parents: ["a", "d"], treeHash: "a" }),
    environment("d", { source: sources.d }),
    environment("refused", { source: "no" }),
  ],
  active: [
    active("c", 2, 1, "designed", "t"),
    active("a", 0, 0),
    active("b", 0, 1),
    active("a", 2, 0, "memory"),
    active("d", 2, 0),
    active("e", 4, 0, "designed", "t"),
  ],
};
const accepted = acceptedInOrder(run);
const kernel = tokenKernel({ longest: 2 }).matrix(accepted.map((a) => a.environment.source));

Deno.test("acceptedInOrder() lists designed programs by rollout and slot, each once", () => {
  assert.deepEqual(accepted.map((a) => a.environment.id), ["a", "b", "d", "c", "e"]);
  const again = [...run.active, active("a", 6, 0)];
  assert.equal(acceptedInOrder({ ...run, active: again }).length, 5);
});

Deno.test("duplicateGroups() finds equal syntax trees", () => {
  assert.deepEqual(duplicateGroups(run.environment), [
    { treeHash: "a", environmentIds: ["a", "b"] },
  ]);
});

Deno.test("nearPairs() and collapseRuns() find programs that say it again, in order", () => {
  const alike = 9 / 11;
  assert.deepEqual(
    nearPairs(kernel, { threshold: alike - 1e-9 }).map(({ one, other }) => [one, other]),
    [[0, 1], [0, 3], [1, 3]],
  );
  const threshold = 0.5;
  assert.deepEqual(
    collapseRuns(kernel, { threshold }).map(({ start, length }) => [start, length]),
    [[0, 2]],
  );
  const order = [accepted[0], accepted[1], accepted[3], accepted[2], accepted[4]];
  const sorted = tokenKernel({ longest: 2 }).matrix(order.map((a) => a.environment.source));
  const [first, second] = collapseRuns(sorted, { threshold });
  assert.deepEqual([first.start, first.length, second.start, second.length], [0, 3, 3, 2]);
  assert.ok(Math.abs(first.similarity - alike) < 1e-9);
  assert.deepEqual(collapseRuns(sorted, { threshold: 0.99 }), []);
});

Deno.test("collapseRuns(): slow drift is no run", () => {
  const drift = ["a b c d", "b c d e", "c d e f", "d e f g"];
  const [run] = collapseRuns(tokenKernel({ longest: 1 }).matrix(drift), { threshold: 0.7 });
  assert.equal(run.length, 2);
});

Deno.test("noveltyOf() measures from the seeds shown and from what came before", () => {
  const by = Object.fromEntries(noveltyOf(accepted, kernel).map((n) => [n.environmentId, n]));
  assert.deepEqual(by.a.fromSeeds, { kind: "skipped", reason: "no seeds" });
  assert.deepEqual(by.a.fromEarlier, { kind: "skipped", reason: "the first" });
  assert.deepEqual(by.e.fromSeeds, { kind: "skipped", reason: "seeds unknown" });
  assert.deepEqual([by.b.nearestSeed, by.c.nearestSeed, by.c.seeds], ["a", "a", 2]);
  const { fromSeeds } = by.c;
  assert.ok(fromSeeds.kind === "scored" && Math.abs(fromSeeds.value - 2 / 11) < 1e-9);
  assert.equal(by.e.nearestEarlier, "d");
  assert.throws(() => noveltyOf(accepted.slice(1), kernel), /has 5 rows, must have 4/);
});

Deno.test("diversityByEpoch() has a row for every epoch and skill and for the whole", () => {
  const rows = diversityByEpoch(accepted, kernel, { every: 2, threshold: 0.5 });
  assert.deepEqual(rows.map(({ epoch, skill, n }) => [epoch, skill, n]), [
    [0, undefined, 2],
    [0, "s", 2],
    [2, undefined, 2],
    [2, "s", 1],
    [2, "t", 1],
    [4, undefined, 1],
    [4, "t", 1],
    [undefined, undefined, 5],
    [undefined, "s", 3],
    [undefined, "t", 2],
  ]);
  const [first, , second] = rows;
  assert.ok(first.shannon < second.shannon && first.longestRun === 2 && second.longestRun === 1);
  assert.ok(rows.every((r) => r.shannon >= r.collision && r.collision >= r.dominance - 1e-9));
  assert.deepEqual(diversityByEpoch([], { size: 0, values: new Float64Array() }), []);
});
