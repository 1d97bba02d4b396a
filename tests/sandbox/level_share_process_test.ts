/** What a hostile play may take of the machine while it runs, and how fast all is gone when the host is. */
import assert from "node:assert/strict";
import { alive, outside, programOf, python, sandboxOf, value } from "./helper.ts";

const cores = navigator.hardwareConcurrency;

/** Busy for a second of the clock; says how long it really took and what CPU time it got. */
const BUSY = programOf({
  step: `import time
began, used = time.monotonic(), time.process_time()
while time.monotonic() - began < 1: pass
return "%f %f" % (time.monotonic() - began, time.process_time() - used), 0.0, False, False, {}`,
});

Deno.test("a busy play gets no more than its share of a core, and its neighbours answer", async () => {
  await using sandbox = await sandboxOf();
  const limits = { requestCpuSeconds: 30, requestSeconds: 60 };
  const busy = await Promise.all(
    Array.from({ length: 3 * cores }, async () => value(await sandbox.start(BUSY, { limits }))),
  );
  await using neighbour = value(await sandbox.start(programOf()));
  for (const play of [...busy, neighbour]) value(await play.reset(1));
  const running = Promise.all(busy.map(async (play) => {
    const [wall, cpu] = value(await play.step("x")).observation.split(" ").map(Number);
    return { wall, cpu };
  }));
  const began = performance.now();
  let steps = 0;
  for (; performance.now() - began < 800; steps++) value(await neighbour.step("x"));
  const shares = await running;
  for (const { wall, cpu } of shares) assert.ok(cpu <= wall * 1.05, `${cpu} s CPU in ${wall} s`);
  const sum = shares.reduce((total, { wall, cpu }) => total + cpu / wall, 0);
  assert.ok(sum <= cores * 1.1, `${sum} cores of ${cores}`);
  assert.ok(steps >= 1, `${steps} steps of a neighbour in 0.8 s`);
  for (const play of busy) await play[Symbol.asyncDispose]();
});

/** Kills the first process and says after how many milliseconds none of the others is left. */
const KILL = `
import os, sys, time
pids = [int(p) for p in sys.argv[1:]]
def there(pid):
    try: return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError: return False
began = time.monotonic()
os.kill(pids[0], 9)
while any(map(there, pids[1:])) and time.monotonic() - began < 20: time.sleep(.002)
print(round((time.monotonic() - began) * 1000))
`;

for (const sockets of [undefined, null]) {
  const way = sockets === null ? "relayed" : "connected";
  Deno.test(`killed hard, the host leaves nothing alive within a second, ${way}`, async () => {
    let least = Infinity; // a machine under load may be late once, not each time
    for (let attempt = 0; attempt < 3 && least >= 1000; attempt++) {
      least = Math.min(least, await killHost(sockets, way));
    }
    assert.ok(least < 1000, `${least} ms`);
  });
}

/** Milliseconds until all below a host that was killed are gone. */
async function killHost(sockets: null | undefined, way: string): Promise<number> {
  const code = `
import { startSandbox } from "${new URL("../../lib/sandbox/mod.ts", import.meta.url)}";
const sandbox = await startSandbox({ python: "${python}", sockets: ${JSON.stringify(sockets)} });
const limits = { requestCpuSeconds: 60 };
const busy = await sandbox.start(${JSON.stringify(BUSY.replace("< 1", "< 99"))}, { limits });
await busy.value.reset(1);
busy.value.step("x");
const idle = await sandbox.start(${JSON.stringify(programOf())});
console.log(idle.kind);
setInterval(() => {}, 1000);`;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const host = new Deno.Command("deno", {
    args: ["run", "--no-prompt", "--no-check", "--config", config, "--allow-all", "-"],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = host.stdin.getWriter();
  await writer.write(new TextEncoder().encode(code));
  await writer.close();
  const reader = host.stdout.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value).trim(), "ok");
  const { pids, parents } = await alive();
  const isUnder = (pid: number): boolean =>
    parents[pid] === host.pid || (parents[pid] !== undefined && isUnder(parents[pid]));
  const under = pids.filter(isUnder);
  assert.ok(under.length >= 4, `${under.length} processes below the host`);
  const took = Number(await outside(KILL, ...[host.pid, ...under].map(String)));
  console.log(`${way}: ${under.length} processes gone ${took} ms after the host`);
  await host.status;
  await reader.cancel();
  return took;
}
