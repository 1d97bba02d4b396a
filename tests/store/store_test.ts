import assert from "node:assert/strict";
import type { RecordOf } from "../../lib/core/mod.ts";
import { Store } from "../../lib/store/mod.ts";
import { filled, manifest, recordOf, run, tableNames } from "./fixtures.ts";

Deno.test("Store gives back every record of every table exactly", () => {
  using store = Store.memory({ run, manifest });
  for (const table of tableNames) {
    const list = Array.from({ length: 20 }, (_, i) => recordOf(table, `${table}${i}`, i));
    store.transaction(() => store.insert(table, list as never));
    for (const record of list) assert.deepEqual(store.get(table, record.id), record);
    const others = table === "run" ? 1 : 0;
    assert.equal(store.count(table), list.length + others);
  }
});

Deno.test("Store keeps unpaired surrogates, NUL and the order of JSON keys", () => {
  using store = Store.memory({ run, manifest });
  const value = { b: "\0", "a\0": "\udfff", list: [1e300, -1.5, null] };
  const record = { ...recordOf("document", "d"), text: "\ud83d", skill: "\u0001[" };
  store.transaction(() => {
    store.replace("cursor", { id: "c", rollout: 0, value });
    store.insert("document", record);
  });
  assert.equal(JSON.stringify(store.get("cursor", "c")!.value), JSON.stringify(value));
  assert.deepEqual(store.get("document", "d"), record);
});

Deno.test("Store.insert() names table and column of what does not fit", () => {
  using store = Store.memory({ run, manifest });
  const put = (change: Record<string, unknown>) => () =>
    store.transaction(() =>
      store.insert("turn", { ...recordOf("turn", "t"), ...change } as RecordOf<"turn">)
    );
  assert.throws(put({ index: 1.5 }), /TypeError: Cannot store turn\.index/);
  assert.throws(put({ reward: NaN }), /Cannot store turn\.reward/);
  assert.throws(put({ reward: Infinity }), /Cannot store turn\.reward/);
  assert.throws(put({ logps: [0, -Infinity] }), /Cannot store turn\.logps\.1: .* must be finite/);
  assert.throws(put({ logps: "x" }), /Cannot store turn\.logps/);
  assert.throws(put({ ids: [1, -1] }), /Cannot store turn\.ids\.1: id is -1/);
  assert.throws(put({ ids: [2 ** 31] }), /Cannot store turn\.ids\.0/);
  assert.throws(put({ finish: "end" }), /Cannot store turn\.finish/);
  assert.throws(put({ extra: 1 }), /Cannot store turn\.extra/);
  assert.throws(put({ text: "x".repeat(2 ** 24 + 1) }), /turn\.text: length is 16777217/);
  assert.equal(store.count("turn"), 0);
});

Deno.test("Store refuses in JSON what JSON.stringify would change", () => {
  using store = Store.memory({ run, manifest });
  for (const wrong of [NaN, Infinity, new Date(0), new Uint8Array(2), 1n, () => 0, [undefined]]) {
    assert.throws(
      () =>
        store.transaction(() =>
          store.replace("cursor", { id: "c", rollout: 0, value: { deep: { wrong } } })
        ),
      /Cannot store cursor\.value\.deep\.wrong/,
    );
  }
});

Deno.test("Store.insert() refuses a second row with the same id, and undoes the unit", () => {
  using store = filled();
  const { head } = store;
  assert.throws(
    () =>
      store.transaction(() => {
        store.insert("play", recordOf("play", "new"));
        store.insert("play", recordOf("play", "p0a"));
      }),
    /RangeError: Cannot insert play p0a: it is stored already/,
  );
  assert.equal(store.has("play", "new"), false);
  assert.equal(store.has("play", "p0a"), true);
  assert.deepEqual(store.head, head);
});

Deno.test("Store.replace() and remove() are for the tables that allow them", () => {
  using store = filled();
  const writes = [
    () => store.replace("play" as "memory", recordOf("play", "p") as never),
    () => store.remove("cursor" as "memory", "corpus"),
    () => store.remove("memory", "never"),
  ];
  for (const write of writes) assert.throws(() => store.transaction(write), /Cannot re/);
  assert.deepEqual(store.get("cursor", "corpus")?.value, { at: 2 });
  assert.deepEqual(store.all("memory").map((record) => record.id), ["m", "m1", "m2"]);
});

Deno.test("Store writes only inside one synchronous transaction", () => {
  using store = filled();
  assert.throws(() => store.insert("play", recordOf("play", "x")), /no transaction is open/);
  assert.throws(() => store.remove("memory", "m"), /no transaction is open/);
  assert.throws(() => store.transaction(() => store.transaction(() => 0)), /one is open/);
  assert.throws(() => store.transaction(() => Promise.resolve()), /must be synchronous/);
  assert.equal(store.transaction(() => 7), 7);
});

Deno.test("Store.transaction() undoes everything when the work throws", () => {
  using store = filled();
  const before = store.head;
  const boom = new Error("boom");
  assert.throws(() =>
    store.transaction(() => {
      store.insert("play", recordOf("play", "x"));
      store.remove("memory", "m");
      throw boom;
    }), boom);
  assert.equal(store.has("play", "x"), false);
  assert.equal(store.has("memory", "m"), true);
  assert.deepEqual(store.head, before);
  store.transaction(() => store.insert("play", recordOf("play", "x")));
  assert.equal(store.head.sequence, before.sequence + 1);
});

Deno.test("Store.transaction() that writes nothing leaves no trace", () => {
  using store = filled();
  const before = store.head;
  store.transaction(() => store.all("play"));
  assert.deepEqual(store.head, before);
});

Deno.test("Store.all() filters by equal columns and sorts", () => {
  using store = Store.memory({ run, manifest });
  const plays = Array.from({ length: 9 }, (_, i) => ({
    ...recordOf("play", `p${i}`, i % 3),
    arm: i % 2 ? "hinted" as const : "plain" as const,
    success: i < 5,
    index: 9 - i,
  }));
  store.transaction(() => store.insert("play", plays));
  const ids = (list: { id: string }[]) => list.map((record) => record.id).join(" ");
  assert.equal(ids(store.all("play", { where: { rollout: 1 } })), "p1 p4 p7");
  assert.equal(ids(store.all("play", { where: { arm: "hinted", success: true } })), "p1 p3");
  assert.equal(ids(store.all("play", { where: { rollout: 0 }, orderBy: "index" })), "p6 p3 p0");
  const order = ["rollout", "index"] as const;
  assert.equal(ids(store.all("play", { orderBy: order })), "p6 p3 p0 p7 p4 p1 p8 p5 p2");
  assert.equal(ids([...store.iterate("play", { where: { success: false } })]), "p5 p6 p7 p8");
  assert.equal(store.count("play", { success: true }), 5);
  assert.equal(store.count("reply", { environmentId: null }), 0);
  assert.throws(() => store.all("play", { orderBy: 'id"; --' as "id" }), /no such column/);
  assert.throws(() => store.all("turn", { where: { ids: [1] } }), /must be scalar/);
  assert.throws(() => store.all("play", { where: { rollout: undefined } }), /is undefined/);
});

Deno.test("Store.iterate() walks twice over one table at once, and may be left early", () => {
  using store = filled();
  let pairs = 0;
  for (const _a of store.iterate("play")) for (const _b of store.iterate("play")) pairs += 1;
  assert.equal(pairs, 36);
  for (const _ of store.iterate("play")) break;
  store.transaction(() => store.insert("play", recordOf("play", "later")));
});

Deno.test("Store.memory() keeps the manifest, and refuses a wrong one by its field", () => {
  using store = Store.memory({ run, manifest });
  assert.deepEqual(store.get("run", "run"), { ...run, manifest });
  const wrong = { ...manifest, selection: "" };
  assert.throws(() => Store.memory({ run, manifest: wrong }), /Cannot use manifest: "selection"/);
});
