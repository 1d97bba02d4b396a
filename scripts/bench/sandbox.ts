/**
 * Times of the sandbox: start, step, plays per second, CPU per play (host, launcher and children together).
 *
 *     deno run -A scripts/bench/sandbox.ts [python] [plays]
 *
 * A play is a start, a reset, five steps and the reaped end. CPU comes from /proc, which needs -A; the sandbox itself
 * needs --allow-run=<python> only.
 */
import process from "node:process";
import { startSandbox } from "../../lib/sandbox/mod.ts";
import type { Sandbox } from "../../lib/core/ports.ts";

const PROGRAM = (numpy: boolean) => `
import random
${numpy ? "import numpy as np" : ""}
from spade_env import boxed

class GuessEnv:
    def __init__(self, max_turns=8):
        self.max_turns = max_turns

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        ${numpy ? "self.noise = np.random.default_rng(seed).normal(size=4)" : ""}
        self.number = self.rng.randint(1, 20)
        self.turn = 0
        return "Guess a number from 1 to 20.", {"actions": [str(i) for i in range(1, 21)]}

    def step(self, action):
        self.turn += 1
        guess = boxed(action)
        if guess == str(self.number):
            return "Right.", 1.0, True, False, {}
        out = self.turn >= self.max_turns
        return "No.", 0.0, False, out, {"actions": [str(i) for i in range(1, 21)]}
`;

interface Times {
  start: number[];
  step: number[];
}

async function play(sandbox: Sandbox, source: string, seed: number, times: Times): Promise<void> {
  let before = performance.now();
  const started = await sandbox.start(source, { limits: { requestCpuSeconds: 0.5 } });
  times.start.push(performance.now() - before);
  if (started.kind !== "ok") throw new Error(`${started.reason}: ${started.detail}`);
  await using environment = started.value;
  await environment.reset(seed);
  for (let turn = 0; turn < 5; turn++) {
    before = performance.now();
    const stepped = await environment.step("\\boxed{0}");
    times.step.push(performance.now() - before);
    if (stepped.kind !== "ok") throw new Error(`${stepped.reason}: ${stepped.detail}`);
  }
}

const quantile = (values: number[], q: number) =>
  values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))];
const show = (values: number[], scale: number, digits: number) =>
  [.5, .95].map((q) => (quantile(values, q) * scale).toFixed(digits)).join(" / ");

/** CPU milliseconds of all descendants of this process, reaped children included. */
function descendantsCpu(): number {
  const parents = new Map<number, number>();
  const ticks = new Map<number, number>();
  for (const entry of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(entry.name)) continue;
    try {
      const text = Deno.readTextFileSync(`/proc/${entry.name}/stat`);
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number);
      parents.set(Number(entry.name), fields[1]);
      ticks.set(Number(entry.name), fields[11] + fields[12] + fields[13] + fields[14]);
    } catch { /* it ended meanwhile */ }
  }
  let sum = 0;
  for (const [pid, value] of ticks) {
    let up: number | undefined = pid;
    while (up && up !== Deno.pid) up = parents.get(up);
    if (up === Deno.pid && pid !== Deno.pid) sum += value;
  }
  return sum * 10;
}

const python = Deno.args[0] ?? "python3";
const plays = Number(Deno.args[1] ?? 600);
for (const kind of ["bare", "numpy"]) {
  const source = PROGRAM(kind === "numpy");
  const began = performance.now();
  await using sandbox = await startSandbox({ python });
  await play(sandbox, source, 0, { start: [], step: [] });
  console.log(
    `${kind}: level ${sandbox.level}, first play after ${Math.round(performance.now() - began)} ms`,
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  const spaced: Times = { start: [], step: [] };
  for (let i = 0; i < 100; i++) {
    await play(sandbox, source, i, spaced);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  console.log(
    `  one at a time, 15 ms apart: start p50 / p95 ${show(spaced.start, 1, 2)} ms, step ${
      show(spaced.step, 1000, 0)
    } us`,
  );
  for (const concurrency of [1, 16, 64]) {
    const times: Times = { start: [], step: [] };
    const cpu = descendantsCpu(), own = process.cpuUsage();
    const from = performance.now();
    let next = 0;
    await Promise.all(Array.from({ length: concurrency }, async () => {
      while (next < plays) await play(sandbox, source, next++, times);
    }));
    const seconds = (performance.now() - from) / 1000;
    const spent = process.cpuUsage(own);
    const host = (spent.user + spent.system) / 1000 / plays;
    const below = (descendantsCpu() - cpu) / plays;
    console.log(
      `  ${String(concurrency).padStart(2)} at a time: ${
        (plays / seconds).toFixed(0)
      } plays/s, start ${show(times.start, 1, 2)} ms, step ${
        show(times.step, 1000, 0)
      } us, CPU a play ${(host + below).toFixed(2)} ms (host ${host.toFixed(2)}, below ${
        below.toFixed(2)
      })`,
    );
  }
}
