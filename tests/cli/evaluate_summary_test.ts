import assert from "node:assert/strict";
import type { EvaluationPlay } from "../../lib/cli/evaluate/record.ts";
import { summarize, summaryText } from "../../lib/cli/evaluate/summary.ts";
import { failed, type Outcome, scored, skipped } from "../../lib/core/mod.ts";

function play(item: number, index: number, outcome: Outcome): EvaluationPlay {
  return {
    kind: "play",
    suite: "s",
    item: `item${item}`,
    family: item < 4 ? "low" : "high",
    index,
    seed: 0,
    outcome,
    success: outcome.kind === "scored" && outcome.value === 1,
    truncated: index === 3,
    unchecked: false,
    turns: 2,
    promptTokens: 10,
    completionTokens: 4,
    replies: [],
  };
}

Deno.test("summarize(): items are the units, missing is no zero, order changes nothing", () => {
  // Every play of an item alike: 8 independent facts, not 32.
  const plays = Array.from(
    { length: 8 },
    (_, item) => Array.from({ length: 4 }, (_, index) => play(item, index, scored(item % 2))),
  ).flat();
  const missing = [play(0, 9, failed("designer", "deadline")), play(1, 9, skipped("none"))];
  const [all] = summarize(["s"], [...plays, ...missing]);
  const { mean, success, items, truncated, turns, completionTokens } = all;
  assert.equal(mean.mean, 0.5);
  assert.equal(success.mean, 0.5);
  assert.deepEqual([mean.scored, mean.failed, mean.skipped], [32, 1, 1]);
  assert.deepEqual([items, truncated, turns, completionTokens], [8, 8, 2, 4 * 34]);
  // 8 items: the interval is wide; 32 independent plays would give about [.33, .67].
  assert.ok(mean.high! - mean.low! > 0.6, JSON.stringify(mean));
  assert.deepEqual(all.families.map(({ family, items }) => [family, items]), [
    ["high", 4],
    ["low", 4],
  ]);
  assert.equal(all.byItem.length, 8);
  assert.deepEqual(all.failures, { "designer: deadline": 1 });
  assert.match(summaryText([all]), /⚠ failed, and in no mean: designer: deadline 1\n/);
  assert.deepEqual(summarize(["s"], [...plays, ...missing].reverse()), [all]);
});

Deno.test("summaryText(): a table a suite, with what keeps an interval away", () => {
  const text = summaryText(
    summarize(["s", "none"], [play(0, 0, scored(1)), play(5, 1, scored(0))]),
    {
      items: true,
    },
  );
  assert.match(text, /^low item0 +1 +1 +1\.00/m);
  assert.match(text, /^all +2 +2 +0\.50 /m);
  assert.match(text, /⚠ no interval of the whole: none: 2 environments, needs 4/);
  assert.match(text, /^all +0 +0 +– /m);
});
