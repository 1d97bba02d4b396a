/**
 * Set-up: the Python environments under `.spade/`, made with pip from the lock files.
 *
 * Guarantees: nothing but what the lock files name, by sum; an environment with a stamp is whole
 * and was made from the present lock files; two set-ups at once wait for each other; a set-up that
 * was killed at any point is repaired by the next one. When all is there no Python is started.
 *
 * Does not guarantee: that an environment was left alone after its stamp was written.
 * @module
 */
import type { Clock } from "../../core/mod.ts";
import { buildEnvironment, type Built, diskFull } from "./build.ts";
import { type Display, megabytes, seconds } from "./display.ts";
import {
  environmentFolder,
  type EnvironmentSpec,
  lockFiles,
  stampedFiles,
  wantedEnvironments,
  type Wishes,
} from "./environments.ts";
import { SetupError } from "./error.ts";
import { lockDigest, parseLock } from "./lock.ts";
import { interrupted } from "./pip.ts";
import { type Candidate, choosePython, parseFacts, PROBE, pythonNames } from "./python.ts";
import { runProgram } from "./run.ts";
import { readStamp, stampProblem, writeAside } from "./stamp.ts";

export interface SetupOptions {
  /** The project's folder. */
  root: string;
  wishes: Wishes;
  display: Display;
  /** Seconds since the epoch. */
  clock: Clock;
  signal?: AbortSignal;
  /** Asks yes or no; absent when nobody can answer. */
  confirm?: (question: string) => boolean;
}

/** Written to `.spade/setup.json`: what the last set-up did. Times in seconds, sizes in MB. */
export interface SetupReport {
  format: 1;
  /** Seconds since the epoch. */
  finishedAt: number;
  seconds: number;
  downloadSeconds: number;
  downloadMB: number;
  /** Only what was made this time; empty when all was there. */
  made: Built[];
}

type Python = ReturnType<typeof choosePython>;

interface Pending {
  spec: EnvironmentSpec;
  lock: string;
  reason: string;
}

/**
 * Makes what is missing and returns what it did.
 *
 * @throws SetupError
 */
export async function setUp(options: SetupOptions): Promise<SetupReport> {
  const { root, clock } = options;
  const started = clock();
  if ((await pendingEnvironments(root, options.wishes)).length === 0) {
    return await finish(options, started, []);
  }
  await Deno.mkdir(`${root}/.spade`, { recursive: true });
  const guard = await Deno.open(`${root}/.spade/setup.lock`, { create: true, write: true });
  try {
    if (!await guard.tryLock(true)) {
      options.display.say("another set-up is at work in this folder; waiting for it");
      await guard.lock(true);
    }
    const pending = await pendingEnvironments(root, options.wishes);
    const made = pending.length === 0 ? [] : await makeAll(pending, options);
    return await finish(options, started, made);
  } finally {
    guard.close();
  }
}

/** The environments that have to be made, each with the reason. */
export async function pendingEnvironments(root: string, wishes: Wishes): Promise<Pending[]> {
  const checks = wantedEnvironments(wishes.also).map(async (spec) => {
    const texts = stampedFiles(spec).map((path) => Deno.readTextFile(`${root}/${path}`));
    const lock = await lockDigest(await Promise.all(texts));
    const stamp = await readStamp(environmentFolder(root, spec.name));
    const torch = spec.torchLocks.length === 0 ? undefined : wishes.torch;
    const reason = stampProblem(stamp, { lock, asked: wishes.python, torch });
    return reason === undefined ? [] : [{ spec, lock, reason }];
  });
  return (await Promise.all(checks)).flat();
}

async function makeAll(all: readonly Pending[], options: SetupOptions): Promise<Built[]> {
  const { root, display, wishes } = options;
  for (const { spec } of all) await checkLocks(root, spec);
  const pythons = new Map<number | undefined, Python>();
  const pending: Pending[] = [];
  for (const one of all) {
    const { oldestPython, optional, name } = one.spec;
    if (!pythons.has(oldestPython)) {
      const asked = await askPythons(options, oldestPython);
      try {
        const python = choosePython(asked, oldestPython);
        pythons.set(oldestPython, python);
        display.say(`Python ${python.facts.version.join(".")}  ${python.facts.executable}`);
      } catch (error) {
        if (!(error instanceof SetupError && optional && wishes.ifPossible)) throw error;
        display.say(`${name}  skipped: it needs Python 3.${oldestPython} or newer`);
        continue;
      }
    }
    pending.push(one);
  }
  if (pending.length === 0) return [];
  const [{ facts }] = pythons.values();
  // torch's own size is checked when its build is known
  const torchMB = pending.some(({ spec }) => spec.torchLocks.length > 0) ? 900 : 0;
  const needed = pending.reduce((sum, { spec }) => sum + spec.diskMB, torchMB);
  if (facts.diskFree / 1e6 < needed) throw diskFull(needed, facts.diskFree / 1e6);
  const lines: string[] = [];
  const made: Built[] = [];
  try {
    for (const { spec, lock } of pending) {
      if (options.signal?.aborted) throw interrupted();
      const log = (line: string) => void lines.push(line);
      const python = pythons.get(spec.oldestPython)!;
      const built = await buildEnvironment(spec, { ...options, python, lock, log });
      display.say(`${spec.name}  ready in ${seconds(built.seconds)}`);
      made.push(built);
    }
  } finally {
    await writeAside(`${root}/.spade/setup.log`, lines.join("\n") + "\n").catch(() => {});
  }
  return made;
}

async function checkLocks(root: string, spec: EnvironmentSpec): Promise<void> {
  for (const path of lockFiles(spec)) {
    try {
      parseLock(await Deno.readTextFile(`${root}/${path}`));
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      const hint = `Restore it: git checkout -- ${path}`;
      throw new SetupError("lock-file", `${cause.message} (in ${path})`, hint, { cause });
    }
  }
}

/** Asks each name what it is, until one fits. */
async function askPythons(options: SetupOptions, oldest?: number): Promise<Candidate[]> {
  const asked: Candidate[] = [];
  for (const name of pythonNames(options.wishes.python)) {
    const candidate = await askPython(name, options);
    asked.push(candidate);
    // the same would be said of every name
    if (candidate.problem?.startsWith(BLOCKED)) return asked;
    try {
      choosePython([candidate], oldest);
      return asked;
    } catch {
      // the next one may fit; the reasons are collected in `asked`
    }
  }
  return asked;
}

const BLOCKED = "cannot be started while";

/** Asks one Python what it is. */
export async function askPython(
  name: string,
  options: { root: string; signal?: AbortSignal },
): Promise<Candidate> {
  try {
    const answer = await runProgram(name, ["-I", "-c", PROBE], {
      cwd: options.root,
      signal: options.signal,
    });
    const facts = parseFacts(answer.output);
    if (facts !== undefined) return { name, facts };
    const said = answer.output.trim().split("\n")[0].slice(0, 120);
    return { name, problem: `did not answer (${said || `exit code ${answer.code}`})` };
  } catch (error) {
    const text = String(error);
    if (/ environment variable/.test(text)) {
      const variable = /with (\S+) environment/.exec(text)?.[1] ?? "LD_LIBRARY_PATH";
      return {
        name,
        problem: `${BLOCKED} ${variable} is set: unset it for this command`,
      };
    }
    const denied = error instanceof Deno.errors.NotCapable;
    return { name, problem: denied ? "is not allowed to run" : "is not there" };
  }
}

async function finish(options: SetupOptions, started: number, made: Built[]): Promise<SetupReport> {
  const { clock, display, root } = options;
  const report: SetupReport = {
    format: 1,
    finishedAt: clock(),
    seconds: clock() - started,
    downloadSeconds: made.reduce((sum, { downloadSeconds }) => sum + downloadSeconds, 0),
    downloadMB: made.reduce((sum, { downloadMB }) => sum + downloadMB, 0),
    made,
  };
  await writeAside(`${root}/.spade/setup.json`, `${JSON.stringify(report, null, 2)}\n`);
  if (made.length > 0) {
    const waited = report.downloadSeconds;
    display.say(
      `set-up done in ${seconds(report.seconds - waited)}, beside ${seconds(waited)} of download ` +
        `(${megabytes(report.downloadMB)})`,
    );
  }
  return report;
}
