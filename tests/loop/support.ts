/** Small real runs for tests: the nano policy, the embedded engine and the sandbox, a few rollouts. */
import * as fs from "node:fs";
import * as path from "node:path";
import {
  environmentId,
  type EnvironmentProcess,
  type Progress,
  Random,
  type RecordOf,
  type Sampler,
  type Sandbox,
} from "../../lib/core/mod.ts";
import { inProject, presetFiles } from "../../lib/cli/files.ts";
import { openSession } from "../../lib/cli/session.ts";
import { type Config, type Loop, resolveConfig, restore, train } from "../../lib/loop/mod.ts";
import { Store } from "../../lib/store/mod.ts";

/** Four rollouts, two epochs, six environments of four plays. */
export const small = [
  "rollouts=4",
  "environments=6",
  "plays=4",
  "heldout=null",
  "checkpointEvery=3",
  "checkpointsKept=2",
];

export function smallConfig(...more: string[]): Config {
  return resolveConfig(
    { preset: "nano", set: [...small, ...more] },
    presetFiles(),
  );
}

/** A fresh folder under .spade/tests, removed by the caller through `using`. */
export function folder(): Disposable & { path: string } {
  const base = inProject(".spade/tests");
  fs.mkdirSync(base, { recursive: true });
  const dir = fs.mkdtempSync(path.join(base, "run-"));
  return { path: dir, [Symbol.dispose]: () => fs.rmSync(dir, { recursive: true, force: true }) };
}

export interface RunOptions {
  dir: string;
  config?: Config;
  /** Puts something in front of the ports. */
  wrap?: (loop: Loop) => Loop;
  signal?: AbortSignal;
  events?: Progress[];
}

/** Trains, or goes on with, the run in `dir`; the store is closed at the end. */
export async function runSmall(options: RunOptions): Promise<void> {
  const { dir, wrap = (loop) => loop, events } = options;
  const config = options.config ?? smallConfig();
  const signal = options.signal ?? new AbortController().signal;
  await using session = await openSession({
    config,
    dir,
    emit: (event) => void events?.push(event),
    clock: () => performance.now() / 1000,
    signal,
  });
  const exists = fs.existsSync(path.join(dir, "run.sqlite"));
  const run = { id: "run", rollout: -1, seed: config.seed, preset: "nano", config: { ...config } };
  using store = exists ? Store.open(dir) : Store.create(dir, { run, manifest: session.manifest });
  const loop = wrap({ ...session.loop(store), name: "small" });
  if (exists) await restore(loop);
  for await (const _ of train(loop)) { /* rollouts */ }
}

/** The loop with a sandbox that plays what `change` makes of accepted programs; gates and hints see them as they are. */
export function withPrograms(
  loop: Loop,
  change: (source: string, environment: RecordOf<"environment">) => string,
): Loop {
  const { sandbox, store } = loop;
  return {
    ...loop,
    sandbox: {
      level: sandbox.level,
      layers: sandbox.layers,
      parse: (source, options) => sandbox.parse(source, options),
      start: (source, options) => {
        const environment = store.get("environment", environmentId(source));
        // Plays name their turns; a hint's check does not.
        const isPlay = environment !== undefined && options?.maxTurns !== undefined;
        return sandbox.start(isPlay ? change(source, environment) : source, options);
      },
      [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Random delays before and after every call of the sampler and the sandbox. */
export function withDelays(loop: Loop, seed: number, most = 15): Loop {
  const random = new Random(seed);
  const around = async <T>(call: () => Promise<T>): Promise<T> => {
    await pause(random.next() * most);
    const value = await call();
    await pause(random.next() * most);
    return value;
  };
  const slowSampler = (sampler: Sampler): Sampler => ({
    sample: (request, options) => around(() => sampler.sample(request, options)),
  });
  const slowProcess = (process: EnvironmentProcess): EnvironmentProcess => ({
    maxTurns: process.maxTurns,
    reset: (instance, options) => around(() => process.reset(instance, options)),
    step: (action) => process.step(action),
    tools: () => process.tools(),
    call: (name, args) => process.call(name, args),
    answer: (text) => process.answer(text),
    criteria: () => process.criteria(),
    solution: () => process.solution(),
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  });
  const { engine, sandbox } = loop;
  const slowSandbox: Sandbox = {
    level: sandbox.level,
    layers: sandbox.layers,
    parse: (source, options) => around(() => sandbox.parse(source, options)),
    start: async (source, options) => {
      const started = await around(() => sandbox.start(source, options));
      return started.kind === "ok" ? { ...started, value: slowProcess(started.value) } : started;
    },
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
  return {
    ...loop,
    sandbox: slowSandbox,
    engine: {
      trainer: engine.trainer,
      sampler: slowSampler(engine.sampler),
      base: slowSampler(engine.base),
      log: () => engine.log(),
      [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
    },
  };
}
