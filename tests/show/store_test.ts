import assert from "node:assert/strict";
import { loadRun, reportTables, type RunTables } from "../../lib/analysis/mod.ts";
import { inspectRun } from "../../lib/cli/inspect.ts";
import type { RecordOf, TableName } from "../../lib/core/mod.ts";
import { reportHtml } from "../../lib/show/mod.ts";
import { type Manifest, Store } from "../../lib/store/mod.ts";
import { syntheticRun } from "./fixture.ts";

/** The made-up run written to a store and read again. */
function stored(tables: RunTables): Store {
  const { manifest, ...run } = tables.run[0];
  const store = Store.memory({ run, manifest: manifest as Manifest });
  store.transaction(() => {
    const { run: _, ...rest } = tables;
    for (const [table, rows] of Object.entries(rest)) {
      store.insert(table as TableName, rows as unknown as RecordOf<TableName>[]);
    }
  });
  return store;
}

Deno.test("a stored run gives the same report as its records", () => {
  const tables = syntheticRun({ rollouts: 4, environments: 6 });
  using store = stored(tables);
  const loaded = loadRun(store);
  for (const table of reportTables) assert.equal(loaded[table].length, tables[table].length, table);
  assert.ok(reportHtml(loaded) === reportHtml(tables));
});

Deno.test("inspectRun() lists and shows the environments of a store", () => {
  const tables = syntheticRun({ rollouts: 2, environments: 4 });
  using store = stored(tables);
  const id = tables.active[0].environmentId;
  assert.ok(inspectRun(store).includes(id.slice(0, 10)));
  const text = inspectRun(store, { environment: id.slice(0, 6), plays: 2 });
  assert.match(text, /rollout 0, play 1: plain/);
  assert.match(text, /hinted, turn 1/);
});
