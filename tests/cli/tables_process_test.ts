/** `deno task tables` under the permissions of its task. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { Store } from "../../lib/store/mod.ts";
import { fill, manifest, run as record } from "../store/fixtures.ts";
import { run, workFolder } from "./command.ts";

function runIn(folder: string): string {
  using store = Store.create(`${folder}/run`, { run: record, manifest });
  fill(store, 0, 12);
  return `${folder}/run`;
}

Deno.test("tables lists a run's tables, and shows one", async () => {
  using work = workFolder("tables");
  const dir = runIn(work.path);
  const list = await run("tables", [dir]);
  assert.equal(list.code, 0, list.error);
  assert.match(list.out, /^table +rows +columns/);
  assert.match(list.out, /^turn +24 +id, rollout, playId, index, \(prompt\), \(ids\), \(logps\)/m);
  assert.match(list.out, /^regret +0 +id, rollout, environmentId, outcome, value, blame/m);
  // The writer is here, the reader another process with the task's permissions.
  using writer = Store.open(dir);
  fill(writer, 12, 13);
  const more = await run("tables", [dir]);
  assert.match(more.out, /^turn +26 /m, more.error);
  writer.close();
  const one = await run("tables", [dir, "--table", "play"]);
  assert.equal(one.code, 0, one.error);
  assert.match(one.out, /^value +real or null$/m);
  assert.match(one.out, /^26 rows × 19 columns, the first 10 shown$/m);
});

Deno.test("tables writes every table, or one, below runs/ and nowhere else", async () => {
  using work = workFolder("tables");
  const dir = runIn(work.path);
  const all = await run("tables", [dir, "--out", `${work.path}/all`]);
  assert.equal(all.code, 0, all.error);
  assert.match(all.out, /all\/turn\.parquet +24 /);
  assert.equal(fs.readdirSync(`${work.path}/all`).length, 19);
  const csv = ["--table", "turn", "--format", "csv", "--tokens"];
  const one = await run("tables", [dir, "--out", `${work.path}/one`, ...csv]);
  assert.equal(one.code, 0, one.error);
  assert.deepEqual(fs.readdirSync(`${work.path}/one`), ["turn.csv"]);
  const text = fs.readFileSync(`${work.path}/one/turn.csv`, "utf8");
  assert.match(text, /^id,rollout,playId,index,prompt,ids,logps,finish/);
  for (const out of ["/tmp/tables", "runs/../lib", "lib"]) {
    const refused = await run("tables", [dir, "--out", out]);
    assert.equal(refused.code, 1);
    assert.match(refused.error, /^error: Cannot write to .* writes below .*runs only\n$/);
  }
});

Deno.test("tables explains wrong arguments", async () => {
  using work = workFolder("tables");
  const dir = runIn(work.path);
  fs.writeFileSync(`${work.path}/file`, "");
  const cases: [string[], RegExp][] = [
    [[], /Cannot tables: RUN is missing/],
    [["none"], /Cannot find run none/],
    [[dir, "--table", "plays"], /Cannot show table "plays": a run has run, .*play,/],
    [[dir, "--format", "csv"], /--out is missing/],
    [[dir, "--tokens"], /--out is missing/],
    [[dir, "--out", work.path, "--format", "xlsx"], /Cannot use --format xlsx: must be one of/],
    [[dir, "--out", `${work.path}/file`], /it is a file, must be a folder/],
    [[dir, "--colour"], /Unknown option '--colour'/],
  ];
  for (const [args, says] of cases) {
    const { code, out, error } = await run("tables", args);
    assert.deepEqual([code, out], [1, ""], args.join(" "));
    assert.match(error, says);
    assert.doesNotMatch(error, /\n +at /);
  }
  const help = await run("tables", ["--help"]);
  assert.match(help.out, /--format FORMAT {3}parquet, csv, jsonl, arrow/);
});

Deno.test("tables needs each permission it asks for", async () => {
  using work = workFolder("tables");
  const dir = runIn(work.path);
  const read = await run("tables", [dir], { without: "--allow-read" });
  assert.match(read.error, /Requires read access/);
  const write = await run("tables", [dir, "--out", `${work.path}/out`], {
    without: "--allow-write",
  });
  assert.match(write.error, /Requires write access/);
  assert.equal((await run("tables", [dir], { without: "--allow-write" })).code, 0);
});
