/** Many mutants played, with honest plays among them, and what is left of it all afterwards. */
import type { Sandbox } from "../../../lib/core/ports.ts";
import { honest, mutantOf } from "./mutate.ts";
import { leaks, type Moment, observe } from "./observe.ts";
import { limits, play } from "./play.ts";

export interface CampaignOptions {
  seed: number;
  plays: number;
  /** The largest pool of the sandboxes. */
  poolSize: number;
  /** @default 6 */
  concurrency?: number;
  /** Quiet moments at which memory and processes are looked at. @default 5 */
  rounds?: number;
  /** Number of the first mutant. @default 0 */
  first?: number;
  onRound?: (figures: Figures) => void;
}

/** Quiet moments in a few numbers. */
export interface Figures {
  plays: number;
  heapMb: number;
  hostMb: number;
  hostFiles: number;
  processes: number;
  /** Resident memory of the largest process below, MB. */
  zygoteMb: number;
}

export interface Campaign {
  seed: number;
  plays: number;
  seconds: number;
  slowestMs: number;
  outcomes: Record<string, number>;
  /** For each family of mutations, what plays with it came to. */
  families: Record<string, Record<string, number>>;
  /** With the number of the mutant; must be empty. */
  faults: string[];
  /** Plays that ended too late once, and in time when nothing else was played: the machine was busy. */
  late: string[];
  /** What was left or grew; must be empty. */
  leaks: string[];
  figures: Figures[];
}

/** Plays mutants `first` to `first + plays`, each in one of the sandboxes in turn. */
export async function campaign(
  sandboxes: readonly Sandbox[],
  options: CampaignOptions,
): Promise<Campaign> {
  const { seed, plays, concurrency = 6, rounds = 5, first = 0 } = options;
  const result: Campaign = {
    seed,
    plays,
    seconds: 0,
    slowestMs: 0,
    outcomes: {},
    families: {},
    faults: [],
    late: [],
    leaks: [],
    figures: [],
  };
  const references = await Promise.all(honest.map((_, which) => honestly(sandboxes[0], which, 0)));
  for (const sandbox of sandboxes) {
    for (const hashSeed of [0, 1] as const) await check(sandbox, hashSeed, "before all");
  }
  const moments: Moment[] = [];
  const slow = new Map<number, string[]>();
  const began = performance.now();
  for (let round = 0; round <= rounds; round++) {
    const end = first + Math.round(plays * round / rounds);
    let next = first + Math.round(plays * Math.max(0, round - 1) / rounds);
    await Promise.all(Array.from({ length: concurrency }, async () => {
      while (next < end) await one(next++);
    }));
    for (const [index, late] of slow) await again(index, late);
    slow.clear();
    await look(end - first);
  }
  result.leaks = leaks(moments, options.poolSize);
  result.seconds = Math.round(performance.now() - began) / 1000;
  return result;

  async function look(plays: number): Promise<void> {
    const moment = await observe();
    moments.push(moment);
    const figures = {
      plays,
      heapMb: moment.heapMb,
      hostMb: moment.mb,
      hostFiles: moment.files,
      processes: moment.below.length,
      zygoteMb: Math.max(...moment.below.map(({ mb }) => mb)),
    };
    result.figures.push(figures);
    options.onRound?.(figures);
  }

  async function one(index: number): Promise<void> {
    const sandbox = sandboxes[index % sandboxes.length];
    const mutant = mutantOf(seed, index);
    const { outcome, ms, faults, late } = await play(sandbox, mutant);
    if (late.length > 0) slow.set(index, late);
    count(result.outcomes, outcome);
    for (const family of mutant.families) count(result.families[family] ??= {}, outcome);
    result.slowestMs = Math.max(result.slowestMs, Math.round(ms));
    result.faults.push(...faults.map((fault) => `mutant ${index} of seed ${seed}: ${fault}`));
    if (index % 20 === 0) await check(sandbox, 0, `after mutant ${index} of seed ${seed}`);
  }

  /** Who is late because the machine is busy is not late each time; who is, has a deadline that does not hold. */
  async function again(index: number, late: string[]): Promise<void> {
    const name = `mutant ${index} of seed ${seed}`;
    for (let attempt = 0; attempt < 3; attempt++) {
      const alone = await play(sandboxes[index % sandboxes.length], mutantOf(seed, index));
      if (alone.late.length > 0) continue;
      result.late.push(...late.map((one) => `${name}: ${one}`));
      return;
    }
    result.faults.push(...late.map((one) => `${name}, each of four times: ${one}`));
  }

  /** Honest programs say what they always say, whatever their neighbours do. */
  async function check(sandbox: Sandbox, hashSeed: 0 | 1, when: string): Promise<void> {
    for (const [which, expected] of references.entries()) {
      const seen = await honestly(sandbox, which, hashSeed);
      if (seen !== expected || seen.includes('"failed"')) {
        result.faults.push(`honest play ${which} ${when}: ${seen}`);
      }
    }
  }
}

/** Transcript of an honest program. */
async function honestly(sandbox: Sandbox, which: number, hashSeed: 0 | 1): Promise<string> {
  const calm = { ...limits, requestCpuSeconds: 2, requestSeconds: 20, seconds: 60, cpuSeconds: 10 };
  const started = await sandbox.start(honest[which], { limits: calm, hashSeed });
  if (started.kind !== "ok") return JSON.stringify(started);
  await using process = started.value;
  const seen: unknown[] = [await process.reset(7)];
  for (const action of ["\\boxed{3}", "é", ""]) seen.push(await process.step(action));
  seen.push(await process.solution());
  return JSON.stringify(seen);
}

function count(table: Record<string, number>, key: string): void {
  table[key] = (table[key] ?? 0) + 1;
}
