/**
 * Times of the sandbox beside other ways to run programs, in one run on one machine.
 *
 *     deno task bench:sandbox [--plays N] [--kinds bare,numpy,math_verify]
 *
 * A play is a start, a reset, twenty steps and the reaped end. Ours: a child from the pool, a fresh one, and over the
 * relay. Others (`sandbox_rivals.py`): exec in a pool of threads (the published way), an interpreter a play,
 * multiprocessing's forkserver; and the floor, a bare fork and a pipe. CPU comes from /proc, which needs -A.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { type SandboxOptions, startSandbox } from "../../lib/sandbox/mod.ts";
import type { Sandbox } from "../../lib/core/ports.ts";
import { descendantsCpu } from "./machine.ts";

const STEPS = 20;
const { values: flags } = parseArgs({
  options: {
    plays: { type: "string", default: "400" },
    kinds: { type: "string", default: "bare,numpy,math_verify" },
  },
});
const plays = Number(flags.plays);
const python = new URL("../../.spade/sandbox/bin/python", import.meta.url).pathname;
const rivals = new URL("./sandbox_rivals.py", import.meta.url).pathname;

const IMPORT: Record<string, string> = {
  bare: "",
  numpy: "import numpy as np",
  math_verify: "import numpy as np\nfrom math_verify import parse, verify",
};

/** A number to guess; `work` is done in every step. */
function programOf(kind: string, work = ""): string {
  const noise = kind === "bare" ? "" : "self.noise = np.random.default_rng(seed).normal(size=4)";
  return `
import random
import re
${IMPORT[kind]}

class GuessEnv:
    def __init__(self, max_turns=40):
        self.max_turns = max_turns

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        ${noise}
        self.number = self.rng.randint(1, 20)
        self.turn = 0
        return "Guess a number from 1 to 20.", {"actions": [str(i) for i in range(1, 21)]}

    def step(self, action):
        ${work}
        self.turn += 1
        found = re.findall(r"boxed{(\\d+)}", action)
        if found and found[-1] == str(self.number):
            return "Right.", 1.0, True, False, {}
        out = self.turn >= self.max_turns
        return "No.", 0.0, False, out, {"actions": [str(i) for i in range(1, 21)]}
`;
}

interface Times {
  start: number[];
  step: number[];
}

async function play(
  sandbox: Sandbox,
  source: string,
  seed: number,
  times: Times,
  steps = STEPS,
): Promise<void> {
  let before = performance.now();
  const started = await sandbox.start(source);
  times.start.push(performance.now() - before);
  if (started.kind !== "ok") throw new Error(`${started.reason}: ${started.detail}`);
  await using environment = started.value;
  await environment.reset(seed);
  for (let turn = 0; turn < steps; turn++) {
    before = performance.now();
    const stepped = await environment.step("\\boxed{0}");
    times.step.push(performance.now() - before);
    if (stepped.kind !== "ok") throw new Error(`${stepped.reason}: ${stepped.detail}`);
  }
}

/** Plays a second at this concurrency. */
async function rate(sandbox: Sandbox, source: string, concurrency: number, steps = STEPS) {
  const times: Times = { start: [], step: [] };
  const count = concurrency === 1 ? Math.ceil(plays / 4) : plays;
  const cpu = 1000 * descendantsCpu(), own = process.cpuUsage(), from = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: concurrency }, async () => {
    while (next < count) await play(sandbox, source, next++, times, steps);
  }));
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(own);
  const host = (user + system) / 1000;
  return { perSecond: count / seconds, cpu: (host + 1000 * descendantsCpu() - cpu) / count, times };
}

const quantile = (values: number[], q: number) =>
  values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))];
const pair = (values: number[], scale: number, digits: number) =>
  [.5, .95].map((q) => (quantile(values, q) * scale).toFixed(digits)).join(" / ");

const available = () =>
  Number(Deno.readTextFileSync("/proc/meminfo").match(/MemAvailable: +(\d+)/)![1]) / 1024;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function row(cells: readonly string[]): void {
  const widths = [28, 16, 14, 26, 10];
  console.log(cells.map((cell, index) => cell.padEnd(widths[index])).join(" ").trimEnd());
}

async function ours(name: string, kind: string, options: Partial<SandboxOptions>): Promise<void> {
  const source = programOf(kind);
  const began = performance.now();
  await using sandbox = await startSandbox({ python, ...options });
  await play(sandbox, source, 0, { start: [], step: [] });
  const first = Math.round(performance.now() - began);
  await pause(300);
  const spaced: Times = { start: [], step: [] };
  for (let i = 0; i < 100; i++) {
    await play(sandbox, source, i, spaced);
    await pause(15);
  }
  const one = await rate(sandbox, source, 1);
  const crowd = await rate(sandbox, source, 16);
  const many = await rate(sandbox, source, 64);
  const rates = [one, crowd, many].map(({ perSecond }) => perSecond.toFixed(0)).join(" / ");
  row([
    `${name} (first ${first} ms)`,
    pair(spaced.start, 1, 2),
    pair(one.times.step, 1000, 0),
    rates,
    crowd.cpu.toFixed(2),
  ]);
}

interface Rival {
  start: number[];
  step: number[];
  perSecond: number;
  cpu: number;
}

async function rival(
  way: string,
  source: string,
  count: number,
  concurrency: number,
  steps = STEPS,
) {
  const path = await Deno.makeTempFile({ suffix: ".py" });
  await Deno.writeTextFile(path, source);
  const output = await new Deno.Command(python, {
    args: ["-s", "-B", rivals, way, path, `${count}`, `${concurrency}`, `${steps}`],
  }).output();
  await Deno.remove(path);
  if (!output.success) throw new Error(new TextDecoder().decode(output.stderr));
  return JSON.parse(new TextDecoder().decode(output.stdout)) as Rival;
}

async function theirs(name: string, way: string, kind: string): Promise<void> {
  const source = programOf(kind);
  const count = way === "subprocess" ? Math.ceil(plays / (kind === "bare" ? 10 : 20)) : plays;
  const one = await rival(way, source, Math.ceil(count / 4), 1);
  const rates = [one.perSecond];
  let cpu = one.cpu;
  for (const concurrency of way === "floor" ? [] : [16, 64]) {
    const crowd = await rival(way, source, count, concurrency);
    rates.push(crowd.perSecond);
    cpu = crowd.cpu;
  }
  row([
    name,
    one.start.map((ms) => ms.toFixed(2)).join(" / "),
    one.step.map((us) => us.toFixed(0)).join(" / "),
    rates.map((perSecond) => perSecond.toFixed(0)).join(" / "),
    way === "forkserver" ? "" : cpu.toFixed(2), // its children are the server's, not ours
  ]);
}

console.log(
  `${navigator.hardwareConcurrency} cores, load ${
    Deno.loadavg()[0].toFixed(1)
  }, ${STEPS} steps a play`,
);
for (const kind of flags.kinds.split(",")) {
  console.log(`\n${kind}`);
  row(["", "start ms p50/95", "step us p50/95", "plays/s at 1 / 16 / 64", "CPU ms a play"]);
  await ours("ours, pool of 8", kind, {});
  await ours("ours, fresh fork", kind, { poolSize: 0 });
  await ours("ours, relay, pool of 8", kind, { sockets: null });
  await theirs("exec, pool of threads", "threads", kind);
  await theirs("interpreter a play", "subprocess", kind);
  await theirs("forkserver", "forkserver", kind);
  await theirs("floor: fork and pipe", "floor", kind);
}

console.log(
  "\nCPU-bound programs (2 steps of about 20 ms), plays/s one at a time and two at a time",
);
{
  const source = programOf("bare", "sum(i * i for i in range(300_000))");
  await using sandbox = await startSandbox({ python });
  await rate(sandbox, source, 2, 1);
  const [one, two] = [await rate(sandbox, source, 1, 2), await rate(sandbox, source, 2, 2)];
  const count = Math.ceil(plays / 4);
  const threads = [
    await rival("threads", source, count, 1, 2),
    await rival("threads", source, count, 2, 2),
  ];
  for (const [name, a, b] of [["ours", one, two], ["threads", ...threads]] as const) {
    const [before, after] = [a.perSecond, b.perSecond];
    console.log(
      `${name.padEnd(8)} ${before.toFixed(1)} → ${after.toFixed(1)}: × ${
        (after / before).toFixed(2)
      }`,
    );
  }
}

/** Fall of MemAvailable while such a pool waits, in MB. */
async function fall(kind: string, poolSize: number): Promise<number> {
  const before = available();
  await using sandbox = await startSandbox({ python, poolSize });
  await play(sandbox, programOf(kind), 0, { start: [], step: [] });
  await pause(1500);
  return before - available();
}

console.log("\nMemory of a child that waits (MemAvailable with 64 of them, less without)");
for (const kind of flags.kinds.split(",")) {
  const without = await fall(kind, 0);
  await pause(1000);
  console.log(`${kind.padEnd(12)} ${((await fall(kind, 64) - without) / 64).toFixed(2)} MB`);
  await pause(1000);
}
