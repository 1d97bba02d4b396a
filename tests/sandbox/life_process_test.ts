import assert from "node:assert/strict";
import {
  alive,
  eventually,
  killHard,
  outside,
  programOf,
  python,
  sandboxOf,
  value,
  withProcess,
} from "./helper.ts";
import type { Sandbox } from "../../lib/core/ports.ts";

const HANG = programOf({ step: "while True: pass" });
const GOOD = programOf({
  reset: 'self.rng = random.Random(seed)\nreturn str(self.rng.random()), {"hash": str(hash("x"))}',
  step: "return str(self.rng.random()), 0.0, False, False, {}",
});

async function transcript(sandbox: Sandbox, hashSeed: 0 | 1 = 0, before = false): Promise<string> {
  await using process = value(await sandbox.start(GOOD, { hashSeed }));
  if (before) {
    value(await process.reset(99));
    value(await process.step("x"));
  }
  const seen: unknown[] = [value(await process.reset(7, { fresh: before }))];
  for (let turn = 0; turn < 3; turn++) seen.push(value(await process.step("x")));
  return JSON.stringify(seen);
}

Deno.test("the same seed gives the same play: pooled or not, fresh after another, anew", async () => {
  await using sandbox = await sandboxOf({ poolSize: 1 });
  await using unpooled = await sandboxOf({ poolSize: 0 });
  const first = await transcript(sandbox);
  assert.equal(await transcript(sandbox, 0, true), first);
  assert.equal(await transcript(unpooled), first);
  const all = await Promise.all(Array.from({ length: 8 }, () => transcript(sandbox)));
  assert.deepEqual(new Set(all), new Set([first]));
  const other = await transcript(sandbox, 1);
  assert.notEqual(other, first);
  assert.equal(other.replace(/"hash":"-?\d+"/, ""), first.replace(/"hash":"-?\d+"/, ""));
  assert.equal(await transcript(unpooled, 1), other);
});

Deno.test("what a program draws without a seed is the same in every process", async () => {
  await using sandbox = await sandboxOf({ poolSize: 2 });
  const source = programOf({ reset: "return str(random.random()), {}" });
  const draw = async () => {
    await using process = value(await sandbox.start(source));
    return value(await process.reset(1)).observation;
  };
  const first = await draw();
  for (let i = 0; i < 4; i++) assert.equal(await draw(), first);
});

Deno.test("64 plays at a time wait for a place, all end, the pool is what it was", async () => {
  await using sandbox = await sandboxOf({ concurrency: 16 });
  await withProcess(sandbox, GOOD, () => Promise.resolve());
  const before = await alive();
  let most = 0;
  const watch = (async () => {
    for (let i = 0; i < 5; i++) most = Math.max(most, (await alive()).pids.length);
  })();
  await Promise.all(Array.from({ length: 200 }, () => transcript(sandbox)));
  await watch;
  assert.ok(most <= 2 + 16 + 2 * 4, `${most} processes`);
  await eventually("the pool as before", async () => (await alive()).pids.length <= 2 + 4);
  const after = await alive();
  assert.deepEqual(after.zombies, []);
  assert.equal(after.files, before.files);
});

Deno.test("300 plays of which one in five hangs leave nothing behind and slow nothing down", async () => {
  await using sandbox = await sandboxOf({ concurrency: 8 });
  const limits = { requestCpuSeconds: 0.1 };
  const good = async (count: number) => {
    const from = performance.now();
    for (let i = 0; i < count; i++) {
      await withProcess(sandbox, GOOD, async (process) => void value(await process.step("x")));
    }
    return performance.now() - from;
  };
  await good(10);
  const quiet = await good(30);
  const before = await alive();
  const hung = await Promise.all(Array.from({ length: 300 }, async (_, index) => {
    await using process = value(await sandbox.start(index % 5 ? GOOD : HANG, { limits }));
    value(await process.reset(1));
    const stepped = await process.step("x");
    return stepped.kind === "ok" ? "ok" : stepped.reason;
  }));
  assert.equal(hung.filter((reason) => reason === "deadline").length, 60);
  assert.equal(hung.filter((reason) => reason === "ok").length, 240);
  const later = await good(30);
  assert.ok(later < 4 * quiet + 500, `${quiet} ms before, ${later} ms after`);
  await eventually("no process more", async () => (await alive()).pids.length <= 2 + 4);
  const after = await alive();
  assert.deepEqual(after.zombies, []);
  assert.equal(after.files, before.files);
});

Deno.test("killed hard, a launcher or a zygote takes its children along and is replaced", async () => {
  await using sandbox = await sandboxOf();
  for (const which of ["launcher", "zygote"]) {
    const play = value(await sandbox.start(HANG, { limits: { requestCpuSeconds: 30 } }));
    const idle = value(await sandbox.start(GOOD));
    value(await play.reset(1));
    const pending = play.step("x");
    const { pids, parents } = await alive();
    const launcher = pids.find((pid) => parents[pid] === Deno.pid)!;
    const zygote = pids.find((pid) => parents[pid] === launcher)!;
    assert.ok(launcher && zygote && pids.length >= 4);
    await killHard(which === "launcher" ? launcher : zygote);
    const failure = await pending;
    assert.ok(failure.kind === "failed" && failure.blame === "host", JSON.stringify(failure));
    assert.equal((await idle.reset(1)).kind, "failed");
    await eventually("all gone", async () => {
      const now = await outside(
        "import os,sys; print([p for p in sys.argv[1:] if os.path.exists('/proc/'+p)])",
        ...pids.map(String),
      );
      return now === "[]";
    });
    await play[Symbol.asyncDispose]();
    await idle[Symbol.asyncDispose]();
    await withProcess(sandbox, GOOD, async (process) => void value(await process.step("x")));
  }
});

Deno.test("when Deno is killed hard nothing below stays alive", async () => {
  const code = `
import { startSandbox } from "${new URL("../../lib/sandbox/mod.ts", import.meta.url)}";
const sandbox = await startSandbox({ python: "${python}" });
const hang = await sandbox.start(${JSON.stringify(HANG)}, { limits: { requestCpuSeconds: 60 } });
await hang.value.reset(1);
hang.value.step("x");
const idle = await sandbox.start(${JSON.stringify(GOOD)});
console.log(idle.kind);
setInterval(() => {}, 1000);`;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const child = new Deno.Command("deno", {
    args: ["run", "--no-prompt", "--no-check", "--config", config, `--allow-run=${python}`, "-"],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(code));
  await writer.close();
  const reader = child.stdout.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value).trim(), "ok");
  const { pids, parents } = await alive();
  const under = pids.filter((pid) => pid !== child.pid && parents[pid] !== Deno.pid);
  assert.ok(under.length >= 4, `${under.length}`);
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
  await eventually("nothing below", async () => {
    const now = await outside(
      "import os,sys; print([p for p in sys.argv[1:] if os.path.exists('/proc/'+p)])",
      ...under.map(String),
    );
    return now === "[]";
  });
});

Deno.test("disposing the sandbox ends everything, running plays as the host's", async () => {
  const before = await alive();
  const sandbox = await sandboxOf();
  const play = value(await sandbox.start(HANG, { limits: { requestCpuSeconds: 30 } }));
  value(await play.reset(1));
  const pending = play.step("x");
  await sandbox[Symbol.asyncDispose]();
  const failure = await pending;
  assert.ok(failure.kind === "failed" && failure.blame === "host", JSON.stringify(failure));
  const late = await sandbox.start(GOOD);
  assert.ok(late.kind === "failed" && late.blame === "host");
  await play[Symbol.asyncDispose]();
  await eventually("all gone", async () => (await alive()).pids.length === before.pids.length);
  assert.equal((await alive()).files, before.files);
});
