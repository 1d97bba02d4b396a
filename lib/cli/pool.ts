/**
 * `deno task pool`: environments in and out as files that others read and write.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { UsageError } from "../core/mod.ts";
import { type EnvironmentKind, gateNames } from "../gates/mod.ts";
import {
  formatPoolJsonl,
  formatPoolParquet,
  type ParsedPool,
  poolKinds,
  type PoolRow,
} from "../pool/mod.ts";
import { startSandbox } from "../sandbox/mod.ts";
import { escapeTerminal, formatCount, textTable } from "../show/mod.ts";
import { Store } from "../store/mod.ts";
import { Counter } from "./counter.ts";
import { findRun, hashSources, inProject } from "./files.ts";
import type { Invocation } from "./main.ts";
import { requirePython } from "./open_model.ts";
import { type Command, numberValue, textValue, type Values } from "./options.ts";
import { type GatedRow, gateRows } from "./pool/gate_rows.ts";
import { readPool } from "./pool/read.ts";
import { VerdictFile } from "./pool/verdicts.ts";
import { rowsOfRun } from "./pool/run_rows.ts";
import { writePoolFolder } from "./pool/write_folder.ts";

export const poolCommand: Command = {
  name: "pool",
  does: "share environments and read those of others",
  arguments: ["import|export", "FROM", "TO"],
  options: {
    licence: { type: "string" },
    kind: { type: "string" },
    "max-turns": { type: "string" },
    "no-gates": { type: "boolean" },
    "keep-refused": { type: "boolean" },
  },
  help: `deno task pool export RUN|FOLDER FILE [--licence NAME]
deno task pool import FILE|FOLDER FOLDER [options]

export writes the accepted environments of a run, or of a folder of programs, to FILE (.jsonl or
.parquet): program, skill, kind, licence, origin, parents, gate verdicts, win rate, success rate,
regret. import reads such a file, or a published pool with its own column names, into a new folder
for deno task train --set pool=FOLDER and deno task evaluate --suite folder:FOLDER. Every program is
judged by the gates, in the sandbox; refused ones are listed and left out. An import that is stopped
goes on where it was when asked for again. Files lie in the project; what is written goes below
data/ or runs/.

  --licence NAME    licence of environments that state none
  --kind KIND       judge every program by what a kind demands (${poolKinds.join(", ")})
  --max-turns N     turns of a play at most while judging (default 25)
  --no-gates        take everything as it is; nothing runs
  --keep-refused    keep refused programs and the reasons in FOLDER/refused`,
};

export function poolAction(invocation: Invocation): Promise<number> {
  const [action] = invocation.positionals;
  if (action === "export") return exportPool(invocation);
  if (action === "import") return importPool(invocation);
  throw new UsageError(
    `Cannot pool ${action}: must be import or export. See: deno task pool --help`,
  );
}

async function exportPool({ values, positionals }: Invocation): Promise<number> {
  const [, from, to] = positionals;
  for (const option of ["kind", "max-turns", "no-gates", "keep-refused"]) {
    if (values[option] !== undefined) throw new UsageError(`Cannot export with --${option}`);
  }
  const format = to.endsWith(".parquet")
    ? formatPoolParquet
    : to.endsWith(".jsonl")
    ? formatPoolJsonl
    : undefined;
  if (format === undefined) throw new UsageError(`Cannot write ${to}: must be .jsonl or .parquet`);
  using place = newPlace(to);
  const rows = withLicence(await rowsToExport(from), values);
  if (rows.length === 0) throw new UsageError(`Cannot export ${from}: it holds no environment`);
  fs.writeFileSync(place.aside, format(rows));
  place.keep();
  console.log(`${escapeTerminal(to)}: ${formatCount(rows.length)} environments`);
  const unlicensed = rows.filter(({ licence }) => licence === null).length;
  if (unlicensed > 0) {
    console.error(
      `⚠ ${formatCount(unlicensed)} of them state no licence; --licence NAME gives one`,
    );
  }
  return 0;
}

/** Of a folder of programs, else of a run. */
async function rowsToExport(from: string): Promise<PoolRow[]> {
  const isFolder = fs.existsSync(inProject(from)) &&
    !fs.existsSync(path.join(inProject(from), "run.sqlite"));
  if (isFolder) {
    const pool = await readPool(from);
    tellPool(pool, from);
    return pool.rows;
  }
  const dir = findRun(from);
  using store = Store.open(dir, { readonly: true });
  return rowsOfRun(store, path.basename(dir));
}

async function importPool({ values, positionals, signal }: Invocation): Promise<number> {
  const [, from, to] = positionals;
  kindValue(values);
  using place = newPlace(to);
  const pool = await readPool(from);
  tellPool(pool, from);
  const rows = withLicence(pool.rows, values);
  if (values["no-gates"] === true) {
    writePoolFolder(place.aside, rows);
    place.keep();
    console.log(`${escapeTerminal(to)}: ${formatCount(rows.length)} environments, not judged`);
    return 0;
  }
  using verdicts = verdictFile(`${inProject(to)}.gates.jsonl`, rows, values);
  const gated = await judge(rows, values, verdicts, signal);
  console.log(verdictTable(gated));
  const accepted = gated.filter(({ report }) => report.accepted);
  const refused = gated.filter(({ report }) => !report.accepted);
  if (refused.length > 0) console.log(refusals(refused));
  verdicts.remove();
  if (accepted.length === 0) {
    throw new UsageError(`Cannot import ${from}: the gates refused every program`);
  }
  writePoolFolder(place.aside, accepted.map(withVerdicts));
  if (values["keep-refused"] === true && refused.length > 0) {
    const reasons = new Map(refused.map((item) => [item.row.id, reasonOf(item)]));
    const reason = ({ id }: PoolRow) => ({ refused: reasons.get(id) });
    writePoolFolder(path.join(place.aside, "refused"), refused.map(withVerdicts), reason);
  }
  place.keep();
  console.log(
    `${escapeTerminal(to)}: ${formatCount(accepted.length)} of ${formatCount(rows.length)} ` +
      `environments; play them: deno task evaluate --suite folder:${escapeTerminal(to)}`,
  );
  return 0;
}

function kindValue(values: Values): EnvironmentKind | undefined {
  const kind = textValue(values.kind);
  const found = poolKinds.find((name) => name === kind);
  if (kind !== undefined && found === undefined) {
    throw new UsageError(`Cannot use --kind ${kind}: must be one of ${poolKinds.join(", ")}`);
  }
  return found;
}

function withLicence(rows: readonly PoolRow[], values: Values): PoolRow[] {
  const licence = textValue(values.licence) ?? null;
  return rows.map((row) => ({ ...row, licence: row.licence ?? licence }));
}

/** What was left out of a pool, and what of it was not read. */
function tellPool({ malformed, duplicates, unread }: ParsedPool, from: string): void {
  const warn = (text: string) => console.error(`⚠ ${escapeTerminal(`${from}: ${text}`)}`);
  for (const { row, reason } of malformed) warn(`row ${row} left out: ${reason}`);
  if (duplicates > 0) warn(`${formatCount(duplicates)} rows left out: an earlier one is equal`);
  if (unread.length > 0) warn(`columns not read: ${unread.join(", ")}`);
}

/** What the gates said before an import was stopped, by the same rules and the same gates. */
function verdictFile(file: string, rows: readonly PoolRow[], values: Values): VerdictFile {
  const sources = hashSources(["lib/gates", "lib/sandbox", "sandbox"]);
  return new VerdictFile(
    file,
    rows,
    JSON.stringify([values.kind, values["max-turns"], sources]),
  );
}

async function judge(
  rows: readonly PoolRow[],
  values: Values,
  verdicts: VerdictFile,
  signal: AbortSignal,
): Promise<GatedRow[]> {
  const maxTurns = numberValue("max-turns", values["max-turns"]) ?? 25;
  const { cache } = verdicts;
  const [done, total] = [cache.size, rows.length];
  if (done > 0) {
    console.error(`${formatCount(done)} of ${formatCount(total)} programs are judged already`);
  }
  await using sandbox = await startSandbox({ python: requirePython("sandbox"), poolSize: 4 });
  using counter = new Counter({ noun: "programs judged", total, done });
  try {
    return await gateRows(rows, {
      sandbox,
      maxTurns,
      signal,
      cache,
      kind: kindValue(values),
      onReport: (report) => {
        verdicts.append(report);
        counter.step();
      },
    });
  } catch (error) {
    console.error("stopped: what is judged is kept; the same command goes on");
    throw error;
  }
}

function withVerdicts({ row, report }: GatedRow): PoolRow {
  const gates = report.verdicts.map(({ gate, verdict, reason }) => ({ gate, verdict, reason }));
  return { ...row, gates, class_name: row.class_name ?? report.className ?? null };
}

function verdictTable(gated: readonly GatedRow[]): string {
  const verdicts = gated.flatMap(({ report }) => report.verdicts);
  const count = (gate: string, verdict: string) =>
    formatCount(verdicts.filter((v) => v.gate === gate && v.verdict === verdict).length);
  const rows = gateNames.filter((gate) => verdicts.some((v) => v.gate === gate))
    .map((gate) => [gate, count(gate, "pass"), count(gate, "skipped"), count(gate, "refuse")]);
  return textTable(["gate", "#pass", "#skipped", "#refuse"], rows);
}

function reasonOf({ report }: GatedRow): string {
  const { gate, reason } = report.verdicts[report.verdicts.length - 1];
  return `${gate}: ${reason}`;
}

function refusals(refused: readonly GatedRow[]): string {
  const rows = refused.map((item) => {
    const { row, report } = item;
    return [row.id.slice(0, 12), report.className ?? row.class_name ?? "", reasonOf(item)];
  });
  return textTable(["refused", "class", "because"], rows, { width: 110 });
}

/** A place that is written aside: it is there entirely, once kept, or not at all. */
interface NewPlace extends Disposable {
  aside: string;
  keep(): void;
}

/**
 * Finds out that a place can be written before any work is done for it.
 *
 * @throws {UsageError} when it exists, or lies where nothing may be written.
 */
function newPlace(name: string): NewPlace {
  const place = inProject(name), aside = `${place}.new`;
  try {
    if (fs.existsSync(place)) {
      throw new UsageError(`Cannot write ${name}: it exists, must be a new name`);
    }
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.rmSync(aside, { recursive: true, force: true });
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotCapable)) throw cause;
    throw new UsageError(`Cannot write ${name}: must lie below data/ or runs/`, { cause });
  }
  return {
    aside,
    keep: () => fs.renameSync(aside, place),
    [Symbol.dispose]: () => fs.rmSync(aside, { recursive: true, force: true }),
  };
}
