import assert from "node:assert/strict";
import { records, type Sampler, type SampleRequest, type TableName } from "../../lib/core/mod.ts";
import { compareRuns, type Manifest, Store } from "../../lib/store/mod.ts";
import { type Loop, verify } from "../../lib/loop/mod.ts";
import { folder, runSmall, smallConfig, withDelays } from "./support.ts";

Deno.test("train() gives the same records and weights twice, also with random delays", async () => {
  using first = folder();
  using second = folder();
  // Near-duplicates are off in the preset; with them, slots look at one another's verdicts too.
  const config = smallConfig("nearDuplicate=0.9");
  await runSmall({ dir: first.path, config });
  await runSmall({ dir: second.path, config, wrap: (loop) => withDelays(loop, 7) });
  using a = Store.open(first.path, { readonly: true });
  using b = Store.open(second.path, { readonly: true });
  assert.deepEqual(compareRuns(a, b), []);
  assert.equal(a.all("update").length, 5, "four rollouts and the designer-only update [D20]");
  assert.ok(a.count("play") > 100);
  assert.ok(a.count("gate", { gate: "duplicate", verdict: "refuse" }) > 5);
});

/** The loop with a record of what is asked of its sampler. */
function recorded(loop: Loop, asked: SampleRequest[]): Loop {
  const { engine } = loop;
  const sampler: Sampler = {
    sample: (request, options) => (asked.push(request), engine.sampler.sample(request, options)),
  };
  const dispose = () => engine[Symbol.asyncDispose]();
  const ports = { trainer: engine.trainer, base: engine.base, log: () => engine.log() };
  return { ...loop, engine: { ...ports, sampler, [Symbol.asyncDispose]: dispose } };
}

Deno.test("another seed gives another run; both roles are sampled unrestricted, as they are trained [D19]", async () => {
  using first = folder();
  using second = folder();
  const asked: SampleRequest[] = [];
  const wrap = (loop: Loop) => recorded(loop, asked);
  await runSmall({ dir: first.path, config: smallConfig("rollouts=2"), wrap });
  for (const { params } of asked) {
    assert.deepEqual([params.topP ?? 1, params.topK ?? -1], [1, -1]);
    // By their limits: 400 the designer, 8 the agent; hints (24) are not trained.
    assert.equal(params.temperature, params.maxTokens === 24 ? 0.3 : 1);
  }
  assert.deepEqual(new Set(asked.map(({ params }) => params.maxTokens)), new Set([400, 8, 24]));
  await runSmall({ dir: second.path, config: smallConfig("rollouts=2", "seed=1") });
  using a = Store.open(first.path, { readonly: true });
  using b = Store.open(second.path, { readonly: true });
  assert.notDeepEqual(compareRuns(a, b), []);
});

/** All rows in another run, with a chain of its own, changed on the way. */
function copyWith(store: Store, change: (table: string, row: { id: string }) => object): Store {
  const { manifest, ...run } = store.all("run")[0];
  const copy = Store.memory({ run, manifest: manifest as Manifest });
  copy.transaction(() => {
    for (const table of Object.keys(records) as TableName[]) {
      if (table === "run") continue;
      const rows = store.all(table).map((row) => change(table, row));
      copy.insert(table, rows as never[]);
    }
  });
  return copy;
}

Deno.test("verify() recomputes a run and names the first changed reward or advantage", async () => {
  using dir = folder();
  await runSmall({ dir: dir.path, config: smallConfig("rollouts=2") });
  using store = Store.open(dir.path, { readonly: true });
  const result = verify(store);
  assert.equal(result.mismatch, null);
  assert.ok(result.plays > 20 && result.batches === 3 && result.samples > 0);

  const last = store.all("turn").find((turn) => turn.reward === 1)!;
  using rewarded = copyWith(
    store,
    (table, row) => table === "turn" && row.id === last.id ? { ...row, reward: 0.5 } : row,
  );
  const { mismatch } = verify(rewarded);
  assert.deepEqual([mismatch?.table, mismatch?.id, mismatch?.column], [
    "play",
    last.playId,
    "outcome",
  ]);

  using moved = copyWith(
    store,
    (table, row) =>
      table === "sample" && "raw" in row && typeof row.raw === "number"
        ? { ...row, raw: row.raw + 0.01 }
        : row,
  );
  assert.equal(verify(moved).mismatch?.table, "sample");
});
