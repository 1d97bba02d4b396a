/** Examples in the documentation that need files (marked `ts ignore`, which the doc tests leave out) work as written. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { Store } from "../lib/store/mod.ts";
import { fill, manifest, run } from "./store/fixtures.ts";
import { withFolder } from "./store/temporary.ts";

const mod = import.meta.resolve("../mod.ts");
const config = new URL(import.meta.resolve("../deno.json")).pathname;

function* sources(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (name.endsWith(".ts")) yield `${folder}/${name}`;
  }
}

function examplesOf(file: string): string[] {
  const blocks = fs.readFileSync(file, "utf8").matchAll(/```ts ignore\n([\s\S]*?)```/g);
  return [...blocks].map(([, code]) =>
    code.replaceAll(/^ *\* ?/gm, "").replaceAll('"@spade/spade"', JSON.stringify(mod))
  );
}

const examples = [...sources("lib")].flatMap((file) =>
  examplesOf(file).map((code, at) => ({ name: `${file} ${at + 1}`, code }))
);

function deno(dir: string, ...args: string[]): void {
  const { success, stderr } = new Deno.Command(Deno.execPath(), { args, cwd: dir }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
}

Deno.test("examples that need files work as written", (t) =>
  withFolder(async (dir) => {
    assert.ok(examples.length >= 4);
    {
      using store = Store.create(join(dir, "runs", "nano"), { run, manifest });
      fill(store, 0, 3);
    }
    const files = examples.map((_, at) => `example${at}.ts`);
    for (const [at, { code }] of examples.entries()) fs.writeFileSync(join(dir, files[at]), code);
    await t.step("their types", () => deno(dir, "check", "--config", config, ...files));
    for (const [at, { name }] of examples.entries()) {
      await t.step(name, () =>
        deno(dir, "run", "--no-check", "-A", "--no-prompt", "--config", config, files[at]));
    }
  }));
