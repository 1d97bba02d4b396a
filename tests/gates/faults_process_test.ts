/** A seeded sample of the planted faults; `deno task bench:gates` runs them all, data/results/gates.json holds the result. */
import assert from "node:assert/strict";
import { Random, seedOf } from "../../lib/core/mod.ts";
import { gateNames } from "../../lib/gates/mod.ts";
import stored from "../../data/results/gates.json" with { type: "json" };
import { faults } from "./faults.ts";
import { confusionTable, judgeCases, plantAll } from "./plant.ts";
import { programs } from "./programs.ts";
import { isSetUp, testSandbox } from "./test_sandbox.ts";

const good = programs("good");
const cases = plantAll(good);

Deno.test("faults are planted of every kind, in every program", () => {
  assert.ok(cases.length >= 400, String(cases.length));
  assert.equal(new Set(cases.map(({ fault }) => fault.kind)).size, faults.length);
  assert.equal(new Set(cases.map(({ program }) => program.name)).size, good.length);
  assert.equal(new Set(cases.map(({ source }) => source)).size, cases.length);
  const meant = new Set(faults.map(({ gate }) => gate));
  assert.deepEqual([...meant], gateNames.slice(0, -1));
});

Deno.test("a sample of planted faults falls at the named gates", async () => {
  await using sandbox = await testSandbox();
  const random = new Random(seedOf("faults"));
  const able = cases.filter(({ source }) => isSetUp || !source.includes("np."));
  // One of each kind: all gates are met.
  const sample = [...Map.groupBy(able, ({ fault }) => fault.kind).values()]
    .map((same) => same[random.integer(same.length)]);
  const caught = await judgeCases(sample, sandbox);
  console.log(confusionTable(caught));
  assert.deepEqual(caught.filter(({ found }) => found === null), []);
  assert.deepEqual(caught.filter(({ isRight }) => !isRight), []);
});

Deno.test("the stored result: at least 99 in 100 are caught by the named gate, none is accepted", () => {
  assert.equal(stored.accepted, 0);
  assert.ok(stored.caughtByNamedGate >= 0.99 * stored.cases);
  assert.equal(stored.cases, cases.length);
  assert.equal(stored.misses.length, stored.cases - stored.caughtByNamedGate);
});
