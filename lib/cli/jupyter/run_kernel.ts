/**
 * What both launchers do: Deno's kernel as a child, with a relay before its control port, so that the stop button also ends
 * a cell that awaits (`lib/kernel/interrupt.ts` says how).
 *
 * It guarantees: the kernel ends with `signal`, with this process however it ends, and when the process that started this one
 * is gone.
 * @module
 */
import * as path from "node:path";
import { z } from "zod";
import {
  type Connection,
  interruptKind,
  kill,
  listensTo,
  relayControl,
  SHELL,
} from "../../kernel/mod.ts";

const port = z.number().int().min(1).max(65_535);
const connectionFields = z.looseObject({
  transport: z.literal("tcp"),
  ip: z.literal("127.0.0.1"),
  key: z.string(),
  signature_scheme: z.literal("hmac-sha256"),
  shell_port: port,
  iopub_port: port,
  stdin_port: port,
  control_port: port,
  hb_port: port,
});

const LOOK_MS = 1_000;
/** By then a request has ended what ran. */
const FREE_MS = 200;

/** A kernel's connections: what its clients use, and what it gets itself. */
export interface KernelConnections {
  /** As in the file that the front end wrote. */
  outer: Connection;
  /** The same with another control port. */
  inner: Connection;
  /** The file that holds the inner one. */
  file: string;
}

/** Reads a front end's connection file and writes the kernel's own into `folder`. */
export async function openConnections(file: string, folder: string): Promise<KernelConnections> {
  const outer: Connection = connectionFields.parse(JSON.parse(await Deno.readTextFile(file)));
  using free = Deno.listen({ hostname: outer.ip, port: 0 });
  const inner = { ...outer, control_port: free.addr.port };
  const own = path.join(folder, "connection.json");
  await Deno.writeTextFile(own, JSON.stringify(inner), { mode: 0o600 });
  return { outer, inner, file: own };
}

/** The command of Deno's kernel, for its own connection file. */
export function denoKernel(file: string): [string, ...string[]] {
  return [Deno.execPath(), "jupyter", "--quiet", "--kernel", "--conn", file];
}

/** Starts the kernel and waits for its end; returns its exit code, 130 where `signal` ended it. */
export async function runKernel(
  command: Deno.Command,
  { outer, inner }: KernelConnections,
  options: { signal: AbortSignal; onStart?: (child: Deno.ChildProcess) => void },
): Promise<number> {
  const { signal, onStart } = options;
  signal.throwIfAborted();
  const child = command.spawn();
  onStart?.(child);
  const end = () => kill(child, "SIGKILL");
  signal.addEventListener("abort", end);
  const parent = Deno.ppid;
  const look = setInterval(() => Deno.ppid === parent || end(), LOOK_MS);
  const free = async () => await listensTo(child.pid, "SIGUSR2") && kill(child, "SIGUSR2");
  const onInterrupt = async () => {
    const kind = await interruptKind(child.pid);
    if (kind === "signal") kill(child, "SIGINT");
    if (kind === "request") setTimeout(free, FREE_MS);
    return kind !== "request";
  };
  try {
    using _leash = leash(child.pid);
    using _relay = await relayControl({
      connection: outer,
      port: inner.control_port,
      onInterrupt,
    });
    const { code } = await child.status;
    return signal.aborted ? 130 : code;
  } finally {
    clearInterval(look);
    end();
  }
}

/** A shell that kills a process when this one is killed: then its input ends. */
function leash(pid: number): Disposable {
  const shell = new Deno.Command(SHELL, {
    args: ["-c", 'read -r _; kill -KILL "$1"', "sh", String(pid)],
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  return { [Symbol.dispose]: () => kill(shell, "SIGKILL") };
}
