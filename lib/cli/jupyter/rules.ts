/**
 * The policy of `scripts/lab/policy.json` on this machine.
 * @module
 */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { UsageError } from "../../core/mod.ts";
import {
  type Connection,
  parsePolicy,
  type Policy,
  type PolicyFacts,
  realPathFrom,
  type Rules,
} from "../../kernel/mod.ts";
import { readText, root } from "../files.ts";

/** The policy that counts when nothing else is named. */
export const POLICY_FILE = "scripts/lab/policy.json";

const CACHE = "Deno's cache";

/** Reads a policy file. */
export function readPolicy(file: string = POLICY_FILE): Policy {
  try {
    return parsePolicy(readText(file, "policy"));
  } catch (cause) {
    throw new UsageError(`${file}: ${(cause as Error).message}`, { cause });
  }
}

/** Deno's cache, where the packages of deno.json lie. */
export function denoDir(env: (name: string) => string | undefined): string {
  const set = env("DENO_DIR");
  if (set) return path.resolve(set);
  const home = env("HOME") ?? os.homedir();
  if (Deno.build.os === "darwin") return path.join(home, "Library", "Caches", "deno");
  return path.join(env("XDG_CACHE_HOME") || path.join(home, ".cache"), "deno");
}

/** What the launcher adds to the written policy. */
export interface Started {
  /** The connection file, and what it says. */
  connectionFile: string;
  connection: Connection;
  /** Deno's cache. */
  cache: string;
  /** The sandbox host's socket. */
  host: string;
  /** The engine's address; null: there is none. */
  engine: string | null;
  /** The policy file. */
  file: string;
}

/** Real paths and addresses. */
export function rulesOf(policy: Policy, started: Started): Rules {
  const { connection, engine } = started;
  const ports = [
    connection.shell_port,
    connection.iopub_port,
    connection.stdin_port,
    connection.control_port,
    connection.hb_port,
  ];
  const real = (file: string) => realPathFrom(path.resolve(root, file), undefined)!;
  return {
    read: [...policy.read, started.cache, started.connectionFile].map(real),
    write: policy.write.map(real),
    connect: [...(engine === null ? [] : [new URL(engine).host]), ...policy.net],
    listen: ports.map((port) => `127.0.0.1:${port}`),
    sockets: [started.host],
    env: policy.env,
    sys: policy.sys,
    told: { read: [...policy.read, CACHE], write: policy.write },
    file: started.file,
  };
}

/** The policy as it is told to people; `started`: what is known only once the kernel starts. */
export function factsOf(
  policy: Policy,
  started: { file: string } & Partial<Pick<PolicyFacts, "engine" | "landlock" | "audit">>,
): PolicyFacts {
  const planned = typeof policy.engine === "string"
    ? policy.engine === "none" ? null : policy.engine
    : `started on ${policy.engine.model}`;
  const { engine = planned, landlock = null, audit = null, file } = started;
  return {
    read: [...policy.read, CACHE],
    write: policy.write,
    connect: [...(engine?.startsWith("http") ? [new URL(engine).host] : []), ...policy.net],
    env: policy.env,
    sys: policy.sys,
    engine,
    sandbox: true,
    landlock,
    file,
    audit,
  };
}

/** Makes the folders that the policy lets be written. */
export function makeFolders(policy: Policy): void {
  for (const folder of policy.write) fs.mkdirSync(path.resolve(root, folder), { recursive: true });
}
