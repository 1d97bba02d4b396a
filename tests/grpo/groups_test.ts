import assert from "node:assert/strict";
import { failed, skipped } from "../../lib/core/mod.ts";
import { agentUnits, createGroup, deadShare, groupPlays } from "../../lib/grpo/mod.ts";
import { close, makePlay, makePlays } from "./help.ts";

Deno.test("[4.12] mixing environments, rollouts or arms in a group raises, so do equal seeds https://github.com/microsoft/agent-lightning/issues/489", () => {
  const first = makePlay("e", 0, 1);
  assert.throws(() => createGroup([first, makePlay("f", 1, 1)]), /environmentId of play f\/1/);
  assert.throws(() => createGroup([first, makePlay("e", 1, 1, { rollout: 1 })]), /rollout of play/);
  assert.throws(() => createGroup([first, makePlay("e", 1, 1, { arm: "hinted" })]), /arm of play/);
  assert.throws(() => createGroup([first, makePlay("e", 1, 1, { seed: 100 })]), /seed 100 occurs/);
  assert.throws(() => createGroup([first, first]), /occurs twice/);
  assert.throws(() => createGroup([]), TypeError);
  assert.equal(createGroup(makePlays("e", [0, 1])).plays.length, 2);
});

Deno.test("groupPlays() separates environments, rollouts and arms", () => {
  const plays = [
    ...makePlays("f", [0, 1]),
    ...makePlays("e", [0, 1]),
    ...makePlays("e", [1, 1]).map((play) => ({
      ...play,
      id: `h${play.id}`,
      arm: "hinted" as const,
    })),
  ];
  const keys = groupPlays(plays).map(({ environmentId, arm }) => `${environmentId} ${arm}`);
  assert.deepEqual(keys, ["e hinted", "e plain", "f plain"]);
});

Deno.test("agentUnits() never trains hinted plays", () => {
  const hinted = makePlays("e", [0, 1]).map((play) => ({ ...play, arm: "hinted" as const }));
  assert.throws(() => agentUnits(groupPlays(hinted)), /must be plain/);
});

Deno.test("[3.1] failed plays train nothing: advantages equal those computed without them [D14] https://github.com/NVIDIA-NeMo/RL/issues/431 https://github.com/NVIDIA-NeMo/RL/pull/2207", () => {
  const outcomes = Array.from({ length: 40 }, (_, i) => i % 3 === 0 ? 1 : 0.25 * (i % 2));
  const crash = failed("designer", "scorer raised");
  const broken = makePlays("e", outcomes.map((value, i) => i % 20 === 7 ? crash : value));
  const without = makePlays("e", outcomes).filter((play) => play.index % 20 !== 7);
  const [a, b] = [broken, without].map((plays) => agentUnits(groupPlays(plays)));
  assert.deepEqual(a.units, b.units);
  assert.deepEqual([a.unscored, b.unscored], [2, 0]);
  assert.equal(a.units.length, 38);
});

Deno.test("[4.6] dropDeadGroups changes the length of a crafted batch and says what it kept https://github.com/thinking-machines-lab/tinker-cookbook/issues/155 https://github.com/thinking-machines-lab/tinker-cookbook/pull/497", () => {
  const outage = failed("model", "deadline");
  const plays = [
    ...makePlays("dead0", [0, 0, 0]),
    ...makePlays("dead1", [1, 1, 1]),
    ...makePlays("gone", [outage, outage, 1]),
    ...makePlays("live", [0, 1, outage]),
    ...makePlays("whole", [0, 1, 1]),
  ];
  const all = agentUnits(groupPlays(plays), { plays: 3 });
  const live = agentUnits(groupPlays(plays), { plays: 3, dropDeadGroups: true });
  assert.deepEqual([all.units.length, live.units.length], [11, 5]);
  assert.deepEqual([all.kept, live.kept, all.groups], [4, 2, 5]);
  for (const result of [all, live]) {
    assert.deepEqual([result.deadGroups, result.allZero, result.allOne], [2, 1, 1]);
    assert.deepEqual([result.shortGroups, result.droppedGroups, result.unscored], [1, 1, 3]);
    assert.equal(deadShare(result), 2 / 4, "of the groups that can be compared");
  }
});

Deno.test("agentUnits() cuts and pads nothing; a short group is trained short, one play is dropped [D18]", () => {
  const none = skipped("no child");
  const sizes = [[1, 0, 1, 0, 1], [0, 1, none, none, none], [1, none, none, none, none]];
  const plays = sizes.flatMap((outcomes, i) => makePlays(`e${i}`, outcomes));
  const { units, shortGroups, droppedGroups } = agentUnits(groupPlays(plays), { plays: 5 });
  assert.deepEqual([units.length, shortGroups, droppedGroups], [7, 1, 1]);
});

Deno.test("maskTruncated: a truncated play counts in mean and spread, its unit leaves U", () => {
  const plays = makePlays("e", [1, 0, 0]).map((play) => ({ ...play, truncated: play.index === 2 }));
  const full = agentUnits(groupPlays(plays)),
    masked = agentUnits(groupPlays(plays), { maskTruncated: true });
  assert.equal(masked.maskedTruncated, 1);
  assert.deepEqual(masked.units, full.units.slice(0, 2));
  close(masked.units[0].advantage, Math.SQRT2, 1e-6);
});
