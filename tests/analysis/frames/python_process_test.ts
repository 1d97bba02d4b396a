/** Exported tables as pandas and DuckDB read them; `deno task setup tables` makes the Python that has both. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { type RecordOf, sumOf } from "../../../lib/core/mod.ts";
import { exportRun, tableFormats } from "../../../lib/analysis/mod.ts";
import { Store } from "../../../lib/store/mod.ts";
import { recordOf } from "../../store/fixtures.ts";
import { withFolder } from "../../store/temporary.ts";

const python = ".spade/tables/bin/python";
const ignore = !fs.existsSync(python);
if (ignore) console.log(`skipped: ${python} is not there, deno task setup tables makes it`);

const plays = Array.from({ length: 40 }, (_, i): RecordOf<"play"> => ({
  ...recordOf("play", `é 漢 "${i}", 😀`, i),
  seed: i === 3 ? Number.MAX_SAFE_INTEGER : i,
  outcome: i % 4 === 3
    ? { kind: "failed", blame: "host", reason: "crash, twice" }
    : { kind: "scored", value: i / 7 },
  success: i % 3 === 0,
}));
const turns = Array.from({ length: 9 }, (_, i) => recordOf("turn", `t${i}`, i));

Deno.test(
  { name: "pandas and DuckDB read every form of the tables alike", ignore },
  () =>
    withFolder((dir) => {
      using store = Store.memory();
      store.transaction(() => {
        store.insert("play", plays);
        store.insert("turn", turns);
      });
      for (const format of tableFormats) exportRun(store, dir, { format, tokens: true });
      const { success, stdout, stderr } = new Deno.Command(python, {
        args: ["scripts/tables/read.py", dir],
      }).outputSync();
      assert.ok(success, new TextDecoder().decode(stderr));
      const { found, types, logps } = JSON.parse(new TextDecoder().decode(stdout));
      const values = plays.flatMap(({ outcome }) =>
        outcome.kind === "scored" ? [outcome.value] : []
      );
      assert.equal(Object.keys(found).length, 8);
      for (const [reader, { mean, ...rest }] of Object.entries<Record<string, unknown>>(found)) {
        assert.deepEqual(rest, {
          rows: 40,
          ids: plays.map(({ id }) => id),
          seed: plays.map(({ seed }) => seed),
          missing: 10,
          successes: 14,
        }, reader);
        assert.ok(Math.abs(Number(mean) - sumOf(values) / values.length) < 1e-12, reader);
      }
      const expected = {
        id: ["VARCHAR", "string"],
        rollout: ["BIGINT", "int64"],
        value: ["DOUBLE", "double"],
        blame: ["VARCHAR", "string"],
        success: ["BOOLEAN", "bool"],
      };
      for (const [name, [parquet, arrow]] of Object.entries(expected)) {
        assert.deepEqual([types.parquet[name], types.arrow[name]], [parquet, arrow], name);
      }
      const sums = turns.map((turn) => turn.logps.length === 0 ? null : sumOf(turn.logps));
      for (const [at, sum] of sums.entries()) {
        const difference = sum === null ? logps[at] ?? 0 : logps[at] / sum - 1;
        assert.ok(Math.abs(difference) < 1e-9, `${logps[at]} is not ${sum}`);
      }
    }),
);
