import assert from "node:assert/strict";
import {
  advantageTails,
  constantWins,
  earlyWins,
  readLongTables,
  readRows,
  tokenLengths,
} from "../../../lib/analysis/mod.ts";
import type { RecordOf, TableName } from "../../../lib/core/mod.ts";
import { countLengths, Store } from "../../../lib/store/mod.ts";
import { ordinary } from "../../show/figures/data.ts";

const { play, turn, reply, batch } = ordinary().tables;
/** What is stored, with lists of several lengths. */
const rows = {
  play,
  batch,
  turn: turn.map((row, i) => ({ ...row, ids: Array.from({ length: 1 + i % 7 }, () => 5) })),
  reply: reply.map((row, i) => ({ ...row, ids: Array.from({ length: 20 + i % 3 }, () => 5) })),
};

function stored(): Store {
  const store = Store.memory();
  store.transaction(() => {
    for (const [name, of] of Object.entries(rows)) {
      store.insert(name as TableName, of as unknown as RecordOf<TableName>[]);
    }
  });
  return store;
}

Deno.test("readLongTables() says what the whole records say", () => {
  using store = stored();
  assert.deepEqual(readLongTables(store), {
    tokens: tokenLengths([...rows.turn, ...rows.reply]),
    advantages: advantageTails(batch),
    findings: [...earlyWins(play), ...constantWins(play, rows.turn)],
  });
});

Deno.test("readRows() gives the named fields in the order of writing", () => {
  using store = stored();
  const found = readRows(store, "play", ["id", "outcome", "success"]);
  assert.deepEqual(found, play.map(({ id, outcome, success }) => ({ id, outcome, success })));
});

Deno.test("countLengths() counts lists without unpacking them, and takes no other column", () => {
  using store = stored();
  const counts = countLengths(store, "turn", "ids", ["rollout", "finish"]);
  assert.equal(counts.reduce((sum, { rows }) => sum + rows, 0), turn.length);
  assert.deepEqual(new Set(counts.map(({ length }) => length)), new Set([1, 2, 3, 4, 5, 6, 7]));
  assert.deepEqual(counts[0].by, { rollout: 0, finish: "stop" });
  assert.equal(countLengths(store, "turn", "logps", [])[0].length, turn[0].logps.length);
  assert.throws(() => countLengths(store, "turn", "text", []), /it is text, must be a list/);
  assert.throws(() => countLengths(store, "turn", "nothing", []), /no such column/);
});
