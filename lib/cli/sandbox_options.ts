/** Options of the commands that start a sandbox. @module */
import { type IsolationLevel, UsageError } from "../core/mod.ts";
import type { Config } from "../loop/mod.ts";
import type { SandboxOptions } from "../sandbox/mod.ts";
import { requirePython } from "./open_model.ts";
import { textValue, type Values } from "./options.ts";

const levels = ["full", "uid+landlock+seccomp", "landlock+seccomp", "seccomp", "wasm"];

/** @throws {UsageError} naming the levels there are. */
export function isolationValue(values: Values): IsolationLevel | undefined {
  const level = textValue(values["min-isolation"]);
  if (level !== undefined && !levels.includes(level)) {
    throw new UsageError(
      `Cannot use --min-isolation ${level}: must be one of ${levels.join(", ")}`,
    );
  }
  return level as IsolationLevel | undefined;
}

/** The modules of --sandbox-packages A,B; undefined where it is not given. */
export function packagesValue(values: Values): string[] | undefined {
  const list = textValue(values["sandbox-packages"]);
  return list?.split(",").map((name) => name.trim()).filter((name) => name !== "");
}

/** The sandbox of a configuration. */
export function sandboxOf({ sandbox }: Config, minIsolation?: IsolationLevel): SandboxOptions {
  return {
    python: requirePython("sandbox"),
    concurrency: sandbox.concurrency,
    limits: sandbox,
    packages: sandbox.packages,
    level: sandbox.level,
    minIsolation,
  };
}
