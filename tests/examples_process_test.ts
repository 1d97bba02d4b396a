/**
 * Examples in the documentation that the doc tests leave out work as written: those marked `ts ignore` need files or the
 * sandbox and are run, those marked `ts ignore check` need an engine or a server and have the right types.
 */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { Store } from "../lib/store/mod.ts";
import { fill, manifest, run } from "./store/fixtures.ts";
import { withFolder } from "./store/temporary.ts";

const mod = import.meta.resolve("../mod.ts");
const config = new URL(import.meta.resolve("../deno.json")).pathname;
const root = new URL(import.meta.resolve("../")).pathname;

function* sources(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (name.endsWith(".ts")) yield `${folder}/${name}`;
  }
}

function examplesOf(file: string): { code: string; isRun: boolean }[] {
  const blocks = fs.readFileSync(file, "utf8").matchAll(/```ts ignore( check)?\n([\s\S]*?)```/g);
  return [...blocks].map(([, check, code]) => ({
    isRun: check === undefined,
    code: code.replaceAll(/^ *\* ?/gm, "").replaceAll('"@spade/spade"', JSON.stringify(mod)),
  }));
}

const examples = [...sources("lib")].flatMap((file) =>
  examplesOf(file).map((example, at) => ({ name: `${file} ${at + 1}`, ...example }))
);

function deno(dir: string, ...args: string[]): void {
  const { success, stdout, stderr } = new Deno.Command(Deno.execPath(), {
    args,
    cwd: dir,
    env: { NO_COLOR: "1" },
  }).outputSync();
  const text = new TextDecoder();
  assert.ok(success, text.decode(stdout) + text.decode(stderr));
}

Deno.test("examples that need files work as written", (t) =>
  withFolder(async (dir) => {
    assert.ok(examples.length >= 4);
    {
      using store = Store.create(join(dir, "runs", "nano"), { run, manifest });
      fill(store, 0, 3);
    }
    for (const name of ["data", "scripts", ".spade"]) {
      fs.symlinkSync(join(root, name), join(dir, name));
    }
    const files = examples.map((_, at) => `example${at}.ts`);
    for (const [at, { code }] of examples.entries()) fs.writeFileSync(join(dir, files[at]), code);
    await t.step("their types", () => deno(dir, "check", "--config", config, ...files));
    // one process for all: starting one is most of an example's time
    const tests = examples.map(({ name, isRun }, at) =>
      `Deno.test({ name: ${JSON.stringify(name)}, ignore: ${!isRun}, ...loose }, async () => {
        await import("./${files[at]}");
      });`
    );
    const loose = "const loose = { sanitizeOps: false, sanitizeResources: false };";
    fs.writeFileSync(join(dir, "examples_test.ts"), [loose, ...tests].join("\n"));
    await t.step("they run", () =>
      deno(dir, "test", "--no-check", "-A", "--no-prompt", "--config", config, "examples_test.ts"));
  }));
