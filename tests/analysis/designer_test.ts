import assert from "node:assert/strict";
import {
  acceptanceFunnel,
  costTotals,
  screensSkipped,
  validityByRollout,
  validityChange,
  validityRates,
} from "../../lib/analysis/mod.ts";
import type { RecordOf } from "../../lib/core/mod.ts";
import { validityRows } from "../../lib/show/report_rows.ts";
import { syntheticRun } from "../show/fixture.ts";

type Reply = RecordOf<"reply">;

const template = syntheticRun({ rollouts: 1, environments: 1 }).reply[0];

function reply(rollout: number, slot: number, attempt: number, of: Partial<Reply> = {}): Reply {
  const id = `${rollout}/${slot}/${attempt}`;
  const flags = { runsAsEmitted: true, runsExtracted: true, accepted: true };
  return { ...template, id, rollout, slot, attempt, ...flags, ...of };
}

const broken = { runsAsEmitted: false, runsExtracted: false, accepted: false };

Deno.test("validityRates() counts replies, first replies and requests apart", () => {
  const v = validityRates([
    reply(0, 0, 0, broken),
    reply(0, 0, 1, { runsAsEmitted: false }),
    reply(0, 1, 0),
    reply(0, 2, 0, { ...broken, runsAsEmitted: null, runsExtracted: null }),
    reply(0, 0, 0, { role: "hint", id: "hint" }),
  ]);
  assert.deepEqual([v.replies, v.requests, v.unjudged], [4, 3, 1]);
  assert.deepEqual([v.runsAsEmitted.count, v.runsAsEmitted.of], [1, 3]);
  assert.deepEqual([v.runsExtracted.count, v.runsExtracted.of], [2, 3]);
  assert.deepEqual([v.accepted.count, v.accepted.of], [2, 4]);
  assert.deepEqual([v.acceptedFirst.count, v.acceptedFirst.of], [1, 3]);
  assert.equal(v.filled.share, 2 / 3);
  assert.equal(v.meanAttempts, 4 / 3);
});

Deno.test("validityRates() has no shares without replies", () => {
  const v = validityRates([]);
  assert.equal(v.filled.share, undefined);
  assert.equal(v.meanAttempts, undefined);
});

Deno.test("validityChange() compares the first and the last quarter", () => {
  const rows = Array.from(
    { length: 8 },
    (_, r) => Array.from({ length: 20 }, (_, s) => reply(r * 2, s, 0, s < 10 + r ? {} : broken)),
  ).flat();
  const change = validityChange(rows)!;
  assert.equal(change.rollouts, 2);
  assert.ok(Math.abs(change.change! - 0.3) < 1e-12);
  assert.ok(change.low! > 0 && change.high! < 0.6);
  assert.equal(validityByRollout(rows).length, 8);
  assert.equal(validityChange(rows.slice(0, 20)), undefined);
});

Deno.test("acceptanceFunnel() orders gates and merges reasons that differ in numbers only", () => {
  const gates = syntheticRun({ rollouts: 8 }).gate;
  const funnel = acceptanceFunnel(gates);
  assert.deepEqual(funnel.map((s) => s.gate).slice(0, 3), ["parse", "contract", "determinism"]);
  for (const step of funnel) {
    assert.equal(step.entered, step.passed + step.refused + step.skipped);
    assert.equal(step.reasons.reduce((sum, r) => sum + r.count, 0), step.refused);
  }
  const floor = funnel.find((s) => s.gate === "floor")!;
  assert.deepEqual(floor.reasons.map((r) => r.reason), ["random agent wins #, must be at most #"]);
  assert.ok(funnel[1].entered <= funnel[0].passed);
});

Deno.test("screensSkipped() counts screens without an opinion, also where that refuses; the report shows them", () => {
  const run = syntheticRun({ rollouts: 1, environments: 4 });
  const screen = (
    verdict: RecordOf<"gate">["verdict"],
    evidence: RecordOf<"gate">["evidence"],
  ): RecordOf<"gate"> => ({ ...run.gate[0], gate: "screen", verdict, evidence });
  const gates = [
    screen("pass", { opinion: "" }),
    screen("refuse", { opinion: "because it is dull" }),
    screen("skipped", { problems: ["empty reply", "empty reply"] }),
    screen("refuse", { problems: ["empty reply", "empty reply"] }),
  ];
  const { count, of } = screensSkipped([...run.gate, ...gates]);
  assert.deepEqual([count, of], [2, 4]);
  const named = (gate: readonly RecordOf<"gate">[]) =>
    validityRows({ ...run, gate }).filter(([name]) => name.includes("without an opinion"));
  assert.match(named([...run.gate, ...gates])[0][1], /^2 of 4|^50/);
  assert.deepEqual(named(run.gate), []);
});

Deno.test("costTotals() adds up by role and stage", () => {
  const { byStage, total } = costTotals(syntheticRun({ rollouts: 4 }).ledger);
  assert.equal(byStage[0].role, "agent");
  assert.equal(total.completionTokens, byStage.reduce((sum, c) => sum + c.completionTokens, 0));
  assert.equal(costTotals([]).total.seconds, 0);
});
