/**
 * What an interrupt has to be. Deno's kernel knows one kind, a request that ends the JavaScript which runs now: right for an
 * endless loop, but while a cell awaits, nothing runs, and after it the kernel never answers again. A cell that awaits is
 * asked by SIGINT, where somebody listens to it. And where a cell awaited before it computed, the request leaves a promise
 * that nobody will settle: the kernel gives the cell up once that is collected, which SIGUSR2 asks for.
 * @module
 */

/** `request`: JavaScript runs; `signal`: it waits and listens to SIGINT; `nothing`: it waits and does not listen. */
export type InterruptKind = "request" | "signal" | "nothing";

/** Looks in a row that must find JavaScript running: a request would cut work of ours in two that only computes for a moment. */
const LOOKS = 3;
const SAMPLES = 10;
/** Samples of a look that may find a computing thread waiting: for the collection of garbage, for a disk. */
const WAITING = 1;
const NUMBERS = { SIGINT: 2n, SIGUSR2: 12n };

/** Deno may not read /proc itself. Each sample ends with an empty line; the last part is the process's status. */
const LOOK = `i=0
while [ $i -lt $2 ]; do
  cat /proc/$1/task/*/stat; echo; sleep 0.025; i=$((i+1))
done 2>/dev/null
exec cat /proc/$1/status`;

/** The program that looks; whoever asks must be allowed to run it. */
export const SHELL = "/bin/sh";

/**
 * Looks at a kernel's process for 0.3 s, or 1 s where it computes. Where the system has no /proc it is always `request`.
 */
export async function interruptKind(pid: number): Promise<InterruptKind> {
  for (let look = 0; look < LOOKS; look++) {
    const seen = await lookAt(pid, SAMPLES);
    const kind = seen === undefined ? "request" : kindOf(seen, pid);
    if (kind !== "request") return kind;
  }
  return "request";
}

/** Whether a process listens to a signal; false also where the system has no /proc. */
export async function listensTo(pid: number, signal: keyof typeof NUMBERS): Promise<boolean> {
  return catches(await lookAt(pid, 0) ?? "", signal);
}

async function lookAt(pid: number, samples: number): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return undefined;
  const { success, stdout } = await new Deno.Command(SHELL, {
    args: ["-c", LOOK, "sh", String(pid), String(samples)],
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin" },
    stdin: "null",
    stderr: "null",
  }).output();
  return success ? new TextDecoder().decode(stdout) : undefined;
}

/**
 * What samples of a process's threads, and its status, come to.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const sample = "7 (deno) S 1\n8 (deno) S 1\n9 (V8 Worker) R 1\n\n";
 * assert.equal(kindOf(sample.repeat(10) + "SigCgt:\t0000000000004443\n", 7), "signal");
 * ```
 */
export function kindOf(samples: string, pid: number): InterruptKind {
  const parts = samples.split("\n\n");
  const status = parts.pop()!;
  const waiting = parts.filter((sample) => !computes(sample, pid)).length;
  if (waiting <= WAITING) return "request";
  return catches(status, "SIGINT") ? "signal" : "nothing";
}

/** Caught signals are a bit each. */
function catches(status: string, signal: keyof typeof NUMBERS): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return (BigInt(`0x${caught}`) >> (NUMBERS[signal] - 1n) & 1n) === 1n;
}

/** Cells run in a thread that bears the process's name; its first thread only speaks with the clients. */
function computes(sample: string, pid: number): boolean {
  const threads = [...sample.matchAll(/^(\d+) \((.*)\) (\w)/gm)];
  const name = threads.find(([, id]) => Number(id) === pid)?.[2];
  return threads.some(([, id, of, state]) => Number(id) !== pid && of === name && state !== "S");
}
