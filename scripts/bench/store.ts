/**
 * How fast a run folder is: one rollout's rows in about 60 transactions, a copy, opening,
 * verifying. Usage: `deno run -A scripts/bench/store.ts [folder] [rollouts]`
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { cpuUsage } from "node:process";
import type { RecordOf } from "../../lib/core/mod.ts";
import { checkpointCopy, Store, verifyChain } from "../../lib/store/mod.ts";
import { manifest } from "./no_run.ts";

const [base = "/tmp", rollouts = "20"] = Deno.args;
const dir = fs.mkdtempSync(join(base, "spade-bench-"));
const environments = 25;
const plays = 16;
const turns = 6;

function playOf(rollout: number, environmentId: string, index: number): RecordOf<"play"> {
  return {
    id: `${rollout}/${environmentId}/${index}`,
    rollout,
    environmentId,
    arm: index % 2 ? "hinted" : "plain",
    index,
    seed: index,
    outcome: { kind: "scored", value: index / 16 },
    success: false,
    terminated: true,
    truncated: false,
    turns,
    versionFirst: rollout,
    versionLast: rollout,
    hung: false,
    attempts: 1,
  };
}

const prompt = Array.from({ length: 40 }, (_, i) => i * 7);
const ids = Array.from({ length: 8 }, (_, i) => i * 3);
const logps = ids.map((id) => -id / 17);

function turnOf(play: RecordOf<"play">, index: number): RecordOf<"turn"> {
  return {
    id: `${play.id}/${index}`,
    rollout: play.rollout,
    playId: play.id,
    index,
    prompt,
    ids,
    logps,
    finish: "stop",
    weightsVersion: play.rollout,
    observation: "grid 4x4, you are at 1,2; the goal is at 3,3; walls at 2,2 and 0,1",
    text: "move north",
    action: "north",
    reward: 0,
    rerendered: null,
  };
}

/** 25 groups of 16 plays and 96 turns, and 35 small units. */
function writeRollout(store: Store, rollout: number): void {
  for (let e = 0; e < environments; e++) {
    store.transaction(() => {
      for (let p = 0; p < plays; p++) {
        const play = playOf(rollout, `environment${e}`, p);
        store.insert("play", play);
        store.insert("turn", Array.from({ length: turns }, (_, i) => turnOf(play, i)));
      }
    });
  }
  for (let i = 0; i < 35; i++) {
    store.transaction(() => {
      store.replace("cursor", { id: `c${i}`, rollout, value: { state: { at: i, list: ids } } });
    });
  }
}

/** Wall and CPU time; on a busy machine only the second means something. */
async function timed<R>(work: () => R | Promise<R>): Promise<[Time, R]> {
  const start = performance.now();
  const before = cpuUsage();
  const result = await work();
  const used = cpuUsage(before);
  return [{ wall: performance.now() - start, cpu: (used.user + used.system) / 1000 }, result];
}

interface Time {
  wall: number;
  cpu: number;
}

const print = (name: string, value: string) => console.log(name.padEnd(34), value);
const ms = ({ wall, cpu }: Time) => `${wall.toFixed(1)} ms (CPU ${cpu.toFixed(1)} ms)`;

try {
  const store = Store.create(dir, {
    run: { id: "run", rollout: -1, seed: 0, preset: "", config: {} },
    manifest,
  });
  const times: Time[] = [];
  const copies: Time[] = [];
  for (let rollout = 0; rollout < Number(rollouts); rollout++) {
    times.push((await timed(() => writeRollout(store, rollout)))[0]);
    copies.push((await timed(() => checkpointCopy(store, `r${rollout}`)))[0]);
  }
  const sorted = times.slice(1).toSorted((a, b) => a.cpu - b.cpu);
  print("rollouts", `${rollouts}, each 400 plays, 2,400 turns, 60 transactions`);
  print("first rollout", ms(times[0]));
  print("median of the others by CPU", ms(sorted[sorted.length >> 1]));
  print("slowest of the others by CPU", ms(sorted.at(-1)!));
  print("copy: first, last", `${ms(copies[0])}, ${ms(copies.at(-1)!)}`);
  print("closing", ms((await timed(() => store.close()))[0]));
  print("size", `${(fs.statSync(join(dir, "run.sqlite")).size / 2 ** 20).toFixed(1)} MiB`);
  const [opening, again] = await timed(() => Store.open(dir));
  print("opening, every page checked", ms(opening));
  const [reading, all] = await timed(() => again.all("turn", { where: { rollout: 1 } }));
  print(`reading ${all.length} turns`, ms(reading));
  const [verifying, report] = await timed(() => verifyChain(again));
  print(`verifying ${report.rows} rows`, ms(verifying));
  if (report.difference !== undefined) throw new Error(report.difference.what);
  again.close();
} finally {
  fs.rmSync(dir, { recursive: true });
}
