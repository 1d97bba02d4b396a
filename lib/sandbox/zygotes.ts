/**
 * Launchers by need: for each kind of program and hash seed one, or as many as there are cores when its plays crowd it;
 * started when first asked for, replaced when dead, old or bloated.
 * @module
 */
import { SandboxError } from "../core/errors.ts";
import type { IsolationLevel } from "../core/ports.ts";
import { Launcher, type LauncherOptions } from "./launcher.ts";
import type { Starts } from "./statistics.ts";

/** Kinds of zygote: what is imported in them. */
export type Kind = "bare" | "numpy" | "math_verify";

/** From weakest to strongest; `wasm` stands apart. */
const ORDER: readonly string[] = ["seccomp", "landlock+seccomp", "uid+landlock+seccomp", "full"];

/** Zygotes of one kind at most, and plays at a time above which there is another. */
const MAX_ZYGOTES = 4, CROWD = 24;
/** The import of sympy takes that much longer. */
const SLOW = 4;
/** Megabytes a zygote may grow before it is replaced. */
const GROWTH_MB = 64;

/** Kind a program needs. A mention is enough: names may be used without an import. */
export function kindOf(source: string): Kind {
  if (/\b(math_verify|sympy|mpmath|latex2sympy2_extended)\b/.test(source)) return "math_verify";
  return /\b(np|numpy)\b/.test(source) ? "numpy" : "bare";
}

/** How zygotes are started, and when they are replaced. */
export type ZygoteOptions = Omit<LauncherOptions, "kind" | "hashSeed" | "starts"> & {
  /** Below this level none runs. */
  minIsolation: IsolationLevel;
  /** Plays after which a zygote is replaced. */
  playsEach: number;
};

/** Zygotes by the modules and hash seed a program needs. */
export class Zygotes {
  /** By kind and hash seed: those that may get plays. */
  readonly #running = new Map<string, Launcher[]>();
  readonly #starting = new Map<string, Promise<Launcher>>();
  readonly #refused = new Map<string, SandboxError>();
  /** Those that get no more plays and end with the last. */
  readonly #retired = new Set<Launcher>();
  readonly #cores = Math.min(MAX_ZYGOTES, navigator.hardwareConcurrency);
  #disposed = false;
  /** Started so far. */
  started = 0;
  /** Of them: those that stand in for one that had died, grown or aged. */
  replacements = 0;
  /** How plays got their child. */
  readonly starts: Starts = { pooled: 0, fresh: 0, relayed: 0 };

  /** Starts none before one is asked for. */
  constructor(readonly options: ZygoteOptions) {}

  /** The launcher of that kind with the fewest plays. Throws SandboxError where none can run. */
  get(kind: Kind, hashSeed: 0 | 1): Launcher | Promise<Launcher> {
    if (this.#disposed) {
      return Promise.reject(new SandboxError("Cannot start a play: the sandbox is closed"));
    }
    const key = `${kind} ${hashSeed}`;
    const refused = this.#refused.get(key);
    if (refused) return Promise.reject(refused);
    for (const old of this.#retired) if (old.open === 0) this.#retire(old);
    const running = this.#running.get(key) ?? [];
    if (running.length === 0) return this.#starting.get(key) ?? this.#start(kind, hashSeed);
    const best = running.reduce((one, other) => other.open < one.open ? other : one);
    if (this.#isWorn(best)) this.#replace(best, kind, hashSeed);
    else if (best.open >= CROWD && running.length < this.#cores && best.relayed === "") {
      this.#start(kind, hashSeed).catch(() => {});
    }
    return best;
  }

  /** All that run, retired ones included. */
  get all(): Launcher[] {
    return [...[...this.#running.values()].flat(), ...this.#retired];
  }

  /** Ends all, plays included. */
  async close(): Promise<void> {
    this.#disposed = true;
    const starting = [...this.#starting.values()];
    await Promise.all([
      ...this.all.map((launcher) => launcher.close()),
      ...starting.map((one) => one.then((launcher) => launcher.close(), () => {})),
    ]);
  }

  #isWorn(launcher: Launcher): boolean {
    return launcher.ended >= this.options.playsEach || launcher.grownMb > GROWTH_MB;
  }

  /** A new one first; then the old one gets no more plays. */
  #replace(old: Launcher, kind: Kind, hashSeed: 0 | 1): void {
    if (this.#starting.has(`${kind} ${hashSeed}`)) return;
    this.#start(kind, hashSeed).then(() => {
      this.replacements += 1;
      this.#drop(old);
      this.#retire(old);
    }, () => {});
  }

  #retire(launcher: Launcher): void {
    if (launcher.open > 0) {
      this.#retired.add(launcher);
    } else {
      this.#retired.delete(launcher);
      launcher.close();
    }
  }

  #drop(launcher: Launcher): void {
    this.#retired.delete(launcher);
    for (const [key, running] of this.#running) {
      this.#running.set(key, running.filter((one) => one !== launcher));
    }
  }

  #start(kind: Kind, hashSeed: 0 | 1): Promise<Launcher> {
    const key = `${kind} ${hashSeed}`;
    const known = this.#starting.get(key);
    if (known) return known;
    const starting = this.#launch(kind, hashSeed).then((launcher) => {
      const running = this.#running.get(key) ?? [];
      if (running.length > 0 && launcher.relayed !== "") {
        launcher.close(); // no socket was left: the others are quicker
        return running[0];
      }
      this.started += 1;
      this.#running.set(key, [...running, launcher]);
      launcher.done.then(() => {
        if (this.#running.get(key)?.includes(launcher)) this.replacements += 1;
        this.#drop(launcher);
      });
      return launcher;
    }).finally(() => this.#starting.delete(key));
    this.#starting.set(key, starting);
    return starting;
  }

  async #launch(kind: Kind, hashSeed: 0 | 1): Promise<Launcher> {
    const { options, starts } = this;
    const deadlineMs = options.deadlineMs * (kind === "math_verify" ? SLOW : 1);
    const launcher = await Launcher.start({ ...options, deadlineMs, starts, kind, hashSeed });
    const { level, layers, missing, python, prefix } = launcher.ready;
    const lost = [kind, ...this.options.packages].filter((name) => missing.includes(name));
    const problem =
      level === "refused" || ORDER.indexOf(level) < ORDER.indexOf(this.options.minIsolation)
        ? `isolation is ${level}, must be at least ${this.options.minIsolation} (${
          lacking(layers)
        }); what to change on this host: deno task doctor --sandbox`
        : lost.length > 0
        ? `${lost.join(", ")} is missing in Python ${python} at ${prefix}, must be installed`
        : this.#disposed
        ? "the sandbox is closed"
        : undefined;
    if (problem === undefined) return launcher;
    await launcher.close();
    const refused = new SandboxError(`Cannot start the sandbox: ${problem}`);
    this.#refused.set(`${kind} ${hashSeed}`, refused);
    throw refused;
  }
}

function lacking(layers: Readonly<Record<string, true | string>>): string {
  return Object.entries(layers).filter(([name, state]) => state !== true && name !== "memory")
    .map(([name, state]) => `${name}: ${state}`).join(", ");
}
