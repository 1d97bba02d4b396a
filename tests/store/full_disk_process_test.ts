/**
 * A full disk undoes the unit of work, loses nothing, and says what is full. Needs root for a small
 * tmpfs.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { StoreError } from "../../lib/core/mod.ts";
import { checkpointCopy, listCopies, Store, verifyChain } from "../../lib/store/mod.ts";
import { fill, manifest, run } from "./fixtures.ts";
import { withFolder } from "./temporary.ts";

/** Why no small disk can be mounted here, or undefined. */
function mountRefusal(): string | undefined {
  const dir = Deno.makeTempDirSync();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", dir], { stdio: "pipe" });
    execFileSync("umount", [dir]);
  } catch (error) {
    return String((error as Error).message).split("\n")[0];
  } finally {
    Deno.removeSync(dir);
  }
}

const refusal = mountRefusal();
const title = (name: string) => refusal === undefined ? name : `${name} (skipped: ${refusal})`;

async function withSmallDisk(test: (dir: string) => void | Promise<void>): Promise<void> {
  await withFolder(async (dir) => {
    const disk = join(dir, "disk");
    fs.mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", disk]);
    try {
      await test(disk);
    } finally {
      execFileSync("umount", [disk]);
    }
  });
}

Deno.test({
  name: title("A full disk undoes the unit of work; with room again the run goes on"),
  ignore: refusal !== undefined,
  fn: () =>
    withSmallDisk((disk) => {
      const dir = join(disk, "run");
      let units = 0;
      {
        using store = Store.create(dir, { run, manifest });
        fs.writeFileSync(join(disk, "ballast"), new Uint8Array(1 << 20));
        assert.throws(
          () => {
            for (;; units++) fill(store, units, units + 1);
          },
          (error: Error) => error instanceof StoreError && /disk .*is full/.test(error.message),
        );
        assert.ok(units > 5);
        assert.equal(store.head.sequence, units + 1);
        assert.equal(verifyChain(store).difference, undefined);
        assert.throws(() => fill(store, units, units + 200), /is full/);
        fs.rmSync(join(disk, "ballast"));
        fill(store, store.head.sequence - 1, store.head.sequence + 3);
        assert.equal(verifyChain(store).difference, undefined);
      }
      using again = Store.open(dir);
      assert.equal(again.lost, undefined);
      assert.equal(verifyChain(again).difference, undefined);
    }),
});

Deno.test({
  name: title("A full disk stops a copy and leaves the run and its older copies"),
  ignore: refusal !== undefined,
  fn: () =>
    withSmallDisk(async (disk) => {
      const dir = join(disk, "run");
      using store = Store.create(dir, { run, manifest });
      await checkpointCopy(store, "first");
      fill(store, 0, 20);
      const { bavail, bsize } = fs.statfsSync(disk);
      fs.writeFileSync(join(disk, "ballast"), new Uint8Array(bavail * bsize - 100_000));
      await assert.rejects(
        checkpointCopy(store, "second"),
        (error: Error) =>
          error instanceof StoreError &&
          /the disk is full; the run is untouched/.test(error.message),
      );
      assert.deepEqual(listCopies(dir).map((copy) => copy.name), ["first"]);
      assert.deepEqual(fs.readdirSync(join(dir, "checkpoints")), ["first"]);
      assert.equal(verifyChain(store).difference, undefined);
      fs.rmSync(join(disk, "ballast"));
      await checkpointCopy(store, "second");
    }),
});

Deno.test({
  name: title("A full disk stops a creation and leaves no run"),
  ignore: refusal !== undefined,
  fn: () =>
    withSmallDisk((disk) => {
      const dir = join(disk, "run");
      fs.writeFileSync(join(disk, "ballast"), new Uint8Array(2_900_000));
      assert.throws(() => Store.create(dir, { run, manifest }), /StoreError: .*full/);
      assert.equal(fs.existsSync(join(dir, "run.sqlite")), false);
      fs.rmSync(join(disk, "ballast"));
      Store.create(dir, { run, manifest }).close();
    }),
});

Deno.test({
  name: title("A closed run is read from a read-only disk, and not opened for writing there"),
  ignore: refusal !== undefined,
  fn: () =>
    withSmallDisk((disk) => {
      const dir = join(disk, "run");
      {
        using store = Store.create(dir, { run, manifest });
        fill(store, 0, 2);
      }
      execFileSync("mount", ["-o", "remount,ro", disk]);
      using reader = Store.open(dir, { readonly: true, check: true });
      assert.equal(reader.count("play"), 4);
      assert.equal(verifyChain(reader).difference, undefined);
      assert.throws(() => Store.open(dir), /StoreError: Cannot lock run/);
    }),
});
