/**
 * A sandbox host as a process of its own: for callers that may do anything, such as a notebook's kernel. The host may run
 * the sandbox's Python, use the one socket, and nothing else.
 * @module
 */
import { fileURLToPath } from "node:url";
import { SandboxError } from "../../core/errors.ts";
import type { Sandbox } from "../../core/ports.ts";
import { within } from "../wait.ts";
import { connectSandbox } from "./connect.ts";

/** Where the host listens, and with what it is started. */
export interface LaunchOptions {
  /** Where it listens; at most 107 bytes. @default ".spade/host.sock" of the project */
  path?: string;
  /** Path of the Python to run. @default the one `deno task setup` makes */
  python?: string;
  /** Further arguments of `deno task sandbox-host`. @default [] */
  args?: readonly string[];
  /** Milliseconds it may take to start. @default 30_000 */
  deadlineMs?: number;
}

/** Variables that Deno itself needs to find its cache; nothing else of the environment is handed on. */
const PASSED = ["HOME", "PATH", "DENO_DIR", "XDG_CACHE_HOME", "DENO_TLS_CA_STORE"];

/**
 * Starts a host and connects to it; where one listens already, that one is used. Closing the sandbox ends the host that
 * was started for it, and so does the end of this process.
 *
 * ```ts ignore
 * import { launchSandbox } from "@spade/spade";
 *
 * await using sandbox = await launchSandbox();
 * const { kind } = await sandbox.parse("class SumEnv:\n    pass\n");
 * ```
 *
 * @throws {SandboxError} where it does not start, with its last words.
 */
export async function launchSandbox(options: LaunchOptions = {}): Promise<Sandbox> {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const path = options.path ?? `${root}.spade/host.sock`;
  const running = await connectSandbox(path).catch((error: Error) => {
    const isAbsent = error.cause instanceof Deno.errors.NotFound ||
      error.cause instanceof Deno.errors.ConnectionRefused;
    if (!isAbsent) throw error;
  });
  if (running) return running;
  const python = options.python ?? `${root}.spade/sandbox/bin/python`;
  const env: Record<string, string> = { SPADE_HOST: path, SPADE_SANDBOX_PYTHON: python };
  for (const name of PASSED) {
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  const allowed = grants(path, python, `${root}.spade/s`);
  const host = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-prompt", "--config", `${root}deno.json`, ...allowed],
      ...[`${root}scripts/sandbox_host.ts`, "--until-eof", ...options.args ?? []],
    ],
    clearEnv: true,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = new Response(host.stderr).text();
  const output = host.stdout.getReader();
  const end = async () => {
    await host.stdin.close().catch(() => {});
    try {
      await within(host.status, 5000, "the sandbox host to end");
    } catch {
      host.kill("SIGKILL");
    }
    await Promise.all([host.status, output.cancel(), errors]);
  };
  try {
    // its first words say that it listens; none: it has ended
    const { done } = await within(output.read(), options.deadlineMs ?? 30_000, "the sandbox host");
    if (done) throw new SandboxError((await errors).slice(-2000).trim() || "it ended at once");
    const sandbox = await connectSandbox(path);
    return {
      level: sandbox.level,
      layers: sandbox.layers,
      start: (source, settings) => sandbox.start(source, settings),
      parse: (source, settings) => sandbox.parse(source, settings),
      async [Symbol.asyncDispose]() {
        await sandbox[Symbol.asyncDispose]();
        await end();
      },
    };
  } catch (cause) {
    await end();
    const { message } = cause as Error;
    throw new SandboxError(`Cannot start a sandbox host: ${message}`, { cause });
  }
}

/** What a host may do: `sockets` is the folder of those between it and its zygotes (sandbox/door.py). */
function grants(path: string, python: string, sockets: string): string[] {
  const slots = Array.from({ length: 8 }, (_, slot) => `unix:${sockets}/${slot}.sock`);
  return [
    `--allow-run=${python}`,
    `--allow-read=${path},${sockets}`,
    `--allow-write=${path},${sockets}`,
    `--allow-net=${[`unix:${path}`, ...slots]}`,
    "--allow-env=SPADE_HOST,SPADE_SANDBOX_PYTHON",
  ];
}
