/** The run folder on disk: creation, lock, reading, amendments, progress. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../lib/core/mod.ts";
import {
  appendAmendment,
  differencesOf,
  readManifest,
  schemaVersion,
  Store,
  verifyChain,
} from "../../lib/store/mod.ts";
import { CorruptRunError } from "../../lib/store/mod.ts";
import { fill, manifest, recordOf, run } from "./fixtures.ts";
import { withFolder } from "./temporary.ts";

Deno.test("Store.create() makes a run that opens again as it was", () =>
  withFolder((dir) => {
    const first = Store.create(dir, { run, manifest });
    fill(first, 0, 3);
    const { head } = first;
    first.close();
    first.close();
    assert.deepEqual(fs.readdirSync(dir).sort(), [
      "lock.sqlite",
      "manifest.json",
      "progress.jsonl",
      "run.sqlite",
    ]);
    using again = Store.open(dir);
    assert.deepEqual(again.head, head);
    assert.equal(again.lost, undefined);
    assert.deepEqual(again.get("play", "p1a"), recordOf("play", "p1a", 1));
    assert.equal(verifyChain(again).difference, undefined);
    fill(again, 3, 4);
    assert.equal(verifyChain(again).sequence, 5);
  }));

Deno.test("Store.create() refuses an existing run", () =>
  withFolder((dir) => {
    Store.create(dir, { run, manifest }).close();
    assert.throws(() => Store.create(dir, { run, manifest }), /StoreError: .*a run exists there/);
  }));

Deno.test("Store.create() goes over the remains of a creation cut short", () =>
  withFolder((dir) => {
    fs.writeFileSync(join(dir, "run.sqlite.new"), "half");
    fs.writeFileSync(join(dir, "manifest.json"), "{}");
    fs.writeFileSync(join(dir, "progress.jsonl"), "{half");
    assert.throws(() => Store.open(dir), CorruptRunError);
    using store = Store.create(dir, { run, manifest });
    assert.equal(verifyChain(store).difference, undefined);
  }));

Deno.test("Store.open() lets one writer in and any number of readers", () =>
  withFolder((dir) => {
    using writer = Store.create(dir, { run, manifest });
    assert.throws(
      () => Store.open(dir),
      (error: Error) =>
        error instanceof StoreError && error.message.includes(`process ${Deno.pid}`),
    );
    using reader = Store.open(dir, { readonly: true });
    using checked = Store.open(dir, { readonly: true, check: true });
    fill(writer, 0, 2);
    assert.equal(reader.count("play"), 4);
    assert.equal(checked.count("play"), 4);
    assert.throws(() => fill(reader, 2, 3), /open for reading/);
    writer.close();
    using next = Store.open(dir);
    assert.equal(next.count("play"), 4);
  }));

Deno.test("Store.open() explains a missing folder, a newer schema and a foreign column", () =>
  withFolder((dir) => {
    assert.throws(() => Store.open(join(dir, "none")), /StoreError: .*there is no such folder/);
    Store.create(dir, { run, manifest }).close();
    const change = (sql: string) => {
      const db = new DatabaseSync(join(dir, "run.sqlite"));
      db.exec(sql);
      db.close();
    };
    change("PRAGMA user_version = 99");
    assert.throws(() => Store.open(dir), /StoreError: .*schema version is 99, must be 1 to \d+/);
    const present = `PRAGMA user_version = ${schemaVersion()}`;
    change(`${present}; ALTER TABLE play ADD COLUMN colour TEXT`);
    assert.throws(() => Store.open(dir), /StoreError: .*"play.colour" is not in this version/);
    change("ALTER TABLE play DROP COLUMN colour; ALTER TABLE turn RENAME COLUMN text TO words");
    assert.throws(() => Store.open(dir), /StoreError: .*"turn.text" is missing, must be TEXT/);
  }));

Deno.test("manifest.json is written once; amendments are appended, a torn one is cut", () =>
  withFolder((dir) => {
    using store = Store.create(dir, { run, manifest });
    const before = fs.readFileSync(join(dir, "manifest.json"), "utf8");
    const now = { ...manifest, engine: { ...manifest.engine, version: "2" } };
    const differences = differencesOf(manifest, now);
    assert.deepEqual(differences, [{ path: "engine.version", before: "1", after: "2" }]);
    const amendment = { at: "2026-11-30", rollout: 4, reason: "resume", differences };
    appendAmendment(dir, amendment);
    fs.appendFileSync(join(dir, "amendments.jsonl"), '{"at":"20');
    assert.equal(readManifest(dir).amendments.length, 1);
    appendAmendment(dir, { ...amendment, rollout: 6 });
    assert.deepEqual(readManifest(dir).amendments.map((one) => one.rollout), [4, 6]);
    assert.equal(fs.readFileSync(join(dir, "manifest.json"), "utf8"), before);
    assert.deepEqual(readManifest(dir).manifest, store.get("run", "run")!.manifest);
  }));

Deno.test("verifyChain() compares manifest.json and progress.jsonl with the database", () =>
  withFolder((dir) => {
    using store = Store.create(dir, { run, manifest });
    fill(store, 0, 2);
    const path = join(dir, "manifest.json");
    const text = fs.readFileSync(path, "utf8");
    fs.writeFileSync(path, text.replace("the last one", "the best one"));
    assert.match(verifyChain(store).difference!.what, /manifest.json: selection differs/);
    fs.writeFileSync(path, text);
    const progress = join(dir, "progress.jsonl");
    const lines = fs.readFileSync(progress, "utf8");
    fs.writeFileSync(progress, lines.replace(/"hash":"./, '"hash":"-'));
    assert.equal(verifyChain(store).difference!.what, "progress.jsonl has another hash");
  }));

Deno.test("Store.open() mends a progress.jsonl cut at any byte (incidents 6.8)", () =>
  withFolder((dir) => {
    Store.create(dir, { run, manifest }).close();
    {
      using store = Store.open(dir);
      fill(store, 0, 2);
    }
    const path = join(dir, "progress.jsonl");
    const whole = fs.readFileSync(path);
    for (let length = 0; length < whole.length; length += 7) {
      fs.writeFileSync(path, whole.subarray(0, length));
      using store = Store.open(dir);
      assert.equal(store.lost, undefined);
      assert.deepEqual(fs.readFileSync(path), whole);
    }
  }));

Deno.test("Store.open() lists transactions that the database has lost", () =>
  withFolder((dir) => {
    const older = join(dir, "older.sqlite");
    {
      using store = Store.create(dir, { run, manifest });
      fill(store, 0, 1);
    }
    fs.copyFileSync(join(dir, "run.sqlite"), older);
    {
      using store = Store.open(dir);
      fill(store, 1, 3);
    }
    fs.renameSync(older, join(dir, "run.sqlite"));
    {
      using store = Store.open(dir);
      assert.deepEqual(store.lost?.transactions, 2);
      assert.deepEqual(store.lost?.rollouts, [1, 2]);
      assert.equal(store.lost?.rows.play, 4);
      assert.ok(fs.existsSync(join(dir, "aside", "1", "progress.jsonl")));
      fill(store, 1, 2);
      assert.equal(verifyChain(store).difference, undefined);
    }
    using again = Store.open(dir);
    assert.equal(again.lost, undefined);
  }));
