/**
 * `deno task gate`: what the gates say about a program.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { type Sandbox, UsageError } from "../core/mod.ts";
import {
  checkProgram,
  type EnvironmentKind,
  type GateOptions,
  type GateReport,
  gateRules,
  type GateVerdict,
} from "../gates/mod.ts";
import { startSandbox } from "../sandbox/mod.ts";
import { escapeTerminal, textTable } from "../show/mod.ts";
import { inProject, pythonOf, readPrograms } from "./files.ts";
import type { Invocation } from "./main.ts";
import { type Command, numberValue, textValue } from "./options.ts";

const kinds = ["compact", "game-single", "game-multiturn", "game-corpus", "tool-use"] as const;

export const gateCommand: Command = {
  name: "gate",
  does: "say what the gates find in a program",
  arguments: ["FILE"],
  options: {
    json: { type: "boolean" },
    kind: { type: "string" },
    "max-turns": { type: "string" },
    known: { type: "string" },
  },
  help: `deno task gate FILE.py [--json] [--kind KIND] [--max-turns N] [--known FOLDER]

Runs the gates on an environment program, in the sandbox, and prints their verdicts up to the first
refusal. FILE lies in the project; - reads the program from standard input. Exit code 1: refused.

  --json           the whole report as JSON
  --kind KIND      also what a kind demands: ${kinds.join(", ")}
  --max-turns N    turns of a play at most (default 25)
  --known FOLDER   refuse twins and near twins of the programs in a folder`,
};

/** Programs that share more of their pieces are near twins. */
const nearTwin = 0.9;

export async function gateFile({ values, positionals, signal }: Invocation): Promise<number> {
  const [file] = positionals;
  const kind = kindOf(textValue(values.kind));
  const source = await readProgram(file);
  const python = pythonOf("sandbox");
  if (!fs.existsSync(python)) {
    throw new UsageError(
      "Cannot run the gates: the sandbox has no Python yet, run deno task setup",
    );
  }
  await using sandbox = await startSandbox({ python, poolSize: 4 });
  const known = textValue(values.known);
  const options: GateOptions = {
    sandbox,
    signal,
    maxTurns: numberValue("max-turns", values["max-turns"]) ?? 25,
    ...(kind && gateRules(kind)),
    ...(known !== undefined && await relatives(known, sandbox)),
  };
  const since = performance.now();
  const report = await checkProgram(source, options);
  if (values.json === true) console.log(JSON.stringify(plainReport(report), null, 2));
  else console.log(describeReport(report, file, performance.now() - since));
  return report.accepted ? 0 : 1;
}

function kindOf(kind: string | undefined): EnvironmentKind | undefined {
  const found = kinds.find((name) => name === kind);
  if (kind !== undefined && found === undefined) {
    throw new UsageError(`Cannot use --kind ${kind}: must be one of ${kinds.join(", ")}`);
  }
  return found;
}

async function readProgram(file: string): Promise<string> {
  if (file === "-") return await new Response(Deno.stdin.readable).text();
  try {
    return fs.readFileSync(inProject(file), "utf8");
  } catch (cause) {
    const refused = cause instanceof Deno.errors.NotCapable;
    const problem = refused ? "it lies outside the project" : (cause as Error).message;
    const advice = refused ? `; pipe it: deno task gate - < ${file}` : "";
    throw new UsageError(`Cannot read program ${file}: ${problem}${advice}`, { cause });
  }
}

/** Trees and shingles of a folder's programs; those that do not parse are nobody's twin. */
async function relatives(
  folder: string,
  sandbox: Sandbox,
): Promise<Pick<GateOptions, "known" | "similar">> {
  const parsed = await Promise.all(
    readPrograms(folder).map(async ({ id, source }) => {
      const result = await sandbox.parse(source, { details: true });
      return result.kind === "ok" ? [{ id, ...result.value }] : [];
    }),
  );
  const programs = parsed.flat();
  const trees = new Set(programs.map(({ treeHash }) => treeHash));
  return {
    known: (tree) => trees.has(tree),
    similar: {
      threshold: nearTwin,
      known: () => programs.map(({ id, shingles = [] }) => ({ id, shingles })),
    },
  };
}

/** The report without what is only compared between programs. */
function plainReport({ parsed, ...report }: GateReport) {
  return { ...report, treeHash: parsed?.treeHash ?? null, imports: parsed?.imports ?? [] };
}

/** Verdicts as a table; the evidence of a refusal below it. */
export function describeReport(report: GateReport, name: string, ms: number): string {
  const { accepted, className, environmentId, verdicts } = report;
  const head = `${path.basename(name)}: ${accepted ? "accepted" : "REFUSED"} ` +
    `(${className ?? "no class"}, id ${environmentId.slice(0, 16)}, ${ms.toFixed(0)} ms)`;
  const table = textTable(["gate", "verdict", "found"], verdicts.map(row), { width: 110 });
  const last = verdicts[verdicts.length - 1];
  const lines = accepted
    ? []
    : Object.entries(last.evidence).map(([key, value]) =>
      `  ${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`
    );
  return [escapeTerminal(head), table.trimEnd(), ...lines.map(escapeTerminal)].join("\n");
}

function row({ gate, verdict, reason, evidence }: GateVerdict): string[] {
  return [gate, verdict, reason || found(evidence)];
}

function found(evidence: Record<string, unknown>): string {
  return Object.entries(evidence).map(([key, value]) => `${key} ${JSON.stringify(value)}`).join(
    ", ",
  );
}
