/** Where a checkout may stand, and how many runs it bears: plays under the very grants of `deno task train`. */
import assert from "node:assert/strict";
import { connectSandbox } from "../../lib/sandbox/mod.ts";
import { alive, eventually, programOf, python, value, withProcess } from "./helper.ts";

const root = new URL("../..", import.meta.url).pathname;

const PLAYS = `
import { startSandbox } from "../lib/sandbox/mod.ts";
const source = ${
  JSON.stringify(programOf({
    reset: "self.rng = random.Random(seed)\nreturn str(self.rng.random()), {}",
    step: "return str(self.rng.random()), 0.0, False, False, {}",
  }))
};
const began = Date.now();
await using sandbox = await startSandbox({ python: Deno.cwd() + "/.spade/sandbox/bin/python" });
const play = async (_: unknown, index: number) => {
  const started = await sandbox.start(source, { hashSeed: index % 2 as 0 | 1 });
  if (started.kind !== "ok") return JSON.stringify(started);
  await using process = started.value;
  return JSON.stringify([await process.reset(7), await process.step("x"), await process.step("y")]);
};
const seen = new Set<string>();
for (let round = 0; round < 10; round++) {
  for (const one of await Promise.all(Array.from({ length: 12 }, play))) seen.add(one);
}
const { level, layers } = sandbox;
console.log(JSON.stringify({ level, layers, seen: [...seen], began, ended: Date.now() }));
`;

interface Seen {
  level: string;
  layers: Record<string, true | string>;
  seen: string[];
  began: number;
  ended: number;
}

/** A checkout of what plays need, in a folder whose path has the given length in bytes. */
async function withCheckout(bytes: number, work: (folder: string) => Promise<void>): Promise<void> {
  const base = await Deno.makeTempDir({ prefix: "spade" });
  const folder = `${base}/${"x".repeat(bytes - base.length - 1)}`;
  try {
    for (const name of ["lib", "sandbox", "scripts"]) {
      await copy(`${root}${name}`, `${folder}/${name}`);
    }
    for (const name of ["deno.json", "deno.lock"]) {
      await Deno.copyFile(`${root}${name}`, `${folder}/${name}`);
    }
    const config = JSON.parse(await Deno.readTextFile(`${folder}/deno.json`));
    const train: string = config.tasks.train.command;
    config.tasks.places = train.replace("scripts/train.ts", "scripts/places.ts");
    assert.notEqual(config.tasks.places, train);
    delete config.tasks["sandbox-host"].dependencies;
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
    await Deno.writeTextFile(`${folder}/scripts/places.ts`, PLAYS);
    const args = ["-m", "venv", "--without-pip", `${folder}/.spade/sandbox`];
    assert.ok((await new Deno.Command(python, { args }).output()).success);
    await work(folder);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    if (name === "__pycache__") continue;
    if (isDirectory) await copy(`${from}/${name}`, `${to}/${name}`);
    else if (isFile) await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

const task = (folder: string, name: string, env: Record<string, string> = {}) =>
  new Deno.Command("deno", {
    args: ["task", "--quiet", name],
    cwd: folder,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });

async function run(folder: string): Promise<Seen> {
  const { code, stdout, stderr } = await task(folder, "places").output();
  const decoder = new TextDecoder();
  assert.equal(code, 0, decoder.decode(stderr));
  return JSON.parse(decoder.decode(stdout));
}

Deno.test("two runs in one checkout at a time: neither meets the other", async () => {
  const before = await alive();
  await withCheckout(60, async (folder) => {
    const alone = await run(folder);
    assert.equal(alone.seen.length, 1);
    assert.doesNotMatch(alone.seen[0], /failed/);
    const both = await Promise.all([run(folder), run(folder)]);
    for (const { level, seen } of both) {
      assert.equal(level, alone.level);
      assert.deepEqual(seen, alone.seen);
    }
    const [one, other] = both;
    assert.ok(one.began < other.ended && other.began < one.ended, "they did not overlap");
  });
  await eventually("nothing left", async () => (await alive()).pids.length === before.pids.length);
});

Deno.test("a checkout at a path of 120 bytes plays as any other; its host needs SPADE_HOST", async () => {
  await withCheckout(120, async (folder) => {
    assert.equal(folder.length, 120);
    const { seen } = await run(folder);
    assert.equal(seen.length, 1);
    assert.doesNotMatch(seen[0], /failed/);

    const refused = await task(folder, "sandbox-host").output();
    assert.notEqual(refused.code, 0);
    assert.match(new TextDecoder().decode(refused.stderr), /at most 107 bytes.*SPADE_HOST/);
    const path = `${await Deno.makeTempDir()}/host.sock`;
    const host = task(folder, "sandbox-host", { SPADE_HOST: path }).spawn();
    const reader = host.stdout.getReader();
    assert.match(new TextDecoder().decode((await reader.read()).value), /listening at/);
    {
      await using sandbox = await connectSandbox(path);
      await withProcess(
        sandbox,
        programOf(),
        async (process) => void value(await process.step("x")),
      );
    }
    host.kill("SIGTERM");
    await Promise.all([reader.cancel(), host.stderr.cancel(), host.status]);
    await Deno.remove(path.replace("/host.sock", ""), { recursive: true });
  });
});
