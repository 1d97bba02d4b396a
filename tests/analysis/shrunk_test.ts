import assert from "node:assert/strict";
import { regretSummary, shrunkRegrets } from "../../lib/analysis/mod.ts";
import { failed, type RecordOf, scored, skipped } from "../../lib/core/mod.ts";
import { clippedSignal, shrinkRegret, shrunkNoise } from "../../lib/reward/mod.ts";

const regret = (id: string, rollout = 0): RecordOf<"regret"> => ({
  ...{
    id,
    rollout,
    environmentId: `e${id}`,
    outcome: scored(0.25),
    pairs: 4,
    low: null,
    high: null,
  },
  ...{ interval: "none: x", noiseFloor: 0.4, plainMean: 0.25, hintedMean: 0.5 },
});

function plays(
  environmentId: string,
  rollout: number,
  arm: "plain" | "hinted",
  returns: number[],
): RecordOf<"play">[] {
  return returns.map((value, index) => ({
    ...{
      id: `${environmentId}${rollout}${arm}${index}`,
      rollout,
      environmentId,
      arm,
      index,
      seed: index,
    },
    ...{
      outcome: scored(value),
      success: value === 1,
      terminated: true,
      truncated: false,
      turns: 1,
    },
    ...{ versionFirst: 0, versionLast: 0, hung: false, attempts: 1 },
  }));
}

Deno.test("shrunkRegrets() pools the plain plays of the epoch, not those of another", () => {
  const rows = [
    ...plays("ea", 0, "plain", [0, 0, 0, 1]),
    ...plays("ea", 1, "plain", [0, 1, 0, 0]),
    ...plays("ea", 2, "plain", [1, 1, 1, 1]),
    ...plays("ea", 0, "hinted", [1, 1, 1, 0]),
    ...plays("ea", 2, "hinted", [0, 0, 0, 0]),
  ];
  const { outcome, noiseFloor } = shrunkRegrets([regret("a")], rows, { every: 2 }).get("a")!;
  const wanted = shrinkRegret([0, 0, 0, 1, 0, 1, 0, 0], [1, 1, 1, 0]);
  assert.deepEqual(outcome, scored(wanted.value));
  assert.equal(noiseFloor, shrunkNoise(wanted.error));
  const turned = shrunkRegrets([regret("a")], [...rows].reverse(), { every: 2 });
  assert.deepEqual(turned.get("a"), { outcome, noiseFloor });
});

Deno.test("shrunkRegrets(): an outage leaves it missing, never 0 [D14]", () => {
  const rows = [
    ...plays("ea", 0, "plain", [0, 1, 0]),
    ...plays("ea", 0, "hinted", [1, 1, 1]).map((play, i) =>
      i === 0 ? play : { ...play, outcome: failed("model", "deadline") }
    ),
  ];
  const { outcome, noiseFloor } = shrunkRegrets([regret("a")], rows).get("a")!;
  assert.deepEqual(outcome, skipped("fewer than 2 scored plays in an arm"));
  assert.equal(noiseFloor, null);
});

Deno.test("regretSummary() puts the shrunken signal beside the published one, with its own floor", () => {
  const regrets = [regret("a"), regret("b")];
  const rows = ["ea", "eb"].flatMap((id) => [
    ...plays(id, 0, "plain", [0, 0, 1, 0, 0, 0, 0, 0]),
    ...plays(id, 0, "hinted", id === "ea" ? [1, 1, 1, 1, 1, 1, 0, 1] : [0, 0, 1, 0, 0, 1, 0, 0]),
  ]);
  const shrunk = shrunkRegrets(regrets, rows);
  const summary = regretSummary(regrets, { shrunk, draws: 0 });
  const values = [...shrunk.values()].map(({ outcome }) =>
    outcome.kind === "scored" ? clippedSignal(outcome.value) : NaN
  );
  assert.deepEqual(values, [1, 0], "a regret below its error pays nothing");
  assert.equal(summary.shrunk!.mean, 0.5);
  assert.equal(summary.signal.mean, 1);
  assert(summary.shrunkFloor! < summary.noiseFloor!);
  assert.equal(regretSummary(regrets, { draws: 0 }).shrunk, undefined);
});
