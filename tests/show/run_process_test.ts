/** Runs on disk: open while another process writes, damaged, foreign, listed, exported. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../lib/core/mod.ts";
import { jupyterDisplay, listRuns, openRun } from "../../lib/show/mod.ts";
import { CorruptRunError, Store } from "../../lib/store/mod.ts";
import { fill, manifest, run } from "../store/fixtures.ts";
import { withFolder } from "../store/temporary.ts";

function made(dir: string, rollouts: number, finished = false): void {
  using store = Store.create(dir, {
    run: { ...run, config: { rollouts: 4 } },
    manifest,
  });
  fill(store, 0, rollouts);
  store.transaction(() =>
    store.replace("cursor", {
      id: "state",
      rollout: rollouts,
      value: { rollout: rollouts, finished },
    })
  );
}

/** A process that adds a transaction each time it gets a line, and says so. */
const writer = `
  import { fill } from "${import.meta.resolve("../store/fixtures.ts")}";
  import { Store } from "${import.meta.resolve("../../lib/store/mod.ts")}";
  using store = Store.open(Deno.args[0]);
  let next = Number(Deno.args[1]);
  console.log("open");
  for await (const _ of Deno.stdin.readable) {
    fill(store, next, ++next);
    console.log("written");
  }
`;

Deno.test("openRun() reads a run that another process is writing, each call anew", () =>
  withFolder(async (dir) => {
    const folder = join(dir, "run");
    made(folder, 2);
    const script = join(dir, "writer.ts");
    fs.writeFileSync(script, writer);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--config", "deno.json", script, folder, "2"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const says = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const input = child.stdin.getWriter();
    try {
      assert.match((await says.read()).value!, /open/);
      using opened = openRun(folder);
      const before = opened.plays();
      assert.equal(before.numRows(), 4);
      await input.write(new TextEncoder().encode("\n"));
      assert.match((await says.read()).value!, /written/);
      assert.equal(opened.plays().numRows(), 6);
      assert.equal(before.numRows(), 4);
      assert.equal(opened.export(join(dir, "tables"), { tables: ["play"] }).get("rows", 0), 6);
    } finally {
      await input.close();
      await says.cancel();
      await child.status;
    }
    using store = Store.open(folder);
    assert.equal(store.count("play"), 6);
  }));

Deno.test("openRun() changes nothing and leaves a closed run one file", () =>
  withFolder((dir) => {
    made(join(dir, "run"), 3);
    const state = () =>
      fs.readdirSync(join(dir, "run")).sort()
        .map((name) => [name, fs.readFileSync(join(dir, "run", name)).toString("hex")]);
    const before = state();
    {
      using opened = openRun(join(dir, "run"));
      assert.equal(opened.name, "run");
      assert.equal(opened.record.config.rollouts, 4);
      assert.equal(opened.turns({ where: { rollout: 2 } }).numRows(), 2);
      assert.equal(opened.memory().numRows(), 3);
      Deno.inspect(opened);
    }
    assert.deepEqual(state(), before);
  }));

Deno.test("openRun() names a damaged run, a foreign folder and one that is not there", () =>
  withFolder((dir) => {
    const wrong = (name: string, type: typeof StoreError, says: RegExp) =>
      assert.throws(() => openRun(join(dir, name)), (error: Error) => {
        assert.ok(error instanceof type, String(error));
        assert.match(error.message, says);
        return true;
      });
    wrong("none", StoreError, /there is no such folder/);
    fs.mkdirSync(join(dir, "foreign"));
    wrong("foreign", StoreError, /has no run\.sqlite, must be a run's folder/);
    fs.writeFileSync(join(dir, "file"), "");
    wrong("file", StoreError, /it is a file, must be a run's folder/);
    fs.mkdirSync(join(dir, "text"));
    fs.writeFileSync(join(dir, "text", "run.sqlite"), "no database at all ".repeat(99));
    wrong("text", CorruptRunError as never, /run\.sqlite is damaged/);
    fs.mkdirSync(join(dir, "other"));
    const other = new DatabaseSync(join(dir, "other", "run.sqlite"));
    other.exec("CREATE TABLE turn (a)");
    other.close();
    wrong("other", StoreError, /schema version is 0, .*it is no run's database/);
    made(join(dir, "gone"), 2);
    fs.renameSync(join(dir, "gone", "run.sqlite"), join(dir, "gone", "moved"));
    wrong("gone", StoreError, /has no run\.sqlite/);
    made(join(dir, "cut"), 40);
    fs.truncateSync(join(dir, "cut", "run.sqlite"), 9000);
    assert.throws(() => {
      using opened = openRun(join(dir, "cut"));
      opened.plays();
    }, StoreError);
  }));

Deno.test("listRuns() lists runs, the damaged ones too, and nothing else", () =>
  withFolder((dir) => {
    made(join(dir, "b"), 3);
    made(join(dir, "a"), 4, true);
    made(join(dir, "c"), 1);
    fs.writeFileSync(join(dir, "c", "run.sqlite"), "damaged");
    fs.mkdirSync(join(dir, "evaluations"));
    const runs = listRuns(dir);
    assert.deepEqual(runs.array("name"), ["a", "b", "c"]);
    assert.deepEqual(runs.array("finished"), [true, false, null]);
    assert.deepEqual(runs.array("rollouts"), [4, 3, null]);
    assert.deepEqual(runs.array("planned"), [4, 4, null]);
    assert.match(String(runs.get("problem", 2)), /run\.sqlite is damaged/);
    const { "text/plain": text, "text/html": html } = runs[jupyterDisplay]();
    for (const shown of [text, html]) assert.match(shown, /⚠ 1 of 3 could not be opened/);
    assert.equal(Deno.inspect(runs), text);
    using first = openRun(String(runs.get("dir", 0)));
    assert.equal(first.plays().numRows(), 8);
    const none = listRuns(join(dir, "none"));
    assert.equal(none.numRows(), 0);
    assert.match(Deno.inspect(none), /⚠ no run in .*none$/);
  }));
