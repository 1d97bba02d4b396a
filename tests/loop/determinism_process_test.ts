import assert from "node:assert/strict";
import { records, type TableName } from "../../lib/core/mod.ts";
import { compareRuns, type Manifest, Store } from "../../lib/store/mod.ts";
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
