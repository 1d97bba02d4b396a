/**
 * Data sets of reasoning-gym as environments: a source that is a small JSON text, run by the library's process beside
 * the sandbox. One question, one answer, the play is over.
 * @module
 */
import { z } from "zod";
import {
  type EnvironmentProcess,
  failed,
  type Failure,
  type Observed,
  ok,
  type ParsedProgram,
  type Result,
  type Sandbox,
  sha256,
  type StartOptions,
  type Stepped,
} from "../core/mod.ts";
import type { ReasoningGym, ReasoningGymSettings } from "./reasoning_gym.ts";

const library = "reasoning-gym";

const sourceShape = z.strictObject({
  library: z.literal(library),
  version: z.string().min(1).max(40),
  dataset: z.string().regex(/^[a-z0-9_]{1,80}$/, "must be the name of a data set"),
  level: z.int().nonnegative().optional(),
  config: z.record(z.string(), z.json()).optional(),
}).refine(({ level, config }) => (level === undefined) !== (config === undefined), {
  path: ["level"],
  message: "must be given, or config, not both",
});

/** What such a source says. */
export type ReasoningGymSource = z.infer<typeof sourceShape>;

/**
 * The source of an environment: its id, as that of a program, is the sha-256 of this text.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const source = reasoningGymSource({ dataset: "chain_sum", level: 2 }, "0.1.25");
 * assert.equal(
 *   source,
 *   '{"library":"reasoning-gym","version":"0.1.25","dataset":"chain_sum","level":2}\n',
 * );
 * ```
 */
export function reasoningGymSource(settings: ReasoningGymSettings, version: string): string {
  const { dataset, level, config } = settings;
  const source: ReasoningGymSource = sourceShape.parse({
    library,
    version,
    dataset,
    ...(level === undefined ? {} : { level }),
    ...(config === undefined ? {} : { config: sortedKeys(config) }),
  });
  return `${JSON.stringify(source)}\n`;
}

/** Reads a source: undefined when it is not one of ours, a failure when it is and is wrong. */
export function readReasoningGymSource(source: string): Result<ReasoningGymSource> | undefined {
  if (!source.trimStart().startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return undefined;
  }
  if ((value as { library?: unknown }).library !== library) return undefined;
  const parsed = sourceShape.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const { path, message } = parsed.error.issues[0];
  return failed("designer", "contract", `source.${path.join(".") || "(top)"}: ${message}`);
}

/** The sandbox, and beside it the library for the sources that are its own. Disposing ends neither. */
export function withReasoningGym(sandbox: Sandbox, gym: ReasoningGym): Sandbox {
  return {
    level: sandbox.level,
    layers: {
      ...sandbox.layers,
      [library]: `${gym.version}: trusted, its items come from a process outside the wall`,
    },
    async start(source, options = {}) {
      const own = readReasoningGymSource(source);
      if (own === undefined) return await sandbox.start(source, options);
      if (own.kind !== "ok") return own;
      const { version, dataset, level, config } = own.value;
      if (version !== gym.version) {
        const detail = `the source is of ${library} ${version}, installed is ${gym.version}`;
        return failed("host", "version", detail);
      }
      return ok(new Item(gym, { dataset, level, config }, options));
    },
    async parse(source, options) {
      // the loop asks this to tell a fault from an outage
      if (gym.isGone) return failed("host", "closed", `${library} is gone`);
      const own = readReasoningGymSource(source);
      if (own === undefined) return await sandbox.parse(source, options);
      return own.kind === "ok" ? ok(parsedOf(own.value)) : own;
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** As of a program that has no code: its tree is what it says. */
function parsedOf(source: ReasoningGymSource): ParsedProgram {
  const said = JSON.stringify(sortedKeys(source));
  return { environments: [], treeHash: sha256(said), imports: [], constant: false };
}

function sortedKeys<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sortedKeys) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(entries.map(([key, item]) => [key, sortedKeys(item)])) as T;
}

/** What `step` received without its box; null where there was none, which is no answer. */
function answerOf(action: string): string | null {
  const boxed = /^\\boxed\{([\s\S]*)\}$/.exec(action.trim());
  return boxed === null ? null : boxed[1].trim();
}

class Item implements EnvironmentProcess {
  readonly maxTurns = 1;
  readonly #gym: ReasoningGym;
  readonly #settings: ReasoningGymSettings;
  readonly #signal: AbortSignal | undefined;
  #seed: number | undefined;
  #failure: Failure | undefined;

  constructor(gym: ReasoningGym, settings: ReasoningGymSettings, options: StartOptions) {
    this.#gym = gym;
    this.#settings = settings;
    this.#signal = options.signal;
  }

  async reset(seed: number): Promise<Result<Observed>> {
    this.#seed = seed;
    const item = await this.#kept((signal) => this.#gym.item(this.#settings, seed, { signal }));
    return item.kind === "ok" ? ok({ observation: item.value.question, info: {} }) : item;
  }

  async step(action: string): Promise<Result<Stepped>> {
    if (this.#seed === undefined) return failed("host", "protocol", "step before reset");
    const seed = this.#seed;
    const answer = answerOf(action);
    const score = await this.#kept((signal) =>
      this.#gym.score(this.#settings, seed, answer, { signal })
    );
    if (score.kind !== "ok") return score;
    const reward = score.value;
    const observation = reward === 1 ? "Solved." : "Not solved.";
    return ok({ observation, reward, terminated: true, truncated: false, info: {} });
  }

  async solution(): Promise<Result<string[] | null>> {
    if (this.#seed === undefined) return failed("host", "protocol", "solution before reset");
    const seed = this.#seed;
    const item = await this.#kept((signal) => this.#gym.item(this.#settings, seed, { signal }));
    if (item.kind !== "ok") return item;
    return ok(item.value.answer === null ? null : [item.value.answer]);
  }

  tools(): Promise<Result<null>> {
    return Promise.resolve(ok(null));
  }

  call(): Promise<Failure> {
    return this.#noTools();
  }

  answer(): Promise<Failure> {
    return this.#noTools();
  }

  criteria(): Promise<Failure> {
    return this.#noTools();
  }

  async [Symbol.asyncDispose]() {}

  #noTools(): Promise<Failure> {
    return Promise.resolve(failed("designer", "contract", "a question has no tools"));
  }

  /** The first failure stays. */
  async #kept<T>(ask: (signal?: AbortSignal) => Promise<Result<T>>): Promise<Result<T>> {
    if (this.#failure !== undefined) return this.#failure;
    const result = await ask(this.#signal);
    if (result.kind !== "ok") this.#failure = result;
    return result;
  }
}
