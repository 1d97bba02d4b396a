/**
 * `deno task attack`: the whole hostile suite against this machine.
 *
 * It runs at every level that can be produced here; with `--all` also with layers missing one by one, which shows who
 * answers first. It fails on an escape, never on a missing layer: that is the doctor's part.
 * @module
 */
import { SandboxError, UsageError } from "../core/mod.ts";
import { ALONE, type Configuration, DROPPED, levels } from "./attack/configurations.ts";
import { type Outcome, runAttacks } from "./attack/run.ts";
import { type Suite, suiteFile, type Targets } from "./attack/suite.ts";
import {
  differences,
  formatTable,
  type Row,
  rowsOf,
  type Table,
  tableFile,
} from "./attack/table.ts";

export { ALONE, type Configuration, DROPPED, LAYERS, levels } from "./attack/configurations.ts";
export { type Outcome, runAttacks } from "./attack/run.ts";
export { isContained, normalise, type Suite, suiteFile } from "./attack/suite.ts";
export { behindOf, firstOf, type Row, rowsOf, type Table, tableFile } from "./attack/table.ts";

export interface AttackOptions {
  /** attacks.json. */
  suite: string;
  /** The stored table. */
  table: string;
  python: string;
  /** Folder of the launcher that can leave layers out. */
  weakened: string;
  targets: Targets;
  /** Whether this process is root. */
  isRoot: boolean;
  /** Layers missing one by one, too. */
  all: boolean;
  print: (line: string) => void;
}

export interface AttackResult {
  /** Attacks that got through at a level of the real launcher, as `level: attack: what was seen`. */
  escapes: string[];
  /** The table as measured; undefined without `all`. */
  rows?: Record<string, Row>;
}

/** Reads what the border of the disk lets in. */
export async function readSuite(path: string): Promise<Suite> {
  return suiteFile.parse(JSON.parse(await Deno.readTextFile(path)));
}
export async function readTable(path: string): Promise<Table> {
  return tableFile.parse(JSON.parse(await Deno.readTextFile(path)));
}

/** Runs the suite; prints progress and the table. */
export async function attackAll(options: AttackOptions): Promise<AttackResult> {
  const { print } = options;
  const suite = await readSuite(options.suite);
  const table = await readTable(options.table);
  const configurations = [
    ...levels(options.isRoot),
    ...options.all ? [...DROPPED, ...ALONE] : [],
  ];
  print(`${suite.attacks.length} attacks, ${configurations.length} configurations`);
  const seen = new Map<string, readonly Outcome[]>();
  const escapes: string[] = [];
  for (const configuration of configurations) {
    const outcomes = await runOne(suite, configuration, options);
    if (outcomes === undefined) continue;
    seen.set(configuration.name, outcomes);
    if (configuration.level === undefined) continue;
    for (const one of outcomes.filter(({ contained }) => !contained)) {
      escapes.push(`${configuration.name}: ${one.attack.name}: ${one.seen}`);
    }
  }
  if (seen.size === 0) throw new SandboxError("Cannot attack: no level can be produced here");
  const rows = options.all ? rowsOf(seen) : undefined;
  print("");
  print(formatTable(seen, rows ?? table.attacks));
  print("");
  for (const line of differences(seen, table.attacks)) print(`other than stored: ${line}`);
  for (const line of escapes) print(`ESCAPED ${line}`);
  print(
    escapes.length === 0
      ? `contained: every attack at ${[...seen.keys()].filter(isLevel).join("; ")}`
      : `${escapes.length} escaped`,
  );
  return { escapes, rows };
}

const isLevel = (name: string) => !/^without|alone$/.test(name);

async function runOne(suite: Suite, configuration: Configuration, options: AttackOptions) {
  const started = performance.now();
  const { name } = configuration;
  let done = 0;
  const onOutcome = () => {
    if (++done % 50 === 0) options.print(`  ${name}: ${done} of ${suite.attacks.length}`);
  };
  try {
    const outcomes = await runAttacks(suite, configuration, { ...options, onOutcome });
    const skipped = outcomes.filter(({ seen }) => seen.startsWith("skipped"));
    const through = outcomes.filter(({ contained }) => !contained).length;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const why = skipped.length === 0
      ? ""
      : `, ${skipped.length} skipped (${skipped[0].seen.slice(8)})`;
    options.print(`${name}: ${through} got through${why}, ${seconds} s`);
    return skipped.length === outcomes.length ? undefined : outcomes;
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    options.print(`${name}: cannot be produced here (${error.message.split("\n").at(-1)})`);
  }
}

/** Parses the task's arguments. Throws UsageError. */
export function attackArguments(args: readonly string[]): { all: boolean; store: boolean } {
  const wrong = args.find((arg) => !["--all", "--store"].includes(arg));
  if (wrong !== undefined) {
    throw new UsageError(`Cannot attack: unknown option ${wrong}. See: deno task attack --help`);
  }
  const store = args.includes("--store");
  return { all: store || args.includes("--all"), store };
}
