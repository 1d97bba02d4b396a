/** What benchmarks ask of the machine they run on. Linux: CPU and memory come from /proc. */

/** The commit, marked where files differ from it. */
export async function commitOf(): Promise<string> {
  const git = new Deno.Command("git", { args: ["describe", "--always", "--dirty"] });
  return new TextDecoder().decode((await git.output()).stdout).trim();
}

/** CPU seconds of all descendants of process `of`, reaped children included. */
export function descendantsCpu(of = Deno.pid): number {
  const parents = new Map<number, number>();
  const ticks = new Map<number, number>();
  for (const entry of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(entry.name)) continue;
    try {
      const text = Deno.readTextFileSync(`/proc/${entry.name}/stat`);
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number);
      parents.set(Number(entry.name), fields[1]);
      ticks.set(Number(entry.name), fields[11] + fields[12] + fields[13] + fields[14]);
    } catch { /* it ended meanwhile */ }
  }
  let sum = 0;
  for (const [pid, value] of ticks) {
    let up: number | undefined = pid;
    while (up && up !== of) up = parents.get(up);
    if (up === of && pid !== of) sum += value;
  }
  return sum / 100;
}

/** CPU seconds of one process. */
export function cpuOf(pid: number): number {
  const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number);
  return (fields[11] + fields[12]) / 100;
}

/** The largest resident memory this process has had, or since {@link forgetPeak}. */
export function peakMemoryMb(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(Deno.readTextFileSync("/proc/self/status"))![1]) / 1024;
}

/** Starts the peak anew. */
export function forgetPeak(): void {
  Deno.writeTextFileSync("/proc/self/clear_refs", "5");
}
