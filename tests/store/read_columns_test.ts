/** Columns are what the records say, whatever way SQLite takes to them. */
import assert from "node:assert/strict";
import type { RecordOf } from "../../lib/core/mod.ts";
import { readColumns, readTogether, Store, tables } from "../../lib/store/mod.ts";
import { filled, recordOf, tableNames } from "./fixtures.ts";

const plain = (value: unknown) =>
  value instanceof Int32Array || value instanceof Float64Array ? Array.from(value) : value;

Deno.test("readColumns() gives every column of every table as the records have it", () => {
  using store = Store.memory();
  for (const table of tableNames) {
    const records = Array.from({ length: 40 }, (_, i) => recordOf(table, `id${i * 7 % 40}`, i));
    store.transaction(() => store.insert(table, records as never));
    const names = tables[table].columns.map(({ name }) => name);
    for (const { name, values } of readColumns(store, table, names)) {
      const expected = store.all(table, { orderBy: "rollout" })
        .map((record) => (record as Record<string, unknown>)[name]);
      assert.deepEqual(Array.from(values, plain), expected, `${table}.${name}`);
    }
  }
});

Deno.test("readColumns() packs numbers, and keeps null where one is missing", () => {
  using store = Store.memory();
  const update = (i: number, gradNorm: number | null): RecordOf<"update"> => ({
    ...recordOf("update", `u${i}`, i),
    weightsVersion: 2 ** 40 + i,
    gradNorm,
  });
  store.transaction(() => store.insert("update", [update(0, 1), update(1, 0.5)]));
  const names = ["rollout", "weightsVersion", "gradNorm"];
  const read = () => readColumns(store, "update", names).map(({ values }) => values);
  assert.deepEqual(read(), [
    Int32Array.of(0, 1),
    Float64Array.of(2 ** 40, 2 ** 40 + 1),
    Float64Array.of(1, 0.5),
  ]);
  store.transaction(() => store.insert("update", update(2, null)));
  assert.deepEqual(read()[2], [1, 0.5, null]);
});

Deno.test("readColumns() keeps the order of writing whichever index SQLite reads by", () => {
  using store = Store.memory();
  const ids = ["c", "a", "d", "b"];
  store.transaction(() => {
    for (const [i, id] of ids.entries()) store.insert("turn", recordOf("turn", id, 9 - i));
  });
  const ask = (names: string[], where = {}) =>
    readColumns(store, "turn", names, where).map(({ values }) => Array.from(values));
  assert.deepEqual(ask(["id"]), [ids]);
  assert.deepEqual(ask(["rollout"]), [[9, 8, 7, 6]]);
  assert.deepEqual(ask(["id"], { rollout: [6, 9, 8] }), [["c", "a", "b"]]);
});

Deno.test("where takes a value, null, and lists of thousands of values", () => {
  using store = filled(3);
  const ids = (where: object) => store.all("play", { where }).map(({ id }) => id);
  assert.deepEqual(ids({ rollout: 1 }), ["p1a", "p1b"]);
  assert.deepEqual(ids({ rollout: [0, 2], id: ["p0b", "p1a", "p2a"] }), ["p0b", "p2a"]);
  assert.deepEqual(ids({ id: Array.from({ length: 50_000 }, (_, i) => `p${i}a`) }), [
    "p0a",
    "p1a",
    "p2a",
  ]);
  assert.deepEqual(ids({ rollout: [] }), []);
  const hints = ["h\0 \ud800", null, "other"];
  store.transaction(() => {
    for (const [i, text] of hints.entries()) {
      store.insert("hint", { ...recordOf("hint", `h${i}`), text });
    }
  });
  const texts = (text: string | null | (string | null)[]) =>
    store.all("hint", { where: { text } }).map(({ id }) => id);
  assert.deepEqual(texts(null), ["h1"]);
  assert.deepEqual(texts([hints[0], null]), ["h0", "h1"]);
  assert.deepEqual(texts(["other", "none"]), ["h2"]);
  assert.throws(
    () => store.all("memory", { where: { winRate: [0.5] } }),
    /Cannot read memory by a list of "winRate": real numbers/,
  );
  assert.throws(() => readColumns(store, "play", ["id"], { outcome: [] as never }), /it is json/);
  assert.throws(() => readColumns(store, "play", ["nope"]), /"play.nope": no such column/);
});

Deno.test("readColumns() works beside an open walk and leaves the store usable after an error", () => {
  using store = filled(2);
  const walk = store.iterate("turn");
  walk.next();
  assert.equal(readColumns(store, "turn", ["id"])[0].values.length, 4);
  assert.throws(() => readColumns(store, "turn", ["id", "nope"]), TypeError);
  assert.equal(readColumns(store, "turn", ["id"])[0].values.length, 4);
  walk.return(undefined);
  const sizes = readTogether(
    store,
    () =>
      (["play", "turn"] as const).map((table) =>
        readColumns(store, table, ["id"])[0].values.length
      ),
  );
  assert.deepEqual(sizes, [4, 4]);
  store.transaction(() => store.insert("event", recordOf("event", "after")));
});
