import assert from "node:assert/strict";
import { compareRuns } from "../../lib/store/mod.ts";
import { databaseOf } from "../../lib/store/store.ts";
import { fill, filled, recordOf } from "./fixtures.ts";

Deno.test("compareRuns() finds equal runs equal, however their work was cut into units", () => {
  using a = filled(2);
  using b = filled(1);
  fill(b, 1, 2);
  a.transaction(() => a.insert("play", [recordOf("play", "y"), recordOf("play", "x")]));
  b.transaction(() => b.insert("play", recordOf("play", "x")));
  b.transaction(() => b.insert("play", recordOf("play", "y")));
  assert.notEqual(a.head.hash, b.head.hash);
  assert.deepEqual(compareRuns(a, b), []);
});

Deno.test("compareRuns() ignores measured columns, events and the order of JSON keys", () => {
  using a = filled();
  using b = filled();
  const entry = recordOf("ledger", "l");
  a.transaction(() => a.insert("ledger", entry));
  b.transaction(() => b.insert("ledger", { ...entry, seconds: entry.seconds + 1 }));
  b.transaction(() => b.insert("event", recordOf("event", "more")));
  a.transaction(() => a.replace("cursor", { id: "c", rollout: 0, value: { x: 1, y: { z: 1 } } }));
  b.transaction(() => b.replace("cursor", { id: "c", rollout: 0, value: { y: { z: 1 }, x: 1 } }));
  databaseOf(b).exec(`UPDATE run SET manifest = '{}'`);
  assert.deepEqual(compareRuns(a, b), []);
});

Deno.test("compareRuns() names the first row and column that differ, a table each", () => {
  using a = filled();
  using b = filled();
  databaseOf(b).exec(
    `UPDATE play SET seed = 5000 WHERE id >= 'p1'; DELETE FROM turn WHERE id = 't1b';
     UPDATE turn SET logps = x'000000000000f03f' WHERE id = 't2a'`,
  );
  const found = compareRuns(a, b);
  assert.deepEqual(found.map((one) => [one.table, one.id, one.column, one.rows]), [
    ["play", "p1a", "seed", 4],
    ["turn", "t1b", undefined, 2],
  ]);
  assert.deepEqual([found[0].b, found[1].a, found[1].b], [5000, "present", undefined]);
  databaseOf(a).exec(`DELETE FROM turn WHERE id = 't1b'`);
  assert.deepEqual(compareRuns(a, b)[1].b, [1]);
  assert.equal(compareRuns(b, a).length, 2);
});
