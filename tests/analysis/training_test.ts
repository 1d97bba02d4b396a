import assert from "node:assert/strict";
import {
  advantageTails,
  funnelByAttempt,
  groupHealthByRollout,
  spreadOf,
  stalenessByUpdate,
  tokenLengths,
  turnLengths,
  updateDifferences,
} from "../../lib/analysis/mod.ts";
import { failed, type RecordOf } from "../../lib/core/mod.ts";
import { gate, play, reply, turn, update } from "./rows.ts";

Deno.test("spreadOf() gives mean and quantiles, and NaN of nothing", () => {
  const { n, mean, least, low, median, high, most } = spreadOf([5, 1, 2, 3, 4]);
  assert.deepEqual([n, mean, least, low, median, high, most], [5, 3, 1, 1.2, 3, 4.8, 5]);
  assert.ok(Number.isNaN(spreadOf([]).mean) && Number.isNaN(spreadOf([]).median));
});

Deno.test("groupHealthByRollout() judges each rollout's groups alone", () => {
  const rows = groupHealthByRollout([
    ...[true, true].map((won, index) => play("a", won, { rollout: 1, index })),
    ...[false, false].map((won, index) => play("a", won, { rollout: 0, index })),
    ...[false, true].map((won, index) => play("b", won, { rollout: 0, index })),
  ]);
  assert.deepEqual(
    rows.map((r) => [r.rollout, r.groups, r.allZero.count, r.allOne.count, r.zeroSpread.count]),
    [[0, 2, 1, 0, 1], [1, 1, 0, 1, 1]],
  );
});

function batch(rollout: number, units: [string, "agent" | "designer", number][]) {
  const sequences = units.map(([unit, role, advantage]) => ({
    unit,
    role,
    advantage,
    start: 0,
    length: 1,
  }));
  const none = { ids: [], logps: [], mask: [], units: 0, agents: 0, designers: 0, scale: 1 };
  return { id: `u${rollout}`, rollout, sequences, ...none } satisfies RecordOf<"batch">;
}

Deno.test("advantageTails() counts units once and apart by role", () => {
  const rows = advantageTails([
    batch(1, [["p", "agent", 2.5], ["p", "agent", 2.5], ["q", "agent", 0], ["r", "agent", -1]]),
    batch(0, [["p", "agent", 0], ["d", "designer", -3]]),
  ]);
  assert.deepEqual(
    rows.map((r) => [r.rollout, r.role, r.n, r.zero.count, r.tail.count, r.most]),
    [[0, "agent", 1, 1, 0, 0], [0, "designer", 1, 0, 1, -3], [1, "agent", 3, 1, 1, 2.5]],
  );
  assert.equal(advantageTails([batch(0, [["p", "agent", 1.5]])], { tail: 1 })[0].tail.count, 1);
});

Deno.test("updateDifferences() and stalenessByUpdate() count age in updates", () => {
  const tables = {
    update: [update(1, { meanDifference: 0.2 }), update(0)],
    play: [
      play("a", true, { rollout: 1, versionFirst: 0, versionLast: 1 }),
      play("a", true, { rollout: 1, versionFirst: 1, versionLast: 1 }),
      play("a", true, { rollout: 1, arm: "hinted", versionFirst: 0 }),
      play("a", false, {
        rollout: 1,
        versionFirst: -1,
        versionLast: -1,
        outcome: failed("host", "x"),
      }),
    ],
    reply: [reply({ id: "d", weightsVersion: 0 })],
    sample: [sample("d", 1, "trained"), sample("d", 0, "dropped")],
  };
  assert.deepEqual(
    updateDifferences(tables.update).map((u) => [u.rollout, u.version, u.meanDifference]),
    [[0, 0, 0.001], [1, 1, 0.2]],
  );
  assert.deepEqual(
    stalenessByUpdate(tables).map((
      s,
    ) => [s.rollout, s.role, s.n, s.meanAge, s.maxAge, s.mixed.count]),
    [[1, "agent", 2, 0.5, 1, 1], [1, "designer", 1, 1, 1, 0]],
  );
});

function sample(replyId: string, due: number, state: RecordOf<"sample">["state"]) {
  const none = { raw: null, advantage: null, reason: "" };
  const base = { id: `${replyId}/${due}`, rollout: 0, skill: "s", environmentId: null };
  return { ...base, replyId, kind: "accepted" as const, due, state, ...none };
}

Deno.test("funnelByAttempt() parts verdicts by the attempt that was judged", () => {
  const rows = funnelByAttempt(
    [
      reply({ id: "a", attempt: 0, accepted: false }),
      reply({ id: "b", attempt: 0 }),
      reply({ id: "c", attempt: 1 }),
      reply({ id: "h", role: "hint" }),
    ],
    [
      gate("a", "parse", "refuse"),
      gate("b", "parse", "pass"),
      gate("b", "floor", "pass"),
      gate("c", "parse", "pass"),
      gate("gone", "parse", "pass"),
    ],
  );
  assert.deepEqual(rows.map((r) => [r.attempt, r.replies, r.accepted.count]), [[0, 2, 1], [
    1,
    1,
    1,
  ]]);
  assert.deepEqual(
    rows[0].steps.map((s) => [s.gate, s.entered, s.passed, s.reasons[0]?.reason]),
    [["parse", 2, 1, "why"], ["floor", 1, 1, undefined]],
  );
});

Deno.test("turnLengths() and tokenLengths() by rollout, arm and role", () => {
  const lengths = turnLengths([
    play("a", true, { turns: 2 }),
    play("a", false, { turns: 4 }),
    play("a", true, { turns: 1, arm: "hinted" }),
  ]);
  assert.deepEqual(
    lengths.map((l) => [l.arm, l.n, l.mean, l.truncated.count]),
    [["plain", 2, 3, 1], ["hinted", 1, 1, 0]],
  );
  const walk = function* () {
    yield turn("p", 0, { ids: [1, 2, 3], finish: "length" });
    yield reply({ ids: [1, 2], role: "hint" });
    yield turn("p", 1, { ids: [1] });
  };
  assert.deepEqual(
    tokenLengths(walk()).map((l) => [l.role, l.n, l.mean, l.cut.count]),
    [["agent", 2, 2, 1], ["hint", 1, 2, 0]],
  );
});
