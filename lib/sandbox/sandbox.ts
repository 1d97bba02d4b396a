/**
 * The sandbox: the only way to run a program.
 *
 * Deno → launcher → sealed zygote → one forked child a play, behind namespaces, an empty root, no network, Landlock,
 * no capabilities, rlimits and a system call filter; `sandbox/README.md` says what each stops and what none stops. The
 * level is what a child was observed not to be able to do; below `minIsolation` nothing runs. All plays of a zygote
 * travel over its own stdin and stdout, so the single permission needed is to run that one Python.
 * @module
 */
import { fileURLToPath } from "node:url";
import { SandboxError, UsageError } from "../core/errors.ts";
import { failed, ok, type Result } from "../core/outcome.ts";
import type {
  EnvironmentProcess,
  IsolationLevel,
  ParsedProgram,
  Sandbox,
  SandboxLimits,
  StartOptions,
} from "../core/ports.ts";
import { Process } from "./environment.ts";
import { DEFAULT_LIMITS, mergeLimits, tooLong } from "./limits.ts";
import { initReply, parseReply } from "./replies.ts";
import { type SandboxStatistics, Tally } from "./statistics.ts";
import { DeadlineError, Semaphore } from "./wait.ts";
import { WasmPlays } from "./wasm/mod.ts";
import { type Kind, kindOf, Zygotes } from "./zygotes.ts";

/** Which Python runs programs, behind which wall, and how many at a time. */
export interface SandboxOptions {
  /** Path of the Python to run (3.9 or newer, Linux); the path the run permission names. */
  python: string;
  /** Folder that holds `launcher.py`. @default `sandbox/` of this package */
  folder?: string;
  /** Children forked in advance, per zygote. @default 8 */
  poolSize?: number;
  /** Processes alive at a time; further starts wait. @default 64 */
  concurrency?: number;
  /** Below this level nothing runs. @default "landlock+seccomp" */
  minIsolation?: IsolationLevel;
  /**
   * Limits of processes whose start names none.
   *
   * @default DEFAULT_LIMITS
   */
  limits?: Partial<SandboxLimits>;
  /** Plays after which a zygote is replaced. @default 20_000 */
  playsPerZygote?: number;
  /** Folder of the sockets, absolute; null relays over one pipe. @default `.spade/s` of this package */
  sockets?: string | null;
  /** Modules that programs may import beside those of `sandbox/README.md`, e.g. "sympy". @default [] */
  packages?: readonly string[];
  /** Milliseconds a zygote may take to start. @default 30_000 */
  deadlineMs?: number;
  /** Layers to leave out, to imitate a host without them (tests). @default [] */
  without?: readonly (
    | "namespaces"
    | "chroot"
    | "user"
    | "landlock"
    | "seccomp"
    | "interpreter"
  )[];
  /** Which wall: the kernel's, wasm, or wasm where the kernel gives none. @default "any", with `without` or `folder` "kernel" */
  level?: "any" | "kernel" | "wasm";
  /** Deno for the wasm level; the run permission names it. @default "deno" */
  deno?: string;
}

/** Milliseconds a start may wait for a free place. */
const PLACE_DEADLINE_MS = 600_000;

/** Processes of the wasm level alive at a time, at most: each has an interpreter of its own. */
const WASM_CONCURRENCY = 8;

/**
 * Starts the sandbox. Throws SandboxError where the wall does not stand, UsageError for a wrong option.
 *
 * ```ts ignore
 * import { startSandbox } from "@spade/spade";
 *
 * await using sandbox = await startSandbox({ python: ".spade/sandbox/bin/python" });
 * const source = Deno.readTextFileSync("data/heldout/dev/00_gap.py");
 * const started = await sandbox.start(source, { maxTurns: 12 });
 * if (started.kind === "failed") throw new Error(`${started.blame}: ${started.reason}`);
 * await using program = started.value;
 * const first = await program.reset(7);
 * console.log(first.kind === "ok" ? first.value.observation : first.reason);
 * ```
 */
export async function startSandbox(options: SandboxOptions): Promise<LocalSandbox> {
  const { without = [], minIsolation = "landlock+seccomp" } = options;
  const level = options.level ??
    (without.length > 0 || options.folder !== undefined ? "kernel" : "any");
  const hasPackages = (options.packages ?? []).length > 0;
  if (level === "wasm" && hasPackages) {
    throw new UsageError(
      "Cannot start the sandbox: the wasm level has no packages, must be kernel",
    );
  }
  if (level === "wasm") return await startWasm(options, "not asked for");
  try {
    return await startKernel(options, minIsolation === "wasm" ? "landlock+seccomp" : minIsolation);
  } catch (error) {
    // a launcher that is late or broken on Linux is a fault to be told, not a machine without a wall
    const isWithoutWall = error instanceof SandboxError &&
      (/isolation is /.test(error.message) || Deno.build.os !== "linux");
    const isWasmEnough = ["seccomp", "landlock+seccomp", "wasm"].includes(minIsolation);
    if (level === "kernel" || !isWithoutWall || !isWasmEnough || hasPackages) throw error;
    return await startWasm(options, error.message);
  }
}

/** `kernel` says why no kernel level was taken. */
async function startWasm(options: SandboxOptions, kernel: string): Promise<LocalSandbox> {
  const plays = new WasmPlays({
    deno: options.deno ?? "deno",
    pool: options.poolSize ?? 2,
    without: options.without ?? [],
    deadlineMs: options.deadlineMs ?? 120_000,
  });
  try {
    const { layers } = await plays.probe();
    return new RunningSandbox(
      plays,
      new Semaphore(Math.min(options.concurrency ?? WASM_CONCURRENCY, WASM_CONCURRENCY)),
      mergeLimits(DEFAULT_LIMITS, options.limits),
      "wasm",
      { ...layers, kernel },
    );
  } catch (error) {
    await plays.close();
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    const problem = `the wasm level must be allowed to run ${options.deno ?? "deno"}` +
      " (deno task: set SPADE_WASM=1)";
    throw new SandboxError(`Cannot start the sandbox: ${problem} (kernel levels: ${kernel})`, {
      cause: error,
    });
  }
}

async function startKernel(
  options: SandboxOptions,
  minIsolation: IsolationLevel,
): Promise<LocalSandbox> {
  const limits = mergeLimits(DEFAULT_LIMITS, options.limits);
  const zygotes = new Zygotes({
    limits,
    sockets: options.sockets === undefined ? socketFolder() : options.sockets,
    python: options.python,
    script: launcherPath(options.folder),
    pool: options.poolSize ?? 8,
    packages: checkPackages(options.packages ?? []),
    without: options.without ?? [],
    deadlineMs: options.deadlineMs ?? 30_000,
    minIsolation,
    playsEach: options.playsPerZygote ?? 20_000,
  });
  const first = await zygotes.get("bare", 0);
  const { level } = first.ready;
  const layers = { ...first.ready.layers, sockets: first.relayed || (true as const) };
  if (level === "refused") throw new SandboxError("Cannot start the sandbox: it was refused");
  // where no cgroup bounds them together, no more at a time than fit into memory
  const fitting = first.ready.layers.memory === true
    ? Infinity
    : Math.max(1, Math.floor(first.ready.memoryMb / limits.memoryMb));
  const places = new Semaphore(Math.min(options.concurrency ?? 64, fitting));
  return new RunningSandbox(
    zygotes,
    places,
    limits,
    level,
    layers,
  );
}

function checkPackages(packages: readonly string[]): readonly string[] {
  for (const name of packages) {
    if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(name)) {
      const problem = `"${name}" must be the name of a module`;
      throw new UsageError(`Cannot start the sandbox: package ${problem}`);
    }
  }
  return packages;
}

function launcherPath(folder: string | undefined): string {
  if (folder !== undefined) return `${folder.replace(/\/$/, "")}/launcher.py`;
  const url = new URL("../../sandbox/launcher.py", import.meta.url);
  if (url.protocol !== "file:") {
    throw new UsageError("Cannot start the sandbox: folder is missing, must be a local path");
  }
  return fileURLToPath(url);
}

function socketFolder(): string | null {
  const url = new URL("../../.spade/s", import.meta.url);
  return url.protocol === "file:" ? fileURLToPath(url) : null;
}

/** A sandbox in this process, which can tell what it has done. */
export interface LocalSandbox extends Sandbox {
  /** Counts of what it has done so far. */
  statistics(): SandboxStatistics;
}

class RunningSandbox implements LocalSandbox {
  readonly #tally = new Tally();
  readonly #zygotes: Zygotes | WasmPlays;
  readonly #places: Semaphore;
  readonly #limits: SandboxLimits;

  constructor(
    zygotes: Zygotes | WasmPlays,
    places: Semaphore,
    limits: SandboxLimits,
    readonly level: IsolationLevel,
    readonly layers: Readonly<Record<string, true | string>>,
  ) {
    this.#zygotes = zygotes;
    this.#places = places;
    this.#limits = limits;
  }

  async start(source: string, options: StartOptions = {}): Promise<Result<EnvironmentProcess>> {
    const opened = await this.#open(source, kindOf(source), options);
    if (opened.kind !== "ok") return opened;
    const process = opened.value;
    const message = { op: "init", source, maxTurns: options.maxTurns ?? null };
    const reply = await process.open(initReply, message);
    options.signal?.throwIfAborted();
    if (reply.kind !== "ok") return reply;
    process.maxTurns = reply.value.maxTurns ?? undefined;
    return ok(process);
  }

  async parse(
    source: string,
    options: { signal?: AbortSignal; details?: boolean } = {},
  ): Promise<Result<ParsedProgram>> {
    const opened = await this.#open(source, "bare", options);
    if (opened.kind !== "ok") return opened;
    await using process = opened.value;
    const reply = await process.open(parseReply, {
      op: "parse",
      source,
      details: options.details ?? false,
    });
    options.signal?.throwIfAborted();
    if (reply.kind !== "ok") return reply;
    const { i: _, ...parsed } = reply.value;
    return ok(parsed);
  }

  statistics(): SandboxStatistics {
    const { outcomes, cpuSeconds } = this.#tally;
    const zygotes = this.#zygotes instanceof Zygotes ? this.#zygotes : undefined;
    return {
      outcomes: { ...outcomes },
      open: this.#places.inUse,
      waiting: this.#places.waiting,
      cpuSeconds,
      starts: zygotes ? { ...zygotes.starts } : { pooled: 0, fresh: 0, relayed: 0 },
      zygotes: {
        running: zygotes?.all.length ?? 0,
        started: zygotes?.started ?? 0,
        replacements: zygotes?.replacements ?? 0,
      },
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#zygotes.close();
  }

  /** A process that has been asked nothing yet. */
  async #open(source: string, kind: Kind, options: StartOptions): Promise<Result<Process>> {
    const { signal } = options;
    signal?.throwIfAborted();
    const limits = mergeLimits(this.#limits, options.limits);
    const problem = tooLong(source);
    if (problem) return problem;
    let release: (() => void) | undefined;
    try {
      release = await this.#places.acquire(PLACE_DEADLINE_MS, signal);
      const launcher = await this.#zygotes.get(kind, options.hashSeed ?? 0);
      signal?.throwIfAborted();
      return ok(openProcess(launcher.channel(limits), limits, (...end) => {
        this.#tally.add(...end);
        release!();
      }, signal));
    } catch (error) {
      release?.();
      if (error instanceof DeadlineError) return failed("host", "busy", error.message);
      if (error instanceof SandboxError) return failed("host", "launcher", error.message);
      throw error;
    }
  }
}

function openProcess(
  channel: ConstructorParameters<typeof Process>[0],
  limits: SandboxLimits,
  onEnd: ConstructorParameters<typeof Process>[2],
  signal: AbortSignal | undefined,
): Process {
  const abort = () => process.fail(failed("host", "aborted", "the caller gave up"));
  const process = new Process(channel, limits, (...end) => {
    signal?.removeEventListener("abort", abort);
    onEnd(...end);
  });
  signal?.addEventListener("abort", abort);
  return process;
}
