import type { PythonFacts } from "../setup/mod.ts";
import type { Finding } from "./finding.ts";

/** The Deno version the project is tested with. */
export const PINNED_DENO = "2.9.6";

export function findDeno(version: string): Finding {
  if (version === PINNED_DENO) return { name: "Deno", mark: "good", found: version };
  const hint = `tested with ${PINNED_DENO}: npx -y deno@${PINNED_DENO} task ...`;
  return { name: "Deno", mark: "limited", found: version, hint };
}

export function findCores(cores: number): Finding {
  const found = `${cores}`;
  if (cores >= 2) return { name: "CPU cores", mark: "good", found };
  return {
    name: "CPU cores",
    mark: "limited",
    found,
    hint: "the default needs about twice its time",
  };
}

/** Memory in bytes. The default preset stays below 4 GB. */
export function findMemory(memory: { total: number; available: number }): Finding {
  const found = `${gigabytes(memory.available)} free of ${gigabytes(memory.total)}`;
  if (memory.available >= 4e9) return { name: "Memory", mark: "good", found };
  return { name: "Memory", mark: "limited", found, hint: "a run of the default takes up to 4 GB" };
}

/** Free bytes where the project lies; `settled`: the environments are there already. */
export function findDisk(free: number, settled: boolean): Finding {
  const found = `${gigabytes(free)} free`;
  const needed = settled ? 0.5e9 : 2e9;
  if (free >= needed) return { name: "Disk", mark: "good", found };
  const what = settled ? "runs" : "set-up and runs";
  return { name: "Disk", mark: "limited", found, hint: `${what} need about ${gigabytes(needed)}` };
}

/** The GPU: the nano policy does without, other models want one. */
export function findGpu(facts: PythonFacts | undefined, torchSeesIt: boolean | undefined): Finding {
  if (facts?.nvidia !== true) {
    const hint = "not needed for the nano policy; larger models train slowly on the CPU";
    return { name: "GPU", mark: "limited", found: "none", hint };
  }
  if (torchSeesIt === true) return { name: "GPU", mark: "good", found: "NVIDIA, seen by torch" };
  const hint = "for a torch that uses it: npx -y deno@2.9.6 task setup --torch=cuda";
  return { name: "GPU", mark: "limited", found: "NVIDIA, not used by the torch here", hint };
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
