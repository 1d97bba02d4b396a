/**
 * `doctor --sandbox`: each layer of the wall, what was tried against it, what was observed, and what to change on the
 * host for the next level.
 * @module
 */
import { type IsolationLevel, SandboxError } from "../../core/mod.ts";
import { startSandbox } from "../../sandbox/mod.ts";
import type { Finding } from "./finding.ts";

type Layers = Readonly<Record<string, true | string>>;

/** By layer: its name for people, what a probe tried and saw where it stands, and what to do where it does not. */
const WORDS: Record<string, { name: string; tried: string; advice: (reason: string) => string }> = {
  seccomp: {
    name: "System call filter",
    tried: "a child tried to open, connect, signal, fork and make memory files: all refused",
    advice: () =>
      "needs Linux on x86-64 or aarch64 with CONFIG_SECCOMP_FILTER; elsewhere there is the wasm level",
  },
  namespaces: {
    name: "Own namespaces",
    tried: "without the filter a child is process 1, nobody's user, and sees no other process",
    advice: adviseNamespaces,
  },
  emptyRoot: {
    name: "Empty root folder",
    tried: "without the filter /etc does not exist",
    advice: () => "comes with the namespaces; as root also without them",
  },
  network: {
    name: "No network",
    tried: "without the filter 127.0.0.1 cannot be reached",
    advice: () => "comes with the namespaces",
  },
  landlock: {
    name: "Landlock",
    tried: "without the filter opening / is refused",
    advice: (reason) =>
      reason === "switched off"
        ? "it was left out on purpose"
        : "needs Linux 5.13 or newer with landlock in /sys/kernel/security/lsm; if it is not there: add " +
          "lsm=landlock,... to the kernel's command line",
  },
  user: {
    name: "Another user",
    tried: "a child does not run as you",
    advice: () => "comes with the namespaces; as root also without them",
  },
  capabilities: {
    name: "No privileges",
    tried: "a child holds none, cannot gain any and cannot be traced",
    advice: () => "must never be missing: please report this machine's kernel",
  },
  processes: {
    name: "Limit on processes",
    tried: "without the filter a fork is refused",
    advice: () => "the filter refuses it too; root is exempt from this limit",
  },
  memory: {
    name: "Memory of all plays",
    tried: "all plays of a zygote live in a group (cgroup) with a limit",
    advice: () =>
      "for one limit on all: systemd-run --user --scope -p Delegate=yes deno task train (or a container or " +
      "service with the memory and pids controllers delegated)",
  },
};

function adviseNamespaces(reason: string): string {
  if (reason === "switched off") return "they were left out on purpose";
  if (reason.includes("ENOSPC")) {
    return "the host allows none: sudo sysctl user.max_user_namespaces=15000";
  }
  if (/EINVAL|ENOSYS/.test(reason)) return "the kernel was built without them (CONFIG_USER_NS)";
  if (!reason.startsWith("unshare: EPERM")) {
    return "they can be made but not used, as on Ubuntu 23.10 and newer: " +
      "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile with `userns,` for this " +
      "Python";
  }
  return "in a container: start it with --security-opt seccomp=PROFILE that allows unshare and mount (or run outside " +
    "it); on Debian and others: sudo sysctl kernel.unprivileged_userns_clone=1";
}

/** One finding a layer, in the order of {@link WORDS}. */
export function describeLayers(layers: Layers): Finding[] {
  return Object.entries(WORDS).filter(([key]) => layers[key] !== undefined).map(
    ([key, { name, tried, advice }]) => {
      const state = layers[key];
      if (state === true) return { name, mark: "good", found: tried };
      return { name, mark: "limited", found: `no: ${state}`, hint: advice(state) };
    },
  );
}

/** What the level means and what would raise it. */
export function describeLevel(level: IsolationLevel, layers: Layers): Finding {
  const name = "Level";
  if (level === "full") return { name, mark: "good", found: "full, the highest" };
  if (level === "wasm") {
    const hint = "programs run slower and without numpy; the kernel's levels need Linux";
    return { name, mark: "limited", found: "wasm", hint };
  }
  const next: Record<string, [string, string]> = {
    "uid+landlock+seccomp": ["full", "namespaces"],
    "landlock+seccomp": ["full", "namespaces"],
    seccomp: ["landlock+seccomp", "landlock"],
  };
  const [above, missing] = next[level];
  const reason = layers[missing];
  const hint = `${above} needs ${WORDS[missing].name.toLowerCase()}: ${
    WORDS[missing].advice(reason === true ? "" : reason ?? "")
  }`;
  return { name, mark: "limited", found: level, hint };
}

/** Starts the sandbox at whatever kernel level there is and says what was observed. */
export async function examineSandbox(python: string): Promise<Finding[]> {
  try {
    await using sandbox = await startSandbox({
      python,
      poolSize: 1,
      minIsolation: "seccomp",
      level: "kernel",
      sockets: null,
    });
    return [...describeLayers(sandbox.layers), describeLevel(sandbox.level, sandbox.layers)];
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const hint =
      "no level of the kernel's; programs run only with --min-isolation wasm, or on another machine";
    return [{ name: "Level", mark: "missing", found: error.message, hint }];
  }
}
