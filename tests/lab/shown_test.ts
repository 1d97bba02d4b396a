import assert from "node:assert/strict";
import { scored } from "../../lib/core/mod.ts";
import { asked, inTurns } from "../../lib/lab/ask.ts";
import { type Environment, environmentOf } from "../../lib/lab/environment.ts";
import type { Game } from "../../lib/lab/play.ts";
import { shownDesign, shownGates } from "../../lib/lab/show_design.ts";
import { shownGame, shownHint, shownRegret } from "../../lib/lab/show_play.ts";
import { shownTraining } from "../../lib/lab/show_training.ts";
import type { Shown } from "../../lib/show/mod.ts";

/** What a model may write to do harm. */
const evil = `<img src=x onerror=alert(1)></pre>\x1b[2J\u202e`;

/** Nothing of it gets through: no tag, no escape sequence, no override. */
function assertHarmless({ text, html }: Shown): void {
  assert.doesNotMatch(html!, /<img/);
  assert.match(html!, /&lt;img/);
  for (const shown of [text, html!]) {
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(shown, /[\x00-\x08\x0b-\x1f]/);
  }
  assert.doesNotMatch(text, /\u202e/);
  assert.match(text, /onerror/, "it is shown, not left out");
}

const environment: Environment = {
  id: "0".repeat(64),
  source: evil,
  className: evil,
  description: evil,
  skill: evil,
};
const reply = { ids: [1, 2], logps: [-1, -1], text: evil, finish: "length", weightsVersion: 0 };
const report = {
  environmentId: environment.id,
  source: `x = "${evil}"`,
  accepted: false,
  runs: false,
  hung: false,
  className: evil,
  verdicts: [
    { gate: "parse" as const, verdict: "pass" as const, reason: "", evidence: { imports: [evil] } },
    {
      gate: "contract" as const,
      verdict: "refuse" as const,
      reason: evil,
      evidence: { detail: evil },
    },
  ],
};
const game: Game = {
  environment,
  seed: 3,
  maxTurns: 12,
  arm: "hinted",
  hint: evil,
  outcome: scored(1),
  success: true,
  terminated: true,
  truncated: false,
  hung: false,
  versionFirst: 0,
  versionLast: 0,
  turns: [{
    ...reply,
    finish: "stop",
    prompt: [],
    observation: evil,
    action: evil,
    reward: 1,
    rerendered: null,
  }],
};

Deno.test("verdicts and designs show everything and let nothing through", () => {
  assertHarmless(shownGates(report));
  const design = {
    environment: undefined,
    outcome: { kind: "failed" as const, blame: "designer" as const, reason: evil },
    skill: evil,
    prompt: [],
    promptText: evil,
    reply: { ...reply, finish: "length" as const },
    attempts: [{ seed: 0, reply: { ...reply, finish: "length" as const }, report }],
  };
  assertHarmless(shownDesign(design));
  assert.match(shownDesign(design).text, /⚠ 1 of 1 replies refused/);
  assert.match(shownDesign(design).text, /2, cut .*✗ refused/);
});

Deno.test("plays, hints and regret show everything and let nothing through", () => {
  assertHarmless(shownGame(game));
  assertHarmless(shownHint({ text: evil, reason: "", promptIds: [], tried: [] }));
  const failed: Game = {
    ...game,
    outcome: { kind: "failed", blame: "designer", reason: "exception", detail: evil },
  };
  assertHarmless(shownGame(failed));
  const shown = shownRegret({
    outcome: scored(0.5),
    pairs: 1,
    low: null,
    high: null,
    interval: "none: fewer than 4 distinct pairs",
    noiseFloor: null,
    plainMean: 0.5,
    hintedMean: 1,
    environment,
    hint: evil,
    plain: [game, failed] as never,
    hinted: [game, game] as never,
  });
  assertHarmless(shown);
  assert.match(shown.text, /regret \+0\.50, no interval \(fewer than 4 distinct pairs\)/);
  assert.match(shown.text, /⚠ 1 without a return in both arms/);
  assert.match(shown.text, /plain +mean return 1\.00, 1 plays, 1 failed/);
});

Deno.test("a training shows its last rollouts, what is left out and every warning", () => {
  const report = (rollout: number) => ({
    ...{ rollout, rollouts: 20, environments: 6, scored: 24, failed: 0 },
    ...{ seconds: 4, tokensPerSecond: 1, playsPerSecond: 1, successRate: 0.5 },
  });
  const reports = Array.from({ length: 14 }, (_, rollout) => report(rollout));
  const shown = shownTraining({ name: "a", reports, warnings: [evil], finished: false });
  assertHarmless(shown);
  assert.match(shown.text, /^training a: 14 of 20 rollouts\n/);
  assert.match(shown.text, /\n2 earlier rollouts not shown\n/);
  assert.equal(
    shownTraining({ name: "a", reports: [], warnings: [], finished: false }).text,
    "training a: no rollout yet",
  );
});

Deno.test("environmentOf() takes a source, a design's environment or a table's row", () => {
  const source = "class RoadEnv:\n    N = 3\n";
  const plain = environmentOf(source);
  assert.deepEqual(plain, {
    ...plain,
    className: "RoadEnv",
    description: "RoadEnv N 3",
    skill: "",
  });
  assert.deepEqual(environmentOf(plain), plain);
  const row = { source, id: "x", className: "Other", skill: "Optimization", rollout: 3 };
  const given = environmentOf(row);
  assert.deepEqual([given.id, given.className, given.skill], [plain.id, "Other", "Optimization"]);
  for (const wrong of [undefined, "", {}, { source: 3 }]) {
    assert.throws(
      () => environmentOf(wrong as never),
      /Cannot use environment.*must be the source/,
    );
  }
});

Deno.test("asked() names what is wrong with an engine; a cell is not type-checked", () => {
  assert.throws(() => asked(undefined), /engine is missing, must be one of engine\(\)/);
  assert.throws(() => asked({ sampler: {} } as never), /engine is no opened engine/);
});

Deno.test("inTurns() keeps the order, its limit, and begins nothing after an error", async () => {
  let running = 0, most = 0, begun = 0;
  const task = async (index: number) => {
    most = Math.max(most, ++running);
    begun += 1;
    await new Promise((resolve) => setTimeout(resolve, index % 3));
    running -= 1;
    if (index === 4) throw new Error("four");
    return index;
  };
  assert.deepEqual(await inTurns(4, 3, task), [0, 1, 2, 3]);
  assert.equal(most, 3);
  begun = 0;
  await assert.rejects(inTurns(100, 2, task), /four/);
  assert.ok(begun < 10 && running === 0);
  await assert.rejects(inTurns(1, 0, task), /concurrency 0: must be at least 1/);
});
