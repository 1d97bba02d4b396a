import assert from "node:assert/strict";
import type { TableName } from "../../lib/core/mod.ts";
import { verifyChain } from "../../lib/store/mod.ts";
import { databaseOf } from "../../lib/store/store.ts";
import { filled } from "./fixtures.ts";

/** What verify finds after somebody changed the database behind the store's back. */
function tampered(sql: string) {
  using store = filled();
  databaseOf(store).exec(sql);
  return verifyChain(store).difference;
}

Deno.test("verifyChain() finds nothing in an honest run, and counts what it covers", () => {
  using store = filled(5);
  const { difference, sequence, hash, rows } = verifyChain(store);
  assert.equal(difference, undefined);
  assert.deepEqual({ sequence, hash }, store.head);
  assert.equal(sequence, 6);
  // run; per unit 2 plays, 2 turns, 1 event; memory m, m3, m4; the cursor
  assert.equal(rows, 1 + 5 * 5 + 3 + 1);
});

Deno.test("verifyChain() names the row of every changed column, measured ones included", () => {
  const changes: [TableName, string, string][] = [
    ["play", "p1a", `seed = seed + 1`],
    ["play", "p1a", `outcome = '{"kind":"scored","value":1}'`],
    ["turn", "t2b", `ids = x'01000000'`],
    ["turn", "t2b", `reward = 1e-9 + coalesce(reward, 0)`],
    ["memory", "m", `"winRate" = "winRate" + 1e-12`],
    ["cursor", "corpus", `value = '{"at":3}'`],
    ["event", "e0", `data = '{}'`],
    ["run", "run", `manifest = '{}'`],
  ];
  for (const [table, id, change] of changes) {
    const found = tampered(`UPDATE "${table}" SET ${change} WHERE id = '${id}'`);
    assert.deepEqual([found?.table, found?.id, found?.what], [table, id, "the row was changed"]);
  }
});

Deno.test("verifyChain() finds missing, added, exchanged and re-inserted rows", () => {
  const missing = tampered(`DELETE FROM turn WHERE id = 't1a'`);
  assert.deepEqual(missing, { sequence: 3, table: "turn", id: "t1a", what: "the row is missing" });

  const renamed = tampered(`UPDATE play SET id = 'p9' WHERE id = 'p0a'`);
  assert.deepEqual([renamed?.id, renamed?.what], ["p0a", "the row is missing"]);

  const added = tampered(
    `INSERT INTO event SELECT 'e9', rollout, kind, message, data FROM event WHERE id = 'e0'`,
  );
  assert.deepEqual([added?.table, added?.id], ["event", "e9"]);
  assert.match(added!.what, /no transaction covers/);

  const swapped = tampered(
    `UPDATE play SET id = 'x' WHERE id = 'p0a'; UPDATE play SET id = 'p0a' WHERE id = 'p0b';
     UPDATE play SET id = 'p0b' WHERE id = 'x'`,
  );
  assert.deepEqual([swapped?.id, swapped?.what], ["p0a", "the row was changed"]);

  const back = tampered(`UPDATE memory SET id = 'm0' WHERE id = 'm1'`);
  assert.equal(back?.table, "memory");
  assert.match(back!.what, /removed, yet it is there|missing/);
});

Deno.test("verifyChain() finds a chain that was cut, changed or reordered", () => {
  const changed = tampered(`UPDATE chain SET rollout = 9 WHERE sequence = 2`);
  assert.deepEqual([changed?.sequence, changed?.what], [2, "the chain's entry was changed"]);
  const cut = tampered(`DELETE FROM chain WHERE sequence = 2`);
  assert.match(cut!.what, /transaction 2 is missing/);
  const head = tampered(`DELETE FROM chain WHERE sequence = 4`);
  assert.match(head!.what, /row was changed|no transaction covers/);
  const swapped = tampered(
    `UPDATE chain SET sequence = 9 WHERE sequence = 2; UPDATE chain SET sequence = 2
     WHERE sequence = 3; UPDATE chain SET sequence = 3 WHERE sequence = 9`,
  );
  assert.deepEqual([swapped?.sequence, swapped?.what], [2, "the chain's entry was changed"]);
});
