import assert from "node:assert/strict";
import fc from "fast-check";
import golden from "../golden/rewards.json" with { type: "json" };
import { scored, skipped } from "../../lib/core/mod.ts";
import {
  activeSkills,
  designerAdvantages,
  designerScale,
  penalizeRejected,
  skillOfSlot,
} from "../../lib/grpo/mod.ts";
import { close } from "./help.ts";

Deno.test("designerScale() equals compute_env_reward_scale [P]", () => {
  for (
    const { in: { num_env, num_actor, interval, max_scale }, out } of golden
      .compute_env_reward_scale
  ) {
    const counts = { designers: num_env, agents: num_actor, interval };
    close(designerScale(counts, { cap: max_scale }), out);
  }
  assert.equal(designerScale({ designers: 3, agents: 0, interval: 4 }), 1);
});

Deno.test("activeSkills() equals select_active_skills [P]", () => {
  for (
    const { in: { num_skills, rollout_id, interval, skills_per_regen }, out } of golden
      .select_active_skills
  ) {
    const options = { rollout: rollout_id, interval, perEpoch: skills_per_regen };
    assert.deepEqual(activeSkills(num_skills, options), out);
  }
  assert.deepEqual([0, 1, 2, 3].map((slot) => skillOfSlot(["a", "b", "c"], slot)), [
    "a",
    "b",
    "c",
    "a",
  ]);
  assert.throws(() => skillOfSlot([], 0), RangeError);
});

Deno.test("designerAdvantages() centres per skill, scales, and leaves missing samples out [D14]", () => {
  const result = designerAdvantages([
    { id: "1", skill: "A", raw: scored(1) },
    { id: "2", skill: "A", raw: scored(0) },
    { id: "3", skill: "A", raw: skipped("no scored hinted play") },
    { id: "4", skill: "B", raw: scored(0.3) },
  ], 10);
  assert.deepEqual(result.map((item) => item.advantage), [5, -5, null, 0]);
  assert.equal(result[2].reason, "no scored hinted play");
  assert.throws(() => designerAdvantages([], NaN), RangeError);
});

Deno.test("designerAdvantages(): finite, sum 0 a skill, permuting samples changes no bit", () => {
  const sample = fc.record({
    skill: fc.constantFrom("A", "B"),
    raw: fc.oneof(
      fc.double({ min: -1, max: 2, noNaN: true }).map(scored),
      fc.constant(skipped("x")),
    ),
  });
  fc.assert(fc.property(fc.array(sample), (list) => {
    const samples = list.map((item, i) => ({ ...item, id: String(i).padStart(3, "0") }));
    const result = designerAdvantages(samples, 32);
    const turned = designerAdvantages([...samples].reverse(), 32).reverse();
    assert.deepEqual(turned, result);
    for (const skill of ["A", "B"]) {
      const own = result.filter((_, i) => samples[i].skill === skill);
      close(own.reduce((sum, item) => sum + (item.advantage ?? 0), 0), 0, 1e-6);
    }
  }));
});

Deno.test("designerAdvantages(): an offset of 1e8 changes nothing", () => {
  const raws = fc.array(fc.integer({ min: -8, max: 8 }).map((i) => i / 8), { minLength: 1 });
  fc.assert(fc.property(raws, (values) => {
    const at = (offset: number) =>
      designerAdvantages(
        values.map((value, i) => ({ id: `${i}`, skill: "A", raw: scored(value + offset) })),
        50,
      );
    const near = at(0);
    at(1e8).forEach((item, i) => close(item.advantage, near[i].advantage, 1e-5));
  }));
});

Deno.test("penalizeRejected(): lowest accepted raw of the skill - .1, nothing without one", () => {
  const accepted = [
    { id: "1", skill: "A", raw: scored(0.5) },
    { id: "2", skill: "A", raw: scored(0.25) },
    { id: "3", skill: "B", raw: skipped("x") },
  ];
  const rejected = [{ id: "4", skill: "A" }, { id: "5", skill: "B" }];
  assert.deepEqual(penalizeRejected(rejected, accepted).map((sample) => sample.raw), [
    scored(0.15),
    skipped("no accepted sample of the skill"),
  ]);
});
