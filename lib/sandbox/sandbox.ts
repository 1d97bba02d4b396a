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
import { DEFAULT_LIMITS, MAX_SOURCE_BYTES, mergeLimits } from "./limits.ts";
import { initReply, parseReply } from "./replies.ts";
import { DeadlineError, Semaphore } from "./wait.ts";
import { type Kind, kindOf, Zygotes } from "./zygotes.ts";

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
  /** Limits of processes whose start names none. */
  limits?: Partial<SandboxLimits>;
  /** Milliseconds a zygote may take to start. @default 30_000 */
  deadlineMs?: number;
  /** Layers to leave out, to imitate a host without them (tests). @default [] */
  without?: readonly ("namespaces" | "chroot" | "user" | "landlock" | "seccomp")[];
}

/** Milliseconds a start may wait for a free place. */
const PLACE_DEADLINE_MS = 600_000;

/** Starts the sandbox. Throws SandboxError where the wall does not stand, UsageError for a wrong option. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const minIsolation = options.minIsolation ?? "landlock+seccomp";
  if (minIsolation === "wasm") {
    throw new UsageError("Cannot start the sandbox: the wasm level is not built yet");
  }
  const zygotes = new Zygotes({
    python: options.python,
    script: launcherPath(options.folder),
    pool: options.poolSize ?? 8,
    without: options.without ?? [],
    deadlineMs: options.deadlineMs ?? 30_000,
    minIsolation,
  });
  const { level, layers } = (await zygotes.get("bare", 0)).ready;
  if (level === "refused") throw new SandboxError("Cannot start the sandbox: it was refused");
  const places = new Semaphore(options.concurrency ?? 64);
  return new RunningSandbox(
    zygotes,
    places,
    mergeLimits(DEFAULT_LIMITS, options.limits),
    level,
    layers,
  );
}

function launcherPath(folder: string | undefined): string {
  if (folder !== undefined) return `${folder.replace(/\/$/, "")}/launcher.py`;
  const url = new URL("../../sandbox/launcher.py", import.meta.url);
  if (url.protocol !== "file:") {
    throw new UsageError("Cannot start the sandbox: folder is missing, must be a local path");
  }
  return fileURLToPath(url);
}

class RunningSandbox implements Sandbox {
  readonly #zygotes: Zygotes;
  readonly #places: Semaphore;
  readonly #limits: SandboxLimits;

  constructor(
    zygotes: Zygotes,
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
    options: { signal?: AbortSignal } = {},
  ): Promise<Result<ParsedProgram>> {
    const opened = await this.#open(source, "bare", options);
    if (opened.kind !== "ok") return opened;
    await using process = opened.value;
    const reply = await process.open(parseReply, { op: "parse", source });
    options.signal?.throwIfAborted();
    if (reply.kind !== "ok") return reply;
    const { environments, treeHash, imports, constant } = reply.value;
    return ok({ environments, treeHash, imports, constant });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#zygotes.close();
  }

  /** A process that has been asked nothing yet. */
  async #open(source: string, kind: Kind, options: StartOptions): Promise<Result<Process>> {
    const { signal } = options;
    signal?.throwIfAborted();
    const limits = mergeLimits(this.#limits, options.limits);
    const bytes = new TextEncoder().encode(source).length;
    if (bytes > MAX_SOURCE_BYTES) {
      const problem = `is ${bytes} bytes, must be at most ${MAX_SOURCE_BYTES}`;
      return failed("designer", "contract", `program: ${problem}`);
    }
    let release: (() => void) | undefined;
    try {
      release = await this.#places.acquire(PLACE_DEADLINE_MS, signal);
      const launcher = await this.#zygotes.get(kind, options.hashSeed ?? 0);
      signal?.throwIfAborted();
      return ok(openProcess(launcher, limits, release, signal));
    } catch (error) {
      release?.();
      if (error instanceof DeadlineError) return failed("host", "busy", error.message);
      if (error instanceof SandboxError) return failed("host", "launcher", error.message);
      throw error;
    }
  }
}

function openProcess(
  launcher: ConstructorParameters<typeof Process>[0],
  limits: SandboxLimits,
  release: () => void,
  signal: AbortSignal | undefined,
): Process {
  const abort = () => process.fail(failed("host", "aborted", "the caller gave up"));
  const process = new Process(launcher, limits, () => {
    signal?.removeEventListener("abort", abort);
    release();
  });
  signal?.addEventListener("abort", abort);
  return process;
}
