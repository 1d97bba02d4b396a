/**
 * Launchers by need: one for each kind of program and hash seed, started when first asked for, replaced when dead.
 * @module
 */
import { SandboxError } from "../core/errors.ts";
import type { IsolationLevel } from "../core/ports.ts";
import { Launcher, type LauncherOptions } from "./launcher.ts";

/** Kinds of zygote: what is imported in them. */
export type Kind = "bare" | "numpy";

/** From weakest to strongest; `wasm` stands apart and is not built yet. */
const ORDER: readonly string[] = ["seccomp", "landlock+seccomp", "uid+landlock+seccomp", "full"];

/** Kind a program needs. A mention is enough: names may be used without an import. */
export function kindOf(source: string): Kind {
  return /\b(np|numpy)\b/.test(source) ? "numpy" : "bare";
}

export type ZygoteOptions = Omit<LauncherOptions, "kind" | "hashSeed"> & {
  minIsolation: IsolationLevel;
};

export class Zygotes {
  readonly #running = new Map<string, Promise<Launcher>>();
  readonly #refused = new Map<string, SandboxError>();
  #disposed = false;

  constructor(readonly options: ZygoteOptions) {}

  /** The launcher of that kind. Throws SandboxError where it cannot run. */
  get(kind: Kind, hashSeed: 0 | 1): Promise<Launcher> {
    if (this.#disposed) {
      return Promise.reject(new SandboxError("Cannot start a play: the sandbox is closed"));
    }
    const key = `${kind} ${hashSeed}`;
    const known = this.#running.get(key);
    if (known) return known;
    const refused = this.#refused.get(key);
    if (refused) return Promise.reject(refused);
    const forget = () => {
      if (this.#running.get(key) === starting) this.#running.delete(key);
    };
    const starting = this.#start(kind, hashSeed).then((launcher) => {
      launcher.done.then(forget);
      return launcher;
    });
    this.#running.set(key, starting);
    starting.catch(forget);
    return starting;
  }

  async #start(kind: Kind, hashSeed: 0 | 1): Promise<Launcher> {
    const launcher = await Launcher.start({ ...this.options, kind, hashSeed });
    const { level, layers, missing, python, prefix } = launcher.ready;
    const problem =
      level === "refused" || ORDER.indexOf(level) < ORDER.indexOf(this.options.minIsolation)
        ? `isolation is ${level}, must be at least ${this.options.minIsolation} (${
          lacking(layers)
        })`
        : kind === "numpy" && missing.includes("numpy")
        ? `numpy is missing in Python ${python} at ${prefix}, must be installed`
        : this.#disposed
        ? "the sandbox is closed"
        : undefined;
    if (problem === undefined) return launcher;
    await launcher.close();
    const refused = new SandboxError(`Cannot start the sandbox: ${problem}`);
    this.#refused.set(`${kind} ${hashSeed}`, refused);
    throw refused;
  }

  /** Ends all, plays included. */
  async close(): Promise<void> {
    this.#disposed = true;
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(running.map((one) => one.then((launcher) => launcher.close(), () => {})));
  }
}

function lacking(layers: Readonly<Record<string, true | string>>): string {
  return Object.entries(layers).filter(([, state]) => state !== true)
    .map(([name, state]) => `${name}: ${state}`).join(", ");
}
