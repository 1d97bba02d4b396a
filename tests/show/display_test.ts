/** What shows itself, without a kernel: the symbol is called as the kernel calls it. */
import assert from "node:assert/strict";
import { ColumnTable } from "arquero";
import {
  display,
  type Displayable,
  jupyterDisplay,
  Run,
  RunTable,
  tableOf,
  tableRows,
} from "../../lib/show/mod.ts";
import { type Manifest, Store } from "../../lib/store/mod.ts";
import { manifest, recordOf, run } from "../store/fixtures.ts";

const bundle = (of: Displayable) => of[jupyterDisplay]();

Deno.test("display() gives text always, html and png where there are any", () => {
  assert.equal(jupyterDisplay, Symbol.for("Jupyter.display"));
  assert.deepEqual(bundle(display({ text: "one" })), { "text/plain": "one" });
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
  assert.deepEqual(bundle(display({ text: "one", html: "<b>one</b>", png })), {
    "image/png": "iVBORw==",
    "text/html": "<b>one</b>",
    "text/plain": "one",
  });
});

Deno.test("display() lets an object show itself and leaves its data as they are", () => {
  const value = { a: 1 };
  const shown = display(({ a }) => ({ text: `a is ${a}` }), value);
  assert.equal(shown, value);
  assert.deepEqual(JSON.stringify(shown), '{"a":1}');
  assert.deepEqual({ ...shown }, { a: 1 });
  assert.equal(Deno.inspect([shown]), "[ a is 1 ]");
});

const hostile = '<img src=x onerror=alert(1)> & "q" \x1b[2J\u202e';

Deno.test("RunTable escapes names and cells in HTML and text", () => {
  const table = new RunTable({ [hostile]: [hostile], list: [{ a: hostile }] } as never);
  const { "text/html": html, "text/plain": text } = bundle(table);
  assert.ok(!html.includes("<img"), html);
  assert.ok(html.includes("&lt;img src=x onerror=alert(1)&gt; &amp; &quot;q&quot;"));
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(html, /\x1b/);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(text, /[\x1b\u202e]/);
  const wide = tableRows(new RunTable({ a: [1], [hostile]: [1] } as never), { width: 20 });
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(wide.text, /[\x1b\u202e]/);
});

Deno.test("RunTable shows first rows, counts, and ⚠ what is missing or filtered out", () => {
  const n = 2500;
  const table = new RunTable({
    id: Array.from({ length: n }, (_, i) => `p${i}`),
    value: Array.from({ length: n }, (_, i) => i % 5 === 0 ? null : i / 7),
    blame: Array.from({ length: n }, () => null),
  } as never);
  assert.equal(
    Deno.inspect(table.filter("op.row_number() <= 4")),
    [
      "id    value  blame",
      "──────────────────",
      "p0        –  –",
      "p1  0.14286  –",
      "p2  0.28571  –",
      "p3  0.42857  –",
      "4 rows × 3 columns",
      "⚠ 2,496 of 2,500 rows filtered out",
      "⚠ missing: value in 1 of 4 rows",
    ].join("\n"),
  );
  const { "text/plain": text, "text/html": html } = bundle(table);
  for (const shown of [text, html]) {
    assert.match(shown, /2,500 rows × 3 columns, the first 10 shown/);
    assert.match(shown, /⚠ missing: value in 500 of 2,500 rows/);
  }
  assert.equal(html.match(/<tr>/g)!.length, 11);
  // A text that is not there (no blame) lacks nothing.
  assert.doesNotMatch(text, /blame in/);
});

Deno.test("RunTable stays one through the verbs of arquero", () => {
  const table = new RunTable({ k: ["a", "b", "a"], v: Float64Array.of(1, 2, 3) } as never);
  const other = new ColumnTable({ k: ["a"], w: [9] } as never);
  const made = [
    table.filter("d.v > 1"),
    table.groupby("k").rollup({ n: "op.count()" } as never),
    table.derive({ w: "d.v * 2" } as never).orderby("w").select("w"),
    table.join(other),
    table.reify(),
  ];
  for (const one of made) assert.match(bundle(one as RunTable)["text/plain"], /× \d column/);
});

Deno.test("RunTable says which columns the line has no room for, and shortens hashes", () => {
  const columns = Object.fromEntries(
    Array.from({ length: 9 }, (_, i) => [`column${i}`, ["x".repeat(30)]]),
  );
  const { text } = tableRows(new RunTable({ id: ["ab".repeat(32)], ...columns } as never), {
    width: 80,
  });
  assert.match(text, /^id {11}column0/);
  assert.match(text, /^ababababab… {2}x{23}…/m);
  assert.match(text, /^not shown: column2, column3, .*column8$/m);
  assert.ok(text.split("\n").slice(0, 3).every((line) => [...line].length <= 80), text);
  assert.equal(tableRows(new RunTable({})).text, "0 rows × 0 columns");
});

Deno.test("Run shows what it is, reads its tables and says when it is closed", () => {
  const store = Store.memory({
    run: { ...run, preset: hostile, config: { rollouts: 8 } },
    manifest: manifest as Manifest,
  });
  store.transaction(() => {
    store.insert("play", [
      { ...recordOf("play", "a"), arm: "plain", outcome: { kind: "scored", value: 0.5 } },
      { ...recordOf("play", "b"), arm: "plain", outcome: { kind: "skipped", reason: "x" } },
    ]);
    store.replace("cursor", { id: "state", rollout: 1, value: { rollout: 1, finished: false } });
  });
  const opened = new Run("runs/first", store);
  const { "text/plain": text, "text/html": html } = bundle(opened);
  assert.match(
    text,
    /^run {7}first\npreset {4}<img.*\nseed {6}0\nrollouts {2}1 of 8\nstate {5}not/,
  );
  assert.match(text, /win rate {2}0\.50, n = 1 ⚠ 1 without a score$/);
  assert.ok(!html.includes("<img") && html.includes("⚠ 1 without a score"));
  assert.deepEqual(opened.plays({ columns: ["value"] }).objects(), [{ value: 0.5 }, {
    value: null,
  }]);
  const named = {
    environment: opened.environments(),
    turn: opened.turns(),
    regret: opened.regrets(),
    gate: opened.gates(),
    update: opened.updates(),
    ledger: opened.ledger(),
    reply: opened.replies(),
    sample: opened.samples(),
    memory: opened.memory(),
    evaluation: opened.evaluations(),
    hint: opened.hints(),
    document: opened.documents(),
    event: opened.events(),
  };
  for (const [name, table] of Object.entries(named)) {
    assert.ok(table instanceof RunTable);
    assert.deepEqual(table.columnNames(), opened.table(name as "turn").columnNames());
  }
  const plays = opened.plays();
  opened.close();
  opened.close();
  assert.equal(plays.numRows(), 2);
  assert.equal(Deno.inspect(opened), "run first, closed");
  assert.throws(() => opened.plays(), /StoreError: Cannot read run runs\/first: it is closed/);
});

Deno.test("tableOf() makes a table of plain rows that shows 50 of them, missing fields as null", () => {
  const rows = Array.from({ length: 60 }, (_, at) => at === 1 ? { at } : { at, half: at / 2 });
  const table = tableOf(rows);
  assert.deepEqual(table.columnNames(), ["at", "half"]);
  assert.equal(table.get("half", 1), null);
  const { "text/plain": text } = bundle(table);
  assert.match(text, /49 +24.5/);
  assert.doesNotMatch(text, /50 +25/);
  assert.match(text, /60 rows × 2 columns, the first 50 shown\n⚠ missing: half in 1 of 60 rows$/);
  assert.equal(bundle(tableOf([]))["text/plain"], "0 rows × 0 columns");
});

Deno.test("Run.records() gives the named tables as records, the others empty", () => {
  const store = Store.memory();
  const regret = recordOf("regret", "r");
  store.transaction(() => store.insert("regret", [regret]));
  using open = new Run("runs/a", store);
  const tables = open.records("regret", "play");
  assert.deepEqual([tables.regret, tables.play, tables.turn], [[regret], [], []]);
});
