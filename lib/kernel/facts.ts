/**
 * The plain answer to "what may my notebook touch?".
 * @module
 */
import { z } from "zod";

const lists = z.array(z.string());
const facts = z.object({
  read: lists,
  write: lists,
  connect: lists,
  env: lists,
  sys: lists,
  engine: z.string().nullable(),
  sandbox: z.boolean(),
  landlock: z.number().nullable(),
  file: z.string(),
  audit: z.string().nullable(),
});

/** A policy as it is told: paths in the project are relative to it. */
export interface PolicyFacts {
  /** Paths that may be read. */
  read: string[];
  /** Paths that may be written. */
  write: string[];
  /** Addresses that may be reached. */
  connect: string[];
  /** Names of variables that may be read. */
  env: string[];
  /** Kinds of system information. */
  sys: string[];
  /** Address of the engine; null: none. */
  engine: string | null;
  /** Whether a sandbox host can be reached. */
  sandbox: boolean;
  /** Version of Landlock that holds for the process; 0: this machine has none; null: it is found out at the start. */
  landlock: number | null;
  /** Where the policy is written. */
  file: string;
  /** Where every access is logged; null: nothing runs yet. */
  audit: string | null;
}

/**
 * Reads what {@link PolicyFacts} became as JSON, e.g. in the variable `SPADE_POLICY` of the kernel.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(readFacts("{}"), undefined);
 * ```
 */
export function readFacts(text: string): PolicyFacts | undefined {
  try {
    return facts.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * A policy in words, a line each kind of access.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const text = policyText({
 *   read: ["lib"], write: ["runs"], connect: [], env: [], sys: [], engine: null, sandbox: true, landlock: 0,
 *   file: "policy.json", audit: null,
 * });
 * assert.match(text, /write +runs/);
 * assert.match(text, /no Landlock/);
 * ```
 */
export function policyText(facts: PolicyFacts): string {
  const others = facts.connect.filter((address) => !facts.engine?.includes(address));
  const network = [...(facts.engine === null ? [] : [`the engine, ${facts.engine}`]), ...others];
  const rows: [string, string][] = [
    ["read", several(facts.read)],
    ["write", several(facts.write)],
    ["network", `${several(network)}; no names are looked up`],
    ["sandbox", facts.sandbox ? "a host that runs generated Python, by its socket" : "none"],
    ["variables", `${several(facts.env)}; none of yours is passed on`],
    ["system", several(facts.sys)],
    ["programs", "none"],
    ["native code", "none"],
    ["downloads", "none"],
    ["enforced by", enforcement(facts.landlock)],
    ["written in", facts.file],
    ["log", facts.audit ?? "a file in .spade/audit, every access with its answer"],
  ];
  return rows.map(([name, value]) => `${name.padEnd(12)}${value}`).join("\n");
}

function several(values: readonly string[]): string {
  return values.length === 0 ? "nothing" : values.join(", ");
}

function enforcement(landlock: number | null): string {
  const broker = "Deno's permission broker, asked at every access";
  const both =
    `${broker}, and Linux (Landlock and a filter of system calls) around the whole process`;
  if (landlock === null) return `${both}, where the machine has it`;
  if (landlock >= 4) return both;
  const holes = "npm: imports can download and the Cache API can write past the broker";
  if (landlock > 0) {
    return `${broker}, and Linux (Landlock ${landlock}) for files; it is too old for the network: npm: imports can download`;
  }
  return `${broker}, ALONE: this machine has no Landlock, so require() can read any file, ${holes}`;
}
