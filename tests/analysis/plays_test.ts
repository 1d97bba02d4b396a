import assert from "node:assert/strict";
import {
  bandOf,
  bandShares,
  chanceInBand,
  epochLength,
  groupHealth,
  placeOf,
  winRates,
} from "../../lib/analysis/mod.ts";
import { failed, type RecordOf, scored } from "../../lib/core/mod.ts";

type Play = RecordOf<"play">;

function plays(
  environment: string,
  rollout: number,
  values: number[],
  of: Partial<Play> = {},
): Play[] {
  return values.map((value, index) => ({
    id: `${environment}/${rollout}/${index}`,
    rollout,
    environmentId: environment,
    arm: "plain",
    index,
    seed: index,
    outcome: scored(value),
    success: value >= 1,
    terminated: true,
    truncated: false,
    turns: 1,
    versionFirst: 0,
    versionLast: 0,
    hung: false,
    attempts: 1,
    ...of,
  }));
}

const lost = failed("designer", "exception");

Deno.test("winRates() takes plain plays by environment and rollout", () => {
  const rates = winRates([
    ...plays("b", 1, [1, 0]),
    ...plays("a", 0, [1, 1]),
    ...plays("a", 0, [0, 0], { arm: "hinted" }),
    ...plays("c", 0, [0], { outcome: lost }),
  ]);
  assert.deepEqual(rates.map((r) => [r.rollout, r.environmentId, r.winRate, r.place, r.failed]), [
    [0, "a", 1, "above", 0],
    [0, "c", undefined, undefined, 1],
    [1, "b", 0.5, "in", 0],
  ]);
});

Deno.test("winRates() pools the rollouts of an epoch", () => {
  const rates = winRates([...plays("a", 2, [1, 1]), ...plays("a", 3, [0, 0])], { every: 2 });
  assert.deepEqual(rates.map((r) => [r.rollout, r.winRate, r.scored]), [[2, 0.5, 4]]);
});

Deno.test("placeOf() has both ends of the band inside", () => {
  assert.equal(placeOf(0.4), "in");
  assert.equal(placeOf((0.1 + 0.2) * 2), "in");
  assert.equal(placeOf(0.399), "below");
  assert.equal(placeOf(0.61), "above");
});

Deno.test("bandShares() leaves environments without a score out and counts them", () => {
  const [share] = bandShares(winRates([
    ...plays("a", 0, [1, 0]),
    ...plays("b", 0, [0, 0]),
    ...plays("c", 0, [0], { outcome: lost }),
  ]));
  assert.equal(share.inside.share, 0.5);
  assert.equal(share.below.share, 0.5);
  assert.deepEqual([share.environments, share.missing], [3, 1]);
  assert.deepEqual(share.quartiles, [0.125, 0.25, 0.375]);
});

Deno.test("chanceInBand() is the binomial share", () => {
  assert.ok(Math.abs(chanceInBand(8) - 70 / 256) < 1e-12);
  assert.ok(Math.abs(chanceInBand(16) - (12870 + 2 * 11440) / 65536) < 1e-12);
});

Deno.test("groupHealth() counts groups that teach nothing", () => {
  const health = groupHealth([
    ...plays("a", 0, [0, 0, 0]),
    ...plays("a", 1, [1, 1]),
    ...plays("b", 0, [0.5, 0.5]),
    ...plays("c", 0, [0, 1]),
    ...plays("d", 0, [1]),
  ]);
  assert.deepEqual([health.groups, health.short], [5, 1]);
  assert.deepEqual(
    [health.allZero.count, health.allOne.count, health.zeroSpread.count, health.zeroSpread.of],
    [1, 1, 3, 4],
  );
});

Deno.test("epochLength() and bandOf() read the run's options", () => {
  const run = {
    id: "r",
    rollout: -1,
    seed: 0,
    preset: "nano",
    config: { epoch: 2, plateau: { low: 0.2, high: 0.4, ramp: 0.2 } },
    manifest: {},
  };
  assert.equal(epochLength(run), 2);
  assert.equal(epochLength(undefined), 1);
  assert.deepEqual(bandOf(run), { low: 0.2, high: 0.4 });
  assert.deepEqual(bandOf({ ...run, config: {} }), { low: 0.4, high: 0.6 });
});
