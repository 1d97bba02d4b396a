import assert from "node:assert/strict";
import { compareRuns, Store } from "../../lib/store/mod.ts";
import { verify } from "../../lib/loop/mod.ts";
import { folder, runSmall, smallConfig, withDelays } from "./support.ts";

Deno.test("train() gives the same records and weights twice, also with random delays", async () => {
  using first = folder();
  using second = folder();
  await runSmall({ dir: first.path });
  await runSmall({ dir: second.path, wrap: (loop) => withDelays(loop, 7) });
  using a = Store.open(first.path, { readonly: true });
  using b = Store.open(second.path, { readonly: true });
  assert.deepEqual(compareRuns(a, b), []);
  assert.equal(a.all("update").length, 5, "four rollouts and the designer-only update [D20]");
  assert.ok(a.count("play") > 100);
});

Deno.test("another seed gives another run", async () => {
  using first = folder();
  using second = folder();
  await runSmall({ dir: first.path, config: smallConfig("rollouts=2") });
  await runSmall({ dir: second.path, config: smallConfig("rollouts=2", "seed=1") });
  using a = Store.open(first.path, { readonly: true });
  using b = Store.open(second.path, { readonly: true });
  assert.notDeepEqual(compareRuns(a, b), []);
});

Deno.test("verify() recomputes a run and names a changed reward", async () => {
  using dir = folder();
  await runSmall({ dir: dir.path, config: smallConfig("rollouts=2") });
  using store = Store.open(dir.path, { readonly: true });
  const result = verify(store);
  assert.equal(result.mismatch, null);
  assert.ok(result.plays > 50 && result.batches === 3 && result.samples > 0);
});
