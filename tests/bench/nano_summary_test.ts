import assert from "node:assert/strict";
import { type ArmResult, overSeeds, summarize, tableOf } from "../../scripts/bench/nano_summary.ts";

type Evaluation = ArmResult["evaluations"][number];

function plays(weights: "base" | "current", wins: number, seen = true): Evaluation[] {
  return Array.from({ length: 10 }, (_, index) => ({
    id: `${weights}${index}${seen}`,
    rollout: 4,
    set: "test",
    weights,
    mode: "sampled",
    environmentId: "e",
    family: "f",
    seen,
    index,
    seed: index,
    outcome: { kind: "scored", value: index < wins ? 1 : 0 },
    success: index < wins,
    turns: 3,
  }));
}

const result = (arm: string, seed: number, before: number, after: number): ArmResult => ({
  arm,
  seed,
  evaluations: [...plays("base", before), ...plays("current", after)],
  validity: { base: { replies: 100, runs: 90 }, current: { replies: 100, runs: 80 + 10 * seed } },
  seconds: 60,
});

Deno.test("overSeeds() is Student's interval; none below two seeds", () => {
  const interval = overSeeds([0.1, 0.2, 0.3])!;
  assert.ok(Math.abs(interval.mean - 0.2) < 1e-12);
  assert.ok(Math.abs(interval.high - (0.2 + 4.303 * 0.1 / Math.sqrt(3))) < 1e-9);
  assert.equal(overSeeds([0.1]), null);
  assert.equal(overSeeds([0.1, undefined]), null, "missing is not zero");
});

Deno.test("summarize() pairs seeds across arms and shows missing as a dash", () => {
  const summary = summarize([
    result("spade", 0, 2, 5),
    result("spade", 1, 3, 5),
    result("shuffled", 0, 2, 2),
    result("shuffled", 1, 3, 2),
  ]);
  const [spade, shuffled] = summary;
  assert.ok(Math.abs(spade.rise!.mean - 0.25) < 1e-12);
  assert.ok(Math.abs(shuffled.spadeMinus!.mean - 0.3) < 1e-12);
  assert.ok(Math.abs(spade.validityBase!.mean - 0.9) < 1e-12);
  assert.ok(Math.abs(spade.validity!.mean + 0.05) < 1e-12);
  assert.equal(spade.greedy, null);
  assert.match(tableOf(summary), /\| spade \| 2 \| 25\.0 → 50\.0 \| \+25\.0 \[/);
  assert.match(tableOf(summary), /– → –/);
});
