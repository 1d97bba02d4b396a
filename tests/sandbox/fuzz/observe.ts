/** What is there at a quiet moment: this process and those below it. Python looks: /proc needs --allow-all in Deno. */
import { createContext, runInContext } from "node:vm";
import { setFlagsFromString } from "node:v8";
import { python } from "../helper.ts";

/** One process below this one. */
export interface Below {
  pid: number;
  zombie: boolean;
  /** Resident, MB. */
  mb: number;
  children: number;
  /** Open descriptors; null where they may not be looked at. */
  files: number | null;
}

export interface Moment {
  /** This process: used heap after a collection and resident, MB; open descriptors. */
  heapMb: number;
  mb: number;
  files: number;
  below: Below[];
}

const OBSERVE = `
import json, os, sys
top, me = int(sys.argv[1]), os.getpid(); page = os.sysconf("SC_PAGESIZE") / 1e6; parents = {}; states = {}
for name in os.listdir("/proc"):
    if name.isdigit():
        try: text = open("/proc/%s/stat" % name).read()
        except OSError: continue
        fields = text[text.rindex(")") + 2:].split(); parents[int(name)] = int(fields[1]); states[int(name)] = fields[0]
def is_below(pid):
    while pid and pid != top: pid = parents.get(pid)
    return pid == top
def resident(pid):
    try: return round(int(open("/proc/%d/statm" % pid).read().split()[1]) * page, 2)
    except OSError: return 0
def files(pid):
    try: return len(os.listdir("/proc/%d/fd" % pid))
    except PermissionError: return None
    except FileNotFoundError: return 0
pids = [pid for pid in parents if pid not in (top, me) and is_below(pid)]
print(json.dumps({"mb": resident(top), "files": files(top), "below": [{"pid": pid, "zombie": states[pid] == "Z",
  "mb": resident(pid), "files": files(pid), "children": list(parents.values()).count(pid)} for pid in pids]}))
`;

/** Looks once what was killed has been reaped. */
export async function observe(): Promise<Moment> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  setFlagsFromString("--expose_gc");
  runInContext("gc", createContext())();
  const heapMb = Math.round(Deno.memoryUsage().heapUsed / 1e4) / 100;
  const { stdout } = await new Deno.Command(python, {
    args: ["-I", "-c", OBSERVE, String(Deno.pid)],
    clearEnv: true,
  }).output();
  return { heapMb, ...JSON.parse(new TextDecoder().decode(stdout)) };
}

/**
 * What grew or stayed. The first moment is before all plays, the second after some: what is made once is made by then.
 * Compared are processes that were always there: launchers, zygotes, and what waits in a pool. A zygote may hold one
 * descriptor for each child and as many children as its pool.
 */
export function leaks(moments: readonly Moment[], poolSize: number): string[] {
  const [first, warm, last] = [moments[0], moments[1], moments[moments.length - 1]];
  const found: string[] = [];
  if (last.files > warm.files) found.push(`${last.files - warm.files} descriptors of the host`);
  if (last.heapMb > warm.heapMb + 8) found.push(`heap ${warm.heapMb} to ${last.heapMb} MB`);
  if (last.mb > warm.mb + 64) found.push(`host ${warm.mb} to ${last.mb} MB`);
  for (const before of first.below) {
    const after = last.below.find(({ pid }) => pid === before.pid);
    const middle = warm.below.find(({ pid }) => pid === before.pid);
    if (!after || !middle) continue;
    const most = before.children === 0 ? 0 : Math.max(1, poolSize);
    if (after.children > most) found.push(`${after.children} children of ${after.pid}`);
    if (after.mb > middle.mb + 4) found.push(`${after.pid} from ${middle.mb} to ${after.mb} MB`);
    if (before.files !== null && after.files !== null) {
      const more = after.files - after.children - (before.files - before.children);
      if (more > 0) found.push(`${more} descriptors of ${after.pid}`);
    }
  }
  const zombies = last.below.filter(({ zombie }) => zombie).length;
  if (zombies > 0) found.push(`${zombies} zombies`);
  return found;
}
