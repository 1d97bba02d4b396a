import assert from "node:assert/strict";
import { frameColumns, kindOf, readTable, summariseRun } from "../../../lib/analysis/mod.ts";
import { type Outcome, type RecordOf, UsageError } from "../../../lib/core/mod.ts";
import { Store, type Table, tables } from "../../../lib/store/mod.ts";
import { manifest, recordOf, run, tableNames } from "../../store/fixtures.ts";

const outcomes: Outcome[] = [
  { kind: "scored", value: 0 },
  { kind: "failed", blame: "agent", reason: "deadline", detail: "after 3 s" },
  { kind: "failed", blame: "host", reason: "crash" },
  { kind: "skipped", reason: "no hint" },
  { kind: "scored", value: 0.1 + 0.2 },
];

function played(): Store {
  const store = Store.memory({ run, manifest });
  store.transaction(() =>
    store.insert(
      "play",
      outcomes.map((outcome, index): RecordOf<"play"> => ({
        ...recordOf("play", `p${index}`, index >> 1),
        arm: "plain",
        outcome,
      })),
    )
  );
  return store;
}

Deno.test("readTable() gives every field of every record, outcomes spread, missing as null", () => {
  using store = Store.memory();
  for (const table of tableNames) {
    const ids = ["b", "c", "a"];
    store.transaction(() => {
      for (const id of ids) store.insert(table, recordOf(table, id) as never);
    });
    const columns = frameColumns(table).map(({ name }) => name);
    const rows = readTable(store, table, { columns: columns as never }).objects();
    for (const [at, id] of ids.entries()) {
      const { outcome, ...rest } = recordOf(table, id) as { outcome?: Outcome };
      const expected: Record<string, unknown> = { ...rest };
      if (outcome) {
        const { kind, ...parts } = outcome;
        Object.assign(expected, { value: null, blame: null, reason: null, detail: null }, parts);
        expected.outcome = kind;
      }
      const found = Object.entries(rows[at]).map(([name, value]) => [
        name,
        ArrayBuffer.isView(value) ? Array.from(value as Int32Array) : value,
      ]);
      assert.deepEqual(Object.fromEntries(found), expected, `${table} ${id}`);
    }
  }
});

Deno.test("readTable() spreads outcomes: a missing value is null, never 0", () => {
  using store = played();
  const table = readTable(store, "play", {
    columns: ["outcome", "value", "blame", "reason", "detail"],
  });
  assert.deepEqual(table.objects(), [
    { outcome: "scored", value: 0, blame: null, reason: null, detail: null },
    {
      outcome: "failed",
      value: null,
      blame: "agent",
      reason: "deadline",
      detail: "after 3 s",
    },
    { outcome: "failed", value: null, blame: "host", reason: "crash", detail: null },
    { outcome: "skipped", value: null, blame: null, reason: "no hint", detail: null },
    { outcome: "scored", value: 0.1 + 0.2, blame: null, reason: null, detail: null },
  ]);
  const mean = table.rollup({ mean: "op.mean(d.value)", n: "op.valid(d.value)" } as never);
  assert.deepEqual(mean.objects(), [{ mean: (0.1 + 0.2) / 2, n: 2 }]);
});

Deno.test("readTable() reads what is asked for: columns in order and once, rows by value", () => {
  using store = played();
  const table = readTable(store, "play", {
    columns: ["rollout", "id", "rollout"],
    where: { rollout: [0, 2] },
  });
  assert.deepEqual(table.columnNames(), ["rollout", "id"]);
  assert.deepEqual(table.objects().map((row) => (row as { id: string }).id), ["p0", "p1", "p4"]);
  assert.ok(table.column("rollout") as unknown instanceof Int32Array);
  const names = readTable(store, "turn").columnNames();
  const tokens = ["prompt", "ids", "logps"];
  assert.deepEqual(
    names,
    (tables.turn as Table).columns.map(({ name }) => name).filter((name) => !tokens.includes(name)),
  );
});

Deno.test("readTable() keeps what a column is, also where it is empty or all is missing", () => {
  using store = Store.memory();
  const kinds = (of: ReturnType<typeof readTable>) =>
    Object.fromEntries(of.columnNames().map((name) => [name, kindOf(of.column(name) as never)]));
  const expected = Object.fromEntries(
    frameColumns("play").map(({ name, kind }) => [name, kind]),
  );
  assert.deepEqual(kinds(readTable(store, "play")), expected);
  store.transaction(() => store.insert("play", { ...recordOf("play", "a"), outcome: outcomes[3] }));
  assert.deepEqual(kinds(readTable(store, "play")), expected);
  assert.deepEqual(
    kinds(readTable(store, "play").filter("true").orderby("seed").select("value", "seed")),
    {
      value: "real",
      seed: "integer",
    },
  );
});

Deno.test("readTable() names a wrong column, and columns that cannot be asked by", () => {
  using store = played();
  const wrong = (columns: string[]) => () =>
    readTable(store, "play", { columns: columns as never });
  assert.throws(wrong(["colour"]), UsageError);
  assert.throws(wrong(["colour"]), /no column "colour", must be one of id, rollout, .*attempts/);
  assert.throws(wrong([]), /no column is asked for/);
  const ask = (where: object) => () => readTable(store, "play", { where });
  assert.throws(ask({ outcome: outcomes[0] }), /"outcome": it is json, must be scalar/);
  assert.throws(ask({ colour: 1 }), /no such column/);
});

Deno.test("summariseRun() counts the plain plays of the last rollout done", () => {
  using store = played();
  const summary = { preset: "nano", seed: 0, planned: null, finished: false };
  assert.deepEqual(summariseRun(store), {
    ...summary,
    rollouts: 0,
    winRate: null,
    scored: 0,
    unscored: 0,
  });
  const at = (rollout: number, finished = false) =>
    store.transaction(() =>
      store.replace("cursor", { id: "state", rollout, value: { rollout, finished } })
    );
  at(2);
  // Rollout 1 holds a host failure and a skipped play: nothing is scored, and nothing is zero.
  assert.deepEqual(summariseRun(store), {
    ...summary,
    rollouts: 2,
    winRate: null,
    scored: 0,
    unscored: 2,
  });
  at(1, true);
  assert.deepEqual(summariseRun(store), {
    ...summary,
    rollouts: 1,
    finished: true,
    winRate: 0,
    scored: 1,
    unscored: 1,
  });
});

Deno.test("kindOf() infers what a derived column is", () => {
  assert.equal(kindOf([1, null, 2]), "integer");
  assert.equal(kindOf([1, 0.5]), "real");
  assert.equal(kindOf([NaN, 1]), "real");
  assert.equal(kindOf([2n ** 60n, 1]), "integer");
  assert.equal(kindOf([undefined, true]), "boolean");
  assert.equal(kindOf(["a", null]), "text");
  assert.equal(kindOf([null]), "text");
  assert.equal(kindOf(["a", 1]), "json");
  assert.equal(kindOf([[1], null]), "json");
  assert.equal(kindOf([Int32Array.of(1)]), "ids");
  assert.equal(kindOf(new Float64Array(0)), "real");
  assert.equal(kindOf(new Uint8Array(2)), "integer");
});
