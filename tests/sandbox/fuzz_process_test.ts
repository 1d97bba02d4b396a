/**
 * 1,000 mutants of a seed that changes from run to run; SPADE_FUZZ_SEED gives one again. `deno task fuzz` plays 10,000 and
 * `deno task fuzz --seed S --only N` shows one.
 */
import assert from "node:assert/strict";
import { campaign } from "./fuzz/campaign.ts";
import { mutantOf } from "./fuzz/mutate.ts";
import { alive, sandboxOf } from "./helper.ts";

Deno.test("1,000 mutated programs: typed outcomes in time, nothing left, nothing grows", async () => {
  const seed = Number(Deno.env.get("SPADE_FUZZ_SEED") || Math.floor(Date.now() / 1000));
  console.log(`fuzz seed ${seed}`);
  const before = await alive();
  {
    await using pooled = await sandboxOf({ poolSize: 4 });
    await using fresh = await sandboxOf({ poolSize: 0 });
    const seen = await campaign([pooled, fresh], { seed, plays: 1000, poolSize: 4 });
    console.log(JSON.stringify(seen.outcomes), `${seen.seconds} s, slowest ${seen.slowestMs} ms`);
    for (const late of seen.late) console.log(`busy machine, ${late}`);
    for (const figures of seen.figures) console.log(JSON.stringify(figures));
    assert.deepEqual({ seed, faults: seen.faults, leaks: seen.leaks }, {
      seed,
      faults: [],
      leaks: [],
    });
    assert.equal(Object.values(seen.outcomes).reduce((sum, count) => sum + count), 1000);
  }
  const after = await alive();
  assert.deepEqual(after.pids, before.pids);
  assert.ok(after.files <= before.files, `${before.files} descriptors, then ${after.files}`);
});

Deno.test("mutants are functions of seed and number, and of many kinds", () => {
  assert.deepEqual(mutantOf(1, 7), mutantOf(1, 7));
  const many = Array.from({ length: 400 }, (_, index) => mutantOf(1, index));
  assert.ok(new Set(many.map(({ source }) => source)).size > 390);
  assert.equal(new Set(many.flatMap(({ families }) => families)).size, 11);
});
