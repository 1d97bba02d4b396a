import { type IsolationLevel, SandboxError } from "../../core/mod.ts";
import { startSandbox } from "../../sandbox/mod.ts";
import type { Finding } from "./finding.ts";

/** The sandbox's Python: its own, else `fallback`. */
export async function sandboxPython(
  root: string,
  fallback: string | undefined,
): Promise<string | undefined> {
  const own = `${root}/.spade/sandbox/bin/python`;
  return await Deno.stat(own).then(() => true, () => false) ? own : fallback;
}

/** Starts the sandbox once and reports what was observed of it. */
export async function findSandbox(root: string, fallback: string | undefined): Promise<Finding> {
  const python = await sandboxPython(root, fallback);
  if (python === undefined) {
    return { name: "Sandbox", mark: "missing", found: "no Python to start it with" };
  }
  try {
    await using sandbox = await startSandbox({ python, poolSize: 1, sockets: null });
    return describeSandbox(sandbox.level, sandbox.layers);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const hint = "without a wall nothing is played; see sandbox/README.md for what it needs";
    return { name: "Sandbox", mark: "missing", found: error.message, hint };
  }
}

/** Level and, below the highest, each layer that is missing with the reason. */
export function describeSandbox(
  level: IsolationLevel,
  layers: Readonly<Record<string, true | string>>,
): Finding {
  const absent = Object.entries(layers)
    .filter(([name, state]) => state !== true && !["memory", "sockets"].includes(name));
  const reasons = absent.map(([layer, reason]) => `no ${layer}: ${reason}`).join("; ");
  const found = reasons === "" ? `level ${level}` : `level ${level} (${reasons})`;
  if (level === "full") return { name: "Sandbox", mark: "good", found };
  const hint = "programs are contained by fewer layers; what to change: deno task doctor --sandbox";
  return { name: "Sandbox", mark: "limited", found, hint };
}
