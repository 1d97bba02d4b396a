/**
 * What a notebook's kernel may touch: the written policy, made definite for one machine, and the decision about one access.
 *
 * Everything that no rule names is denied. Programs, native code and downloads are denied whatever the file says: it has no
 * key for them. Paths are compared after every symbolic link in them was followed.
 * @module
 */
import { z } from "zod";
import { UsageError } from "../core/errors.ts";

const path = z.string().min(1).refine((text) => !/[\0\n]/.test(text), "must be a path");
const names = z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/));
const policy = z.strictObject({
  format: z.literal(1),
  read: z.array(path),
  write: z.array(path),
  net: z.array(
    z.string().regex(/^\d+\.\d+\.\d+\.\d+:\d+$/, "must be an address like 127.0.0.1:80"),
  ),
  env: names,
  sys: names,
  engine: z.union([
    z.literal("none"),
    z.url({ protocol: /^http$/, hostname: /^[\d.]+$/ }),
    z.strictObject({ model: path }),
  ]),
});

/** The policy file. */
export interface Policy {
  /** Of this file. */
  format: 1;
  /** Paths whose files may be read; relative ones lie in the project. */
  read: string[];
  /** Paths below which files may be read, made, changed and removed. */
  write: string[];
  /** Further addresses that may be connected to. */
  net: string[];
  /** Names of environment variables. */
  env: string[];
  /** Kinds of system information, as Deno names them. */
  sys: string[];
  /** The engine: none, the address of one that runs, or the model of one that the launcher starts. */
  engine: "none" | string | { model: string };
}

/**
 * Reads a policy's text.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const text = '{"format":1,"read":["lib"],"write":[],"net":[],"env":[],"sys":[],"engine":"none"}';
 * assert.deepEqual(parsePolicy(text).read, ["lib"]);
 * assert.throws(() => parsePolicy(text.replace('"sys"', '"run"')), /Cannot use the policy/);
 * ```
 *
 * @throws {UsageError} naming the key that is wrong.
 */
export function parsePolicy(text: string): Policy {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UsageError("Cannot use the policy: it is not JSON", { cause });
  }
  const parsed = policy.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0];
  throw new UsageError(`Cannot use the policy: ${path.join(".") || "it"}: ${message}`);
}

/** A policy on one machine: real paths, and the addresses of what the launcher started. */
export interface Rules {
  /** Real paths that may be read, with all below. */
  read: readonly string[];
  /** Real paths that may be read and written, with all below. */
  write: readonly string[];
  /** Addresses `host:port` that may be connected to. */
  connect: readonly string[];
  /** Addresses at which the kernel itself listens. */
  listen: readonly string[];
  /** Paths of Unix sockets that may be connected to. */
  sockets: readonly string[];
  /** Names of environment variables. */
  env: readonly string[];
  /** Kinds of system information. */
  sys: readonly string[];
  /** How messages name what may be read and written. */
  told: { read: readonly string[]; write: readonly string[] };
  /** Where the policy is written, for the messages. */
  file: string;
}

/** One access that Deno asks about. */
export interface Access {
  /** `read`, `write`, `net`, `env`, `sys`, `run`, `ffi` or `import`. */
  permission: string;
  /** What is accessed; null: everything of that kind. */
  value: string | null;
}

/** The answer: `reason` where it is denied. */
export type Decision = { allowed: true } | { allowed: false; reason: string };

/** Makes a path absolute and follows its links, as far as it exists; undefined: it cannot be told. */
export type RealPath = (path: string) => string | undefined;

/**
 * Decides about one access.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const rules = {
 *   read: ["/p/lib"], write: ["/p/runs"], connect: ["127.0.0.1:80"], listen: [], sockets: [], env: [], sys: [],
 *   told: { read: ["lib"], write: ["runs"] }, file: "policy.json",
 * };
 * const ask = (permission: string, value: string) => decide({ permission, value }, rules, (path) => path);
 * assert.ok(ask("read", "/p/lib/a.ts").allowed && ask("net", "127.0.0.1:80").allowed);
 * assert.ok(!ask("read", "/p/library").allowed && !ask("write", "/p/lib/a.ts").allowed);
 * assert.ok(!ask("run", "/bin/ls").allowed);
 * ```
 */
export function decide(access: Access, rules: Rules, realPath: RealPath): Decision {
  const { permission, value } = access;
  const what = value ?? "everything";
  const add = `To allow it, edit ${rules.file} and start the kernel anew`;
  switch (permission) {
    case "read":
    case "write": {
      const roots = permission === "read" ? [...rules.read, ...rules.write] : rules.write;
      if (value !== null && isAllowedPath(value, roots, rules.sockets, realPath)) return allowed;
      const { read, write } = rules.told;
      const names = listed(permission === "read" ? [...read, ...write] : write);
      const where = `outside this notebook's policy, must be below ${names}`;
      return denied(`Cannot ${permission} ${what}: it is ${where}. ${add}`);
    }
    case "net": {
      const known = [...rules.connect, ...rules.listen, ...rules.sockets.map((x) => `unix:${x}`)];
      if (value !== null && known.includes(value)) return allowed;
      const reach = listed([...rules.connect, "the sandbox host"]);
      return denied(`Cannot reach ${what}: this notebook's policy allows only ${reach}. ${add}`);
    }
    case "env":
      if (value !== null && rules.env.includes(value)) return allowed;
      if (value === null || value === OF_A_START) {
        const which = value === null ? "all variables" : `variable ${value}`;
        return denied(`Cannot read ${which}, as the start of a program does: ${NO_PROGRAMS}`);
      }
      return denied(`Cannot read variable ${what}: not in this notebook's policy. ${add}`);
    case "sys":
      if (value !== null && rules.sys.includes(value)) return allowed;
      return denied(`Cannot ask the system for ${what}: not in this notebook's policy. ${add}`);
    case "run":
      return denied(`Cannot run ${what}: ${NO_PROGRAMS}`);
    case "ffi":
      return denied(`Cannot load ${what}: this notebook's kernel loads no native code`);
    case "import": {
      const instead = "packages are those of deno.json, fetched before the kernel starts";
      return denied(
        `Cannot import from ${what}: this notebook's kernel downloads nothing; ${instead}`,
      );
    }
    default:
      return denied(`Cannot use ${permission} ${what}: this notebook's policy does not know it`);
  }
}

const NO_PROGRAMS =
  "this notebook's kernel starts no programs; generated Python runs in the sandbox, openSandbox()";
/** What node:child_process reads before it starts anything; it swallows the reason of a denied start. */
const OF_A_START = "NODE_V8_COVERAGE";
const allowed: Decision = { allowed: true };

function denied(reason: string): Decision {
  return { allowed: false, reason };
}

function isAllowedPath(
  value: string,
  roots: readonly string[],
  sockets: readonly string[],
  realPath: RealPath,
): boolean {
  if (sockets.includes(value)) return true;
  const real = realPath(value);
  return real !== undefined && roots.some((root) => isBelow(real, root));
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

function listed(values: readonly string[]): string {
  return values.length === 0 ? "nothing" : values.join(", ");
}
