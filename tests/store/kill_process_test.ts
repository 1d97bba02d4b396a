/** kill -9 at any moment leaves a run that resumes; two processes never write one run. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { listCopies, Store, verifyChain } from "../../lib/store/mod.ts";
import { fill, manifest, run } from "./fixtures.ts";
import { withFolder } from "./temporary.ts";

const script = new URL("./child.ts", import.meta.url).pathname;
const config = new URL("../../deno.json", import.meta.url).pathname;

/** Starts a child, waits for `lines` lines and `delayMs`, kills it; gives what it said. */
async function killed(dir: string, mode: string, lines: number, delayMs: number) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--ignore-env", "-c", config, `--allow-read=${dir}`]
      .concat([`--allow-write=${dir}`, script, dir, mode]),
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const said: string[] = [];
  let rest = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const read = async () => {
    const { value, done } = await reader.read();
    const parts = (rest + (value ?? "")).split("\n");
    rest = parts.pop()!;
    said.push(...parts);
    return !done;
  };
  while (said.length < lines && await read());
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  assert.throws(() => Store.open(dir), new RegExp(`process ${child.pid} is writing it`));
  child.kill("SIGKILL");
  while (await read());
  await child.status;
  return said;
}

Deno.test("kill -9 between and in commits loses nothing that was committed", () =>
  withFolder(async (dir) => {
    Store.create(dir, { run, manifest }).close();
    for (let i = 0; i < 6; i++) {
      const said = await killed(dir, "commits", 2 + 3 * i, 7 * i);
      using store = Store.open(dir);
      const told = Number(said.at(-1));
      assert.ok([told, told + 1].includes(store.head.sequence), `${told} ${store.head.sequence}`);
      assert.equal(store.lost, undefined);
      assert.equal(verifyChain(store).difference, undefined);
    }
  }));

Deno.test("kill -9 inside a transaction leaves the run as it was before it", () =>
  withFolder(async (dir) => {
    {
      using store = Store.create(dir, { run, manifest });
      fill(store, 0, 3);
    }
    assert.deepEqual(await killed(dir, "inside", 1, 0), ["inside"]);
    using store = Store.open(dir);
    assert.deepEqual([store.head.sequence, store.count("turn")], [4, 6]);
    assert.equal(verifyChain(store).difference, undefined);
    fill(store, 3, 4);
  }));

Deno.test("kill -9 while a copy is written never leaves a half copy that counts", () =>
  withFolder(async (dir) => {
    {
      using store = Store.create(dir, { run, manifest });
      fill(store, 0, 200);
    }
    for (const delayMs of [0, 3, 6, 10, 15]) {
      await killed(dir, "copy", 2, delayMs);
      const copies = listCopies(dir);
      assert.ok(copies.length >= 1 && copies.length <= 3, String(copies.length));
      using store = Store.open(dir);
      for (const copy of copies) {
        fs.mkdirSync(join(dir, "try", String(delayMs)), { recursive: true });
        const path = join(dir, "try", String(delayMs), "run.sqlite");
        fs.copyFileSync(copy.path, path);
        using old = Store.open(join(dir, "try", String(delayMs)), { readonly: true, check: true });
        assert.equal(old.head.hash, copy.hash);
      }
      assert.equal(verifyChain(store).difference, undefined);
    }
  }));

Deno.test("a write-ahead log cut or damaged at any offset gives a whole prefix of the run", () =>
  withFolder((dir) => {
    const live = join(dir, "live");
    using writer = Store.create(live, { run, manifest });
    fill(writer, 0, 4);
    const wal = join(live, "run.sqlite-wal");
    const size = fs.statSync(wal).size;
    const seen = new Set<number>();
    for (let step = 0; step <= 24; step++) {
      const at = Math.floor(size * step / 24);
      for (const damage of ["cut", "flip"] as const) {
        const dead = join(dir, `${damage}${at}`);
        // A copy by another process: closing a file here would give up SQLite's locks on it.
        new Deno.Command("cp", { args: ["-r", live, dead] }).outputSync();
        fs.rmSync(join(dead, "run.sqlite-shm"));
        const path = join(dead, "run.sqlite-wal");
        const bytes = fs.readFileSync(path);
        if (damage === "cut") fs.truncateSync(path, at);
        else if (at < size) fs.writeFileSync(path, bytes.fill(bytes[at] ^ 0xff, at, at + 1));
        using store = Store.open(dead);
        const { sequence } = store.head;
        seen.add(sequence);
        assert.equal(store.lost?.transactions ?? 0, writer.head.sequence - sequence);
        assert.equal(verifyChain(store).difference, undefined);
        fill(store, sequence - 1, sequence);
      }
    }
    assert.deepEqual([...seen].sort(), [1, 2, 3, 4, 5]);
  }));

Deno.test("a killed run is read with read permission alone; so is a closed one", () =>
  withFolder(async (dir) => {
    Store.create(dir, { run, manifest }).close();
    const read = async () => {
      const output = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--quiet", "--ignore-env", "-c", config, `--allow-read=${dir}`]
          .concat([script, dir, "read"]),
      }).output();
      assert.equal(new TextDecoder().decode(output.stderr), "");
      return Number(new TextDecoder().decode(output.stdout));
    };
    await killed(dir, "commits", 3, 0);
    const plays = await read();
    assert.ok(plays >= 6);
    Store.open(dir).close();
    assert.deepEqual(fs.readdirSync(dir).filter((name) => name.includes("-wal")), []);
    assert.equal(await read(), plays);
  }));
