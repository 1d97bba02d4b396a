/**
 * What an interrupt has to be. Deno's kernel knows one kind, a request that ends the JavaScript which runs now: right for an
 * endless loop, but while a cell awaits, nothing runs, and the kernel never answers again. A cell that awaits is asked by
 * SIGINT, where somebody listens to it.
 * @module
 */

const SAMPLES = 20;
const SAMPLE_MS = 15;
/** Samples that may find a computing thread waiting: for the collection of garbage, for a disk. */
const WAITING = 2;
const SIGINT = 2n;

/** `request`: JavaScript runs; `signal`: it waits and listens to SIGINT; `nothing`: it waits and does not listen. */
export type InterruptKind = "request" | "signal" | "nothing";

/**
 * Looks at a kernel's process for up to 0.3 s; `request` also where the system has no /proc.
 *
 * ```ts ignore check
 * import { interruptKind } from "../kernel/mod.ts";
 *
 * if (await interruptKind(child.pid) === "signal") child.kill("SIGINT");
 * ```
 */
export async function interruptKind(pid: number, proc = "/proc"): Promise<InterruptKind> {
  try {
    let waiting = 0;
    for (let sample = 0; sample < SAMPLES && waiting <= WAITING; sample++) {
      if (!await computes(`${proc}/${pid}/task`, pid)) waiting += 1;
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
    if (waiting <= WAITING) return "request";
    const status = await Deno.readTextFile(`${proc}/${pid}/status`);
    const caught = BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)$/m.exec(status)![1]}`);
    return (caught >> (SIGINT - 1n) & 1n) === 1n ? "signal" : "nothing";
  } catch {
    return "request";
  }
}

/** Whether cells are being computed: by a thread that bears the process's name but is not its first one. */
async function computes(tasks: string, pid: number): Promise<boolean> {
  const { name } = await threadOf(`${tasks}/${pid}`);
  for await (const { name: id } of Deno.readDir(tasks)) {
    if (id === String(pid)) continue;
    const thread = await threadOf(`${tasks}/${id}`).catch(() => undefined); // it ended meanwhile
    if (thread?.name === name && thread.state !== "S") return true;
  }
  return false;
}

async function threadOf(folder: string): Promise<{ name: string; state: string }> {
  const [, name, state] = /\((.*)\) (\w)/s.exec(await Deno.readTextFile(`${folder}/stat`))!;
  return { name, state };
}
