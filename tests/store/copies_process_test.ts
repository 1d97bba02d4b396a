/** Copies at checkpoints, damage at opening, restoring (incidents 6.4). */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import {
  checkpointCopy,
  compareRuns,
  CorruptRunError,
  listCopies,
  restoreFromCopy,
  Store,
  verifyChain,
} from "../../lib/store/mod.ts";
import { fill, manifest, run } from "./fixtures.ts";
import { withFolder } from "./temporary.ts";

/** A closed run of `units` units with copies named r1, r2, … after the units `at`. */
async function makeRun(dir: string, units: number, at: number[], keep = 2): Promise<void> {
  using store = Store.create(dir, { run, manifest });
  for (let i = 0; i < units; i++) {
    fill(store, i, i + 1);
    if (at.includes(i)) await checkpointCopy(store, `r${i}`, { keep });
  }
}

const names = (dir: string) => listCopies(dir).map((copy) => copy.name);

function corruption(open: () => unknown): CorruptRunError {
  try {
    open();
  } catch (error) {
    assert.ok(error instanceof CorruptRunError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "the run opened" });
}

Deno.test("checkpointCopy() keeps the newest complete copies, each one plain file", () =>
  withFolder(async (dir) => {
    await makeRun(dir, 5, [1, 2, 4]);
    assert.deepEqual(names(dir), ["r2", "r4"]);
    assert.deepEqual(fs.readdirSync(join(dir, "checkpoints", "r4")).sort(), [
      "copy.json",
      "run.sqlite",
    ]);
    const [, last] = listCopies(dir);
    assert.deepEqual([last.sequence, last.rollout], [6, 4]);
  }));

Deno.test("checkpointCopy() is idempotent, and sets another copy of that name aside", () =>
  withFolder(async (dir) => {
    using store = Store.create(dir, { run, manifest });
    fill(store, 0, 1);
    const first = await checkpointCopy(store, "a");
    assert.deepEqual(await checkpointCopy(store, "a"), first);
    fill(store, 1, 2);
    const second = await checkpointCopy(store, "a");
    assert.equal(second.sequence, 3);
    assert.ok(fs.existsSync(join(dir, "aside", "1", "a", "run.sqlite")));
    await assert.rejects(checkpointCopy(store, "../a"), /RangeError/);
    await assert.rejects(checkpointCopy(store, "b", { keep: 0 }), /RangeError/);
  }));

Deno.test("listCopies() never takes a copy cut at any offset (prime-rl PR#1712)", () =>
  withFolder(async (dir) => {
    await makeRun(dir, 3, [1, 2]);
    const path = join(dir, "checkpoints", "r2", "run.sqlite");
    const whole = fs.readFileSync(path);
    assert.deepEqual(names(dir), ["r1", "r2"]);
    for (let length = 0; length < whole.length; length += 1 + (whole.length >> 7)) {
      fs.writeFileSync(path, whole.subarray(0, length));
      assert.deepEqual(names(dir), ["r1"], `cut at ${length}`);
    }
    fs.writeFileSync(path, whole);
    const facts = join(dir, "checkpoints", "r2", "copy.json");
    const text = fs.readFileSync(facts);
    for (let length = 0; length < text.length - 1; length++) {
      fs.writeFileSync(facts, text.subarray(0, length));
      assert.deepEqual(names(dir), ["r1"], `copy.json cut at ${length}`);
    }
    fs.writeFileSync(facts, text);
    for (const at of [0, 30, whole.length >> 1, whole.length - 1]) {
      const flipped = Uint8Array.from(whole);
      flipped[at] ^= 1;
      fs.writeFileSync(path, flipped);
      assert.deepEqual(names(dir), ["r1"], `flipped at ${at}`);
    }
    fs.writeFileSync(path, whole);
    fs.cpSync(join(dir, "checkpoints", "r2"), join(dir, "checkpoints", "r3.partial"), {
      recursive: true,
    });
    assert.deepEqual(names(dir), ["r1", "r2"]);
  }));

Deno.test("Store.open() tells what is corrupt, lost and copied; restore works", () =>
  withFolder(async (dir) => {
    await makeRun(dir, 6, [1, 3]);
    const path = join(dir, "run.sqlite");
    const whole = fs.readFileSync(path);
    const page = 4096;
    const bad = Uint8Array.from(whole);
    bad.fill(0xa5, page * 3, page * 5);
    fs.writeFileSync(path, bad);

    const error = corruption(() => Store.open(dir));
    assert.deepEqual(error.copies.map((copy) => copy.name), ["r1", "r3"]);
    assert.deepEqual([error.lost.transactions, error.lost.rollouts], [2, [4, 5]]);
    assert.equal(error.lost.rows.play, 4);
    assert.match(error.message, /run\.sqlite is damaged: .*Lost since r3: 2 transactions/s);

    const { lost, aside } = restoreFromCopy(dir, "r3");
    assert.deepEqual(lost, error.lost);
    assert.deepEqual(Uint8Array.from(fs.readFileSync(join(aside, "run.sqlite"))), bad);
    using store = Store.open(dir);
    assert.deepEqual([store.head.sequence, store.lost], [5, undefined]);
    fill(store, 4, 6);
    assert.equal(verifyChain(store).difference, undefined);

    fs.mkdirSync(join(dir, "other"));
    await makeRun(join(dir, "other"), 6, []);
    using other = Store.open(join(dir, "other"), { readonly: true });
    assert.deepEqual(compareRuns(store, other), []);
    assert.equal(store.head.hash, other.head.hash);
  }));

Deno.test("Store.open() refuses a file cut at any page, emptied, replaced or gone", () =>
  withFolder(async (dir) => {
    await makeRun(dir, 4, [1]);
    const path = join(dir, "run.sqlite");
    const whole = fs.readFileSync(path);
    for (let length = 0; length < whole.length; length += 4096 * 9 + 100) {
      fs.writeFileSync(path, whole.subarray(0, length));
      assert.equal(corruption(() => Store.open(dir)).copies.length, 1, `cut at ${length}`);
    }
    fs.writeFileSync(path, "x".repeat(10000));
    assert.match(corruption(() => Store.open(dir)).problem, /not a database/);
    fs.rmSync(path);
    assert.match(corruption(() => Store.open(dir)).problem, /missing/);
    assert.throws(() => Store.create(dir, { run, manifest }), /copies of it exist/);
    restoreFromCopy(dir, "r1");
    using store = Store.open(dir);
    assert.equal(store.head.sequence, 3);
  }));

Deno.test("A flipped byte is found at opening or by verifyChain(), wherever it is", () =>
  withFolder(async (dir) => {
    await makeRun(dir, 4, []);
    const path = join(dir, "run.sqlite");
    const whole = fs.readFileSync(path);
    let opened = 0;
    let harmless = 0;
    for (let i = 0; i < 60; i++) {
      const at = Math.floor((i + 0.5) * whole.length / 60);
      const flipped = Uint8Array.from(whole);
      flipped[at] ^= 0x10;
      fs.writeFileSync(path, flipped);
      try {
        using store = Store.open(dir, { readonly: true, check: true });
        opened += 1;
        if (verifyChain(store).difference === undefined) harmless += 1;
      } catch (error) {
        assert.match(String(error), /CorruptRunError|StoreError/);
      }
    }
    // Most pages of a small run are free space and index slack, where a byte means nothing.
    assert.ok(opened < 60 && harmless <= opened, `${opened} opened, ${harmless} harmless`);
    fs.writeFileSync(path, whole);
    const text = Uint8Array.from(whole);
    const needle = new TextEncoder().encode("corpus");
    const at = whole.indexOf(needle);
    assert.ok(at > 0);
    text[at] ^= 1;
    fs.writeFileSync(path, text);
    using store = Store.open(dir, { readonly: true });
    assert.ok(verifyChain(store).difference !== undefined);
  }));

Deno.test("restoreFromCopy() refuses a damaged copy and a run that is being written", () =>
  withFolder(async (dir) => {
    await makeRun(dir, 3, [1, 2]);
    assert.throws(() => restoreFromCopy(dir, "r9"), /there is no complete copy/);
    {
      using _store = Store.open(dir);
      assert.throws(() => restoreFromCopy(dir, "r1"), /is writing it/);
    }
    const { aside, lost } = restoreFromCopy(dir, "r1");
    assert.deepEqual(names(dir), ["r1"]);
    assert.ok(fs.existsSync(join(aside, "r2", "copy.json")));
    assert.equal(lost.transactions, 1);
  }));
