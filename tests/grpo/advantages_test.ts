import assert from "node:assert/strict";
import fc from "fast-check";
import golden from "../golden/rewards.json" with { type: "json" };
import { failed, Random, scored } from "../../lib/core/mod.ts";
import { agentAdvantages, agentUnits, groupPlays } from "../../lib/grpo/mod.ts";
import { updateBaselines } from "../../lib/reward/mod.ts";
import { close, makePlays } from "./help.ts";

const returns = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
  minLength: 1,
  maxLength: 32,
});

Deno.test("agentUnits() with parity equals normalize_rewards_per_game [P]", () => {
  for (const { in: input, out } of golden.normalize_rewards_per_game) {
    const groups = groupPlays(input.plays.map((play) => ({
      id: String(play.index),
      ...{ rollout: 0, arm: "plain", environmentId: play.game, truncated: false },
      ...{ index: play.index, seed: play.index },
      outcome: play.failed ? failed("designer", "crash") : scored(play.reward),
    })));
    const baselines = Object.fromEntries(input.warm_baselines as [string, number][]);
    const rule = input.mode === "grpo" ? "grpo" : "ema-baseline";
    const { units, means } = agentUnits(groups, { rule, baselines, parity: true });
    const wanted = new Map(out.order.map((index, i) => [String(index), out.normalized[i]]));
    assert.equal(units.length, wanted.size);
    for (const { id, advantage } of units) close(advantage, wanted.get(id)!);
    const after = out.baselines_after as Record<string, number> | null;
    if (after === null) continue;
    const moved = updateBaselines(baselines, means, input.ema_decay!);
    assert.deepEqual(Object.keys(moved).sort(), Object.keys(after).sort());
    for (const [game, mean] of Object.entries(moved)) close(mean, after[game]);
  }
});

Deno.test("agentAdvantages(): finite, mean 0, at most sqrt(n)", () => {
  fc.assert(fc.property(returns, (values) => {
    const { advantages } = agentAdvantages(values);
    const bound = Math.sqrt(values.length) + 1e-9;
    assert(advantages.every((value) => Number.isFinite(value) && Math.abs(value) <= bound));
    close(advantages.reduce((sum, value) => sum + value, 0), 0, 1e-4);
  }));
  assert.throws(() => agentAdvantages([0, NaN]), /return 1 is NaN/);
  assert.throws(() => agentAdvantages([]), RangeError);
});

Deno.test("agentAdvantages(): no finite input gives NaN", () => {
  const any = fc.array(fc.double({ noNaN: true, min: -1e100, max: 1e100 }), { minLength: 1 });
  fc.assert(fc.property(any, (values) => {
    for (const rule of ["grpo", "mean-only", "ema-baseline"] as const) {
      assert(agentAdvantages(values, { rule }).advantages.every(Number.isFinite));
    }
  }));
});

const eighths = fc.array(fc.integer({ min: -8, max: 8 }).map((i) => i / 8), {
  minLength: 1,
  maxLength: 32,
});

Deno.test("agentAdvantages(): an offset of 1e8 changes nothing", () => {
  fc.assert(fc.property(eighths, (values) => {
    const far = values.map((value) => value + 1e8);
    for (const rule of ["grpo", "mean-only", "ema-baseline"] as const) {
      const near = agentAdvantages(values, { rule, baseline: 0.25 });
      const shifted = agentAdvantages(far, { rule, baseline: 1e8 + 0.25 });
      assert.equal(shifted.dead, near.dead);
      shifted.advantages.forEach((value, i) => close(value, near.advantages[i], 1e-6));
    }
  }));
});

Deno.test("agentAdvantages(): a better return never has a lower advantage", () => {
  fc.assert(fc.property(returns, (values) => {
    for (const rule of ["grpo", "mean-only", "ema-baseline"] as const) {
      const { advantages } = agentAdvantages(values, { rule });
      values.forEach((value, i) => {
        if (value > values[0]) assert(advantages[i] >= advantages[0]);
      });
    }
  }));
});

Deno.test("[4.2] rounding residue is no spread: advantages are exactly 0 [D17] https://github.com/NVIDIA-NeMo/RL/pull/4161 https://github.com/NVIDIA-NeMo/RL/issues/1518", () => {
  const same = agentAdvantages(Array(8).fill(0.1));
  assert.deepEqual(same.advantages, Array(8).fill(0));
  assert(same.dead);
  const residue = agentAdvantages([0.1 + 0.2, 0.3, 0.3]);
  assert(residue.dead);
  assert.deepEqual(residue.advantages, [0, 0, 0]);
  const one = agentAdvantages([...Array(7).fill(0.35), 0.7]);
  assert(one.advantages.every((value) => Math.abs(value) <= Math.sqrt(8)));
  close(one.advantages[7], Math.sqrt(7), 1e-6);
});

Deno.test("[4.3] a group of one gives advantage 0 and a warning, never NaN https://github.com/ruc-datalab/DeepAnalyze/issues/116 https://github.com/NousResearch/atropos/issues/34", () => {
  for (const rule of ["grpo", "mean-only"] as const) {
    const { advantages, warning } = agentAdvantages([0.7], { rule });
    assert.deepEqual(advantages, [0]);
    assert.match(warning!, /one play/);
  }
  const alone = agentUnits(groupPlays(makePlays("e", [1])));
  assert.deepEqual([alone.units.length, alone.droppedGroups], [0, 1]);
  assert.equal(alone.warnings.length, 1);
  const kept = agentUnits(groupPlays(makePlays("e", [1])), { parity: true });
  assert.deepEqual(kept.units.map((unit) => unit.advantage), [0]);
  assert.equal(kept.warnings.length, 1);
});

Deno.test("mean-only and ema-baseline by hand", () => {
  assert.deepEqual(agentAdvantages([0, 1], { rule: "mean-only" }).advantages, [-0.5, 0.5]);
  const rule = "ema-baseline";
  assert.deepEqual(agentAdvantages([1, 1], { rule, baseline: 0.5 }).advantages, [0.5, 0.5]);
  assert.deepEqual(agentAdvantages([1], { rule }).advantages, [1]);
});

Deno.test("agentUnits(): permuting plays and groups changes nothing", () => {
  fc.assert(
    fc.property(fc.array(returns, { minLength: 1, maxLength: 5 }), fc.nat(), (groups, seed) => {
      const plays = groups.flatMap((values, i) => makePlays(`e${i}`, values));
      const shuffled = new Random(seed).shuffle(plays);
      assert.deepEqual(agentUnits(groupPlays(shuffled)), agentUnits(groupPlays(plays)));
    }),
  );
});
