/**
 * `deno task bench:capacity`: how much of an inference server's capacity the loop uses. Real sandboxed environments and
 * the real loop against `stub_server.ts` over HTTP: 64 slots, first come first served, 100 ms a turn, 200 ms a hint, 1 s
 * a designer's reply, 15 % of those broken; 24 environments, 16 plays, 2 arms, about 8 turns; one rollout that
 * generates, two that replay.
 *
 * Use is ideal slot time ÷ wall: the service of all requests over 64 slots, by the time from the end of one rollout to
 * the end of the next, updates included. What is lost is told by when it is lost: before the first turn (the barrier),
 * after all slots were busy for the last time (the tail), after the last turn (the update), and between (the host).
 */
import * as fs from "node:fs";
import * as path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { presetFiles, pythonOf, root } from "../../lib/cli/files.ts";
import { openSession } from "../../lib/cli/session.ts";
import { checkProgram } from "../../lib/gates/mod.ts";
import { resolveConfig, train } from "../../lib/loop/mod.ts";
import { Store } from "../../lib/store/mod.ts";
import { commitOf, cpuOf, descendantsCpu, forgetPeak, peakMemoryMb } from "./machine.ts";
import { programOf, type Served, type StubOptions, tokens } from "./stub_server.ts";

const SLOTS = 64;
const variants: Record<string, Partial<StubOptions> & { turnMs: number }> = {
  plain: { turnMs: 100 },
  "one hangs (busy), one is heavy": { turnMs: 100, hang: "busy", heavyTurns: 1 },
  "one hangs (asleep), one is heavy": { turnMs: 100, hang: "asleep", heavyTurns: 1 },
  "one is heavy": { turnMs: 100, heavyTurns: 1 },
  "25 ms turns": { turnMs: 25 },
  "25 ms turns, one is heavy": { turnMs: 25, heavyTurns: 1 },
};

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    out: { type: "string", default: "data/results/capacity.json" },
    help: { type: "boolean", default: false },
  },
});
if (flags.help) {
  console.log("deno task bench:capacity [--only TEXT] [--out FILE]\n\nVariants:");
  for (const name of Object.keys(variants)) console.log(`  ${name}`);
  Deno.exit(0);
}

/** Seconds of one rollout, and where those that were lost went. */
interface Part {
  wall: number;
  ideal: number;
  barrier: number;
  host: number;
  tail: number;
  update: number;
  requests: number;
}

/** Slot time used and lost between two moments, in seconds of the whole server. */
function partOf(log: readonly Served[], from: number, to: number): Part {
  const changes = log.flatMap(({ began, ended }) => [{ at: began, by: 1 }, { at: ended, by: -1 }])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  const firstTurn = Math.min(...log.filter(({ kind }) => kind === "turn").map(({ came }) => came));
  const lastReply = Math.max(...log.map(({ ended }) => ended));
  let busy = 0, lastFull = firstTurn;
  for (const { at, by } of changes) {
    if (busy === SLOTS && by < 0) lastFull = Math.max(lastFull, at);
    busy += by;
  }
  const lost = { barrier: 0, host: 0, tail: 0, update: 0 };
  const borders = [from, firstTurn, lastFull, lastReply, to];
  const names = ["barrier", "host", "tail", "update"] as const;
  let before = from;
  busy = 0;
  for (const { at, by } of [...changes, { at: to, by: 0 }]) {
    names.forEach((name, i) => {
      const length = Math.min(at, borders[i + 1]) - Math.max(before, borders[i]);
      if (length > 0) lost[name] += length * (1 - busy / SLOTS) / 1000;
    });
    busy += by;
    before = Math.max(before, at);
  }
  const ideal = log.reduce((sum, { began, ended }) => sum + ended - began, 0) / SLOTS / 1000;
  return { wall: (to - from) / 1000, ideal, ...lost, requests: log.length };
}

/** Turns of an empty loop in the sandbox's Python that take `ms` of CPU. */
async function turnsOf(ms: number): Promise<number> {
  const program = "import time\nt = time.process_time()\nfor _ in range(10**7): pass\n" +
    "print(time.process_time() - t)";
  const child = new Deno.Command(pythonOf("sandbox"), { args: ["-c", program] });
  const seconds = Number(new TextDecoder().decode((await child.output()).stdout));
  return Math.round(1e7 * ms / 1000 / seconds);
}

/** Runs one variant: three rollouts against a stub of its own. */
async function measure(asked: Partial<StubOptions> & { turnMs: number }) {
  const options: StubOptions = {
    ...{ slots: SLOTS, hintMs: 200, designerMs: 1000, brokenShare: 0.15, hang: "no" as const },
    ...asked,
    heavyTurns: asked.heavyTurns ? await turnsOf(200) : 0,
  };
  const stub = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", path.join(root, "scripts/bench/stub_server.ts"), JSON.stringify(options)],
    cwd: root,
    stdout: "piped",
  }).spawn();
  fs.mkdirSync(path.join(root, ".spade"), { recursive: true });
  const dir = fs.mkdtempSync(path.join(root, ".spade", "capacity-"));
  try {
    const reader = stub.stdout.getReader();
    const { port } = JSON.parse(new TextDecoder().decode((await reader.read()).value));
    await reader.cancel();
    return await run(`http://127.0.0.1:${port}`, dir, stub.pid);
  } finally {
    stub.kill("SIGKILL");
    await stub.status;
    fs.rmSync(dir, { recursive: true });
  }
}

/** All plays of a rollout have a process each: memory is reserved for the largest that each may be. */
const settings = [
  ...["environments=24", "plays=16", "rollouts=4", "epoch=4", "delay=4", "maxTurns=12"],
  ...[`tokens.designer=${tokens.designer}`, `tokens.agent=${tokens.agent}`],
  ...[`tokens.hint=${tokens.hint}`, "context=8192", "heldout=null", "checkpointEvery=100"],
  ...[
    "sandbox.requestCpuSeconds=2",
    "sandbox.cpuSeconds=30",
    "sandbox.memoryMb=16",
    "sandbox.concurrency=768",
  ],
];

async function run(url: string, dir: string, stubPid: number) {
  const set = [`engine=${url}`, ...settings];
  const config = resolveConfig({ preset: "nano", set }, presetFiles());
  const clock = () => performance.now() / 1000;
  const { signal } = new AbortController();
  await using session = await openSession({ ...{ config, dir, clock, signal }, emit: () => {} });
  const begin = { id: "run", rollout: -1, seed: 0, preset: "nano", config: { ...config } };
  using store = Store.create(dir, { run: begin, manifest: session.manifest });
  // a run starts its interpreters once; what is measured is a rollout among many
  const warm = programOf(99, "none", 0);
  await checkProgram(warm, { sandbox: session.sandbox, maxTurns: config.maxTurns });
  const log = async (): Promise<Served[]> => await (await fetch(`${url}/log`)).json();
  const now = () => performance.timeOrigin + performance.now();
  const others = () => descendantsCpu() - cpuOf(stubPid);
  const parts: Part[] = [];
  forgetPeak();
  const cpu = process.cpuUsage(), sandboxCpu = others();
  let from = now();
  for await (const _ of train(session.loop(store))) {
    const to = now();
    parts.push(partOf(await log(), from, to));
    if (parts.length === 3) break;
    from = now();
  }
  const { user, system } = process.cpuUsage(cpu);
  const turns = store.count("turn");
  const sum = (pick: (part: Part) => number) => parts.reduce((all, part) => all + pick(part), 0);
  const use = (some: Part[]) => {
    const wall = some.reduce((all, part) => all + part.wall, 0);
    return some.reduce((all, part) => all + part.ideal, 0) / wall;
  };
  return {
    use: round(use(parts)),
    generating: round(use(parts.slice(0, 1))),
    replays: round(use(parts.slice(1))),
    withoutUpdates: round(sum(({ ideal }) => ideal) / sum(({ wall, update }) => wall - update)),
    rollouts: parts.map((part) =>
      Object.fromEntries(Object.entries(part).map(([key, value]) => [key, round(value)]))
    ),
    turns,
    plays: store.count("play"),
    failedPlays: store.all("play").filter(({ outcome }) => outcome.kind !== "scored").length,
    hostCpuMsPerTurn: round((user + system) / 1000 / turns),
    sandboxCpuMsPerTurn: round((others() - sandboxCpu) * 1000 / turns),
    stubCpuSeconds: round(cpuOf(stubPid)),
    peakMemoryMb: Math.round(peakMemoryMb()),
  };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

const results: Record<string, unknown> = {};
const chosen = Object.entries(variants).filter(([name]) => name.includes(flags.only ?? ""));
if (chosen.length === 0) {
  console.error(`Cannot measure "${flags.only}": no variant has it in its name; see --help`);
  Deno.exit(1);
}
for (const [name, variant] of chosen) {
  const load = round(Deno.loadavg()[0]);
  const result = { load, ...await measure(variant) };
  results[name] = result;
  const { use, generating, replays, rollouts } = result;
  console.log(`${name}: ${use} (generating ${generating}, replays ${replays}), load ${load}`);
  for (const rollout of rollouts) console.log("  " + JSON.stringify(rollout));
  const { hostCpuMsPerTurn, sandboxCpuMsPerTurn, peakMemoryMb, failedPlays } = result;
  console.log(
    "  " + JSON.stringify({ hostCpuMsPerTurn, sandboxCpuMsPerTurn, peakMemoryMb, failedPlays }),
  );
}
if (flags.only === undefined) {
  const file = path.join(root, flags.out);
  const head = {
    command: ["deno task bench:capacity", ...Deno.args].join(" "),
    commit: await commitOf(),
    date: new Date().toISOString().slice(0, 10),
    cores: navigator.hardwareConcurrency,
    settings,
  };
  fs.writeFileSync(file, JSON.stringify({ ...head, variants: results }, undefined, 1) + "\n");
}
