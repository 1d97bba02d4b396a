/**
 * The sandbox of a notebook or script: opened when a program is run for the first time, and shared.
 *
 * With `SPADE_HOST` (a socket of `deno task sandbox-host`) programs run in that process and this one needs no permission
 * to run anything. Else it is started here: a notebook keeps it, a script lets it go when nothing has used it for a
 * moment, so that the process can end.
 * @module
 */
import type { IsolationLevel, Sandbox } from "../core/mod.ts";
import { requirePython } from "../cli/open_model.ts";
import { connectSandbox, startSandbox } from "../sandbox/mod.ts";
import { display, type Displayable, escapeTerminal } from "../show/mod.ts";
import { kernel } from "./outlet.ts";
import { setting, signalOr } from "./settings.ts";

/** How to open a sandbox. */
export interface OpenSandboxOptions {
  /** Socket of a host that runs already. @default the variable SPADE_HOST; without it one is started */
  host?: string;
  /** Of one that is started: below this level nothing runs. @default "landlock+seccomp" */
  minIsolation?: IsolationLevel;
  /** Of one that is started: modules that programs may import, too. @default [] */
  packages?: readonly string[];
  /** Gives up the wait. */
  signal?: AbortSignal;
}

/** What every function takes that runs programs. */
export interface SandboxOption {
  /** Runs programs. @default a shared one, see {@link openSandbox} */
  sandbox?: Sandbox;
}

/**
 * Opens a sandbox of one's own; close it, or declare it with `await using`. Nobody needs to: functions that run programs
 * open and share one by themselves.
 *
 * ```ts ignore
 * import { gate, openSandbox } from "@spade/spade";
 *
 * await using sandbox = await openSandbox({ minIsolation: "seccomp" });
 * const source = Deno.readTextFileSync("data/environments/good/three_jugs.py");
 * console.log(await gate(source, { sandbox }));
 * ```
 *
 * @throws {UsageError} where it is not set up: run `deno task setup`.
 * @throws {SandboxError} where no host answers, or the wall does not stand.
 */
export async function openSandbox(
  options: OpenSandboxOptions = {},
): Promise<Sandbox & Displayable> {
  const { host = setting("SPADE_HOST"), minIsolation, packages, signal } = options;
  signalOr(signal).throwIfAborted();
  const sandbox: Sandbox = host === undefined
    ? await startSandbox({
      python: requirePython("sandbox"),
      concurrency: 256,
      minIsolation,
      packages,
    })
    : await connectSandbox(host);
  const where = host === undefined ? "started here" : `at ${host}`;
  const text = escapeTerminal(`sandbox, level ${sandbox.level}, ${where}`);
  return display(() => ({ text }), sandbox);
}

/** Milliseconds that an unused sandbox of a script waits for its next use. */
const lingerMs = 300;
let shared: Promise<Sandbox> | undefined;
let users = 0;
let closing: ReturnType<typeof setTimeout> | undefined;

/** Runs `use` with the given sandbox or the shared one. */
export async function withSandbox<T>(
  given: Sandbox | undefined,
  use: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  if (given !== undefined) return await use(given);
  clearTimeout(closing);
  users += 1;
  const opened = shared ??= openSandbox();
  try {
    return await use(await opened);
  } finally {
    users -= 1;
    // one that did not open is opened anew
    opened.catch(() => shared === opened && (shared = undefined));
    if (users === 0 && kernel() === undefined) closing = setTimeout(closeShared, lingerMs);
  }
}

async function closeShared(): Promise<void> {
  const opened = shared;
  shared = undefined;
  await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
}
