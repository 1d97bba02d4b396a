import { failed } from "../../core/mod.ts";
import type { EnvironmentProcess, Result, Sandbox, Stepped } from "../../core/mod.ts";
import { type SandboxOptions, startSandbox } from "../../sandbox/mod.ts";
import type { Configuration } from "./configurations.ts";
import {
  type Attack,
  hostileProgram,
  isContained,
  normalise,
  type Suite,
  type Targets,
} from "./suite.ts";

export interface Outcome {
  attack: Attack;
  /** Normalised; `skipped WHY` where it cannot run here. */
  seen: string;
  contained: boolean;
}

export interface RunOptions {
  python: string;
  /** Folder of the launcher that can leave layers out. */
  weakened: string;
  targets: Targets;
  /** Only these attacks. @default all */
  only?: (attack: Attack) => boolean;
  onOutcome?: (outcome: Outcome) => void;
}

/** CPU time decides; the wall time is long, so that a busy machine changes no outcome. */
const LIMITS = { requestCpuSeconds: 0.4, requestSeconds: 30, cpuSeconds: 8, memoryMb: 200 };
/** Filling memory takes longer than any other step, the less the less there is. */
const SLOWER = { ...LIMITS, requestCpuSeconds: 6, requestSeconds: 120, memoryMb: 64 };
/** The layer "time" taken away. */
const ENDLESS = { requestCpuSeconds: 1e6, requestSeconds: 1e6, cpuSeconds: 1e6, seconds: 1e6 };
/** Milliseconds after which an attack that no layer ends is ended. */
const PATIENCE_MS = 150_000;
const IMPATIENCE_MS = 1000;
const ALIVE = 'class AEnv:\n    def reset(self, seed): return "alive", {}\n';

/** Runs the attacks under one configuration. Throws SandboxError where it cannot be produced here. */
export async function runAttacks(
  suite: Suite,
  configuration: Configuration,
  options: RunOptions,
): Promise<Outcome[]> {
  const needsWeakened = configuration.level === undefined || configuration.without.includes("root");
  await using sandbox = await startSandbox({
    python: options.python,
    ...needsWeakened ? { folder: options.weakened } : {},
    without: configuration.without as SandboxOptions["without"],
    minIsolation: "seccomp",
    level: "kernel",
    deadlineMs: 120_000,
    // the range has no way to the folder of the sockets
    ...needsWeakened ? { sockets: null } : {},
    poolSize: 2,
  });
  const { level } = configuration;
  const hasTime = !configuration.dropped.includes("time");
  if (level !== undefined && sandbox.level !== level) {
    return suite.attacks.map((attack) => ({
      attack,
      seen: `skipped level is ${sandbox.level}`,
      contained: true,
    }));
  }
  // without a limit of time only what is ended by it: a busy machine makes others look as if they hung
  const waiting = suite.attacks.filter((attack) =>
    (options.only?.(attack) ?? true) && (hasTime || isEndless(attack))
  );
  const outcomes = new Map<string, Outcome>();
  const worker = async () => {
    await using sibling = new Sibling(sandbox);
    await sibling.isAlive();
    for (let attack = waiting.shift(); attack; attack = waiting.shift()) {
      let seen = await strike(sandbox, suite, attack, options.targets, hasTime);
      const isAlive = await sibling.isAlive();
      if (!isAlive && isContained(attack, seen)) seen += " and a sibling lost";
      const contained = seen.startsWith("skipped ") || isContained(attack, seen);
      const outcome = { attack, seen: normalise(seen), contained };
      outcomes.set(attack.name, outcome);
      options.onOutcome?.(outcome);
    }
  };
  // one that gets through may end its neighbours: one at a time, or it is not known whose doing it was
  const isWeak = configuration.dropped.some((layer) =>
    ["seccomp", "descriptors", "limits"].includes(layer)
  );
  const workers = isWeak ? 1 : 4;
  await Promise.all(Array.from({ length: workers }, worker));
  return suite.attacks.flatMap(({ name }) => outcomes.get(name) ?? []);
}

function isEndless({ kind, failures }: Attack): boolean {
  return kind !== "resources" && failures?.[0] === "deadline";
}

/** A play beside the attacks that must stay alive. */
class Sibling {
  #process: EnvironmentProcess | undefined;
  constructor(readonly sandbox: Sandbox) {}

  async isAlive(): Promise<boolean> {
    if (this.#process === undefined) {
      const started = await this.sandbox.start(ALIVE);
      if (started.kind !== "ok") return false;
      this.#process = started.value;
    }
    if ((await this.#process.reset(1)).kind === "ok") return true;
    await this[Symbol.asyncDispose]();
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]();
    this.#process = undefined;
  }
}

async function strike(
  sandbox: Sandbox,
  suite: Suite,
  attack: Attack,
  targets: Targets,
  hasTime: boolean,
): Promise<string> {
  const isSlow = attack.kind === "resources";
  const patienceMs = hasTime ? PATIENCE_MS : IMPATIENCE_MS;
  const limits = {
    ...isSlow ? SLOWER : LIMITS,
    ...attack.idle ? { requestSeconds: 1 } : {},
    ...hasTime ? {} : ENDLESS,
  };
  const source = hostileProgram(suite, attack, targets);
  const started = await sandbox.start(source, {
    limits,
  });
  if (started.kind !== "ok") {
    return started.detail?.includes("numpy is missing")
      ? "skipped numpy is missing"
      : describe(started);
  }
  await using process = started.value;
  const reset = await process.reset(1);
  if (reset.kind !== "ok") return describe(reset);
  const first = await patiently(process, patienceMs);
  if (first.kind !== "ok" || !attack.again) return describe(first);
  const second = describe(await patiently(process, patienceMs));
  return `${describe(first)} then ${second.replace(/^answer |^failed /, "")}`;
}

async function patiently(
  process: EnvironmentProcess,
  patienceMs: number,
): Promise<Result<Stepped>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Result<Stepped>>((resolve) => {
    timer = setTimeout(() => resolve(failed("host", "hung")), patienceMs);
  });
  const result = await Promise.race([process.step("x"), late]);
  clearTimeout(timer);
  return result;
}

function describe(result: Result<Stepped | unknown>): string {
  if (result.kind === "ok") return `answer ${(result.value as Stepped).observation}`;
  return result.blame === "designer" ? `failed ${result.reason}` : `host ${result.reason}`;
}
