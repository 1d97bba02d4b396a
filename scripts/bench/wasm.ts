/**
 * Speed and size of the wasm level: `deno run -A scripts/bench/wasm.ts`. Linux only (CPU time and memory of the plays
 * come from /proc). CPU time is told beside wall time because it does not depend on what else the machine does.
 */
import { startSandbox } from "../../lib/sandbox/mod.ts";
import type { Result } from "../../lib/core/outcome.ts";
import type { Sandbox } from "../../lib/core/ports.ts";

const PROGRAM = `
class EchoEnv:
    def reset(self, seed=None): return "start", {}
    def step(self, action): return action, 0.0, False, False, {}
`;
const LOOP = `
class LoopEnv:
    def reset(self, seed=None): return "start", {}
    def step(self, action):
        x = 0
        for i in range(1000000): x = (x * 31 + i) % 1000003
        return str(x), 0.0, False, False, {}
`;

function value<T>(result: Result<T>): T {
  if (result.kind !== "ok") throw new Error(`${result.reason}: ${result.detail}`);
  return result.value;
}

const shown = (milliseconds: number) => `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`;

function summary(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, sorted.length * share | 0)];
  return `p50 ${shown(at(0.5))}, p95 ${shown(at(0.95))} of ${times.length}`;
}

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const began = performance.now();
  const result = await work();
  return [performance.now() - began, result];
}

/** Processes of plays: CPU milliseconds, resident and proportional megabytes. */
function plays(): { cpu: number; rss: number; pss: number }[] {
  const found = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = Deno.readTextFileSync(`/proc/${name}/stat`).split(") ").at(-1)!.split(" ");
      if (Number(fields[1]) !== Deno.pid) continue;
      if (!Deno.readTextFileSync(`/proc/${name}/cmdline`).includes("relay.ts")) continue;
      const rollup = Deno.readTextFileSync(`/proc/${name}/smaps_rollup`);
      const size = (key: string) => Number(rollup.match(new RegExp(`^${key}:\\s+(\\d+)`, "m"))![1]);
      const cpu = 10 * (Number(fields[11]) + Number(fields[12]));
      found.push({ cpu, rss: size("Rss") / 1024, pss: size("Pss") / 1024 });
    } catch {
      // it ended meanwhile
    }
  }
  return found;
}

async function starts(sandbox: Sandbox, count: number, pauseMs: number): Promise<string> {
  const times = [];
  for (let n = 0; n < count; n++) {
    const [time, process] = await timed(async () => value(await sandbox.start(PROGRAM)));
    times.push(time);
    await process[Symbol.asyncDispose]();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return summary(times);
}

const load = () => Deno.loadavg().map((one) => one.toFixed(1)).join(" ");
console.log(`${Deno.version.deno}, load ${load()}`);
const [image, sandbox] = await timed(() =>
  startSandbox({ python: "python3", level: "wasm", poolSize: 0 })
);
{
  await using fresh = sandbox;
  console.log(`image and first process: ${shown(image)}`);
  console.log(`start, fresh: ${await starts(fresh, 12, 0)}`);
  await using process = value(await fresh.start(PROGRAM));
  value(await process.reset(1));
  const [idle] = plays();
  console.log(
    `CPU time of a start: ${idle.cpu} ms; memory of a play: ` +
      `${idle.rss.toFixed(0)} MB resident, ${idle.pss.toFixed(0)} MB proportional`,
  );
  const times = [];
  for (let n = 0; n < 5000; n++) times.push((await timed(() => process.step("x")))[0]);
  console.log(`step: ${summary(times)}`);
  await using loop = value(await fresh.start(LOOP));
  value(await loop.reset(1));
  const loops = [];
  for (let n = 0; n < 5; n++) loops.push((await timed(() => loop.step("x")))[0]);
  console.log(`a million turns of a Python loop: ${summary(loops)}`);
}
await using pooled = await startSandbox({ python: "python3", level: "wasm", poolSize: 2 });
console.log(`start, pool of 2, a pause between: ${await starts(pooled, 12, 2500)}`);
console.log(`load ${load()}`);
