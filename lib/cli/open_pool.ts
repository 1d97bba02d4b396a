/**
 * The environments of runs without a designer: a folder of programs, a folder of verifier files, or the library
 * reasoning-gym, whose process is then opened beside the sandbox.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { type Sandbox, UsageError } from "../core/mod.ts";
import type { Config, FolderProgram } from "../loop/mod.ts";
import {
  type PoolProgram,
  ReasoningGym,
  reasoningGymPrograms,
  rlvePrograms,
  withReasoningGym,
} from "../pool/mod.ts";
import { readPrograms, root } from "./files.ts";

/** Programs, and the sandbox that runs them. */
export interface OpenedPool {
  programs: FolderProgram[];
  sandbox: Sandbox;
}

/**
 * Opens the pool that a configuration names; what is started is closed with `stack`.
 *
 * @throws {UsageError} naming the folder, file or data set that cannot be used.
 */
export async function openPool(
  config: Pick<Config, "kind" | "pool" | "window">,
  sandbox: Sandbox,
  stack: AsyncDisposableStack,
): Promise<OpenedPool> {
  const { kind, pool, window } = config;
  if (!pool) return { programs: [], sandbox };
  if (kind !== "rlve") return { programs: readPrograms(pool), sandbox };
  const library = /^reasoning-gym(?::(.*))?$/.exec(pool);
  const maxDifficulty = window.max;
  if (library === null) {
    const files = readPrograms(pool).map((file) => ({ ...file, name: `${pool}/${file.family}` }));
    return { programs: asFolder(rlvePrograms(files, { maxDifficulty })), sandbox };
  }
  const names = library[1]?.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const gym = stack.use(await startReasoningGym());
  const programs = await reasoningGymPrograms(gym, { names, maxDifficulty });
  return { programs: asFolder(programs), sandbox: withReasoningGym(sandbox, gym) };
}

/**
 * The library, in the Python environment that `deno task setup reasoning-gym` makes.
 *
 * @throws {UsageError} when it is not there.
 */
export async function startReasoningGym(): Promise<ReasoningGym> {
  const python = path.join(root, ".spade", "reasoning-gym", "bin", "python");
  if (!fs.existsSync(python)) {
    throw new UsageError(
      "Cannot use reasoning-gym: it is not installed; run `deno task setup reasoning-gym` first",
    );
  }
  const script = path.join(root, "scripts", "reasoning_gym", "serve.py");
  return await ReasoningGym.start({ python, script });
}

function asFolder(programs: readonly PoolProgram[]): FolderProgram[] {
  return programs.map((program) => ({ ...program, seen: true }));
}
