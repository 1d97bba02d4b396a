/**
 * A run as a researcher reads it, in a notebook or a script.
 * @module
 */
import * as path from "node:path";
import { ColumnTable } from "arquero";
import {
  exportRun,
  type ExportRunOptions,
  loadRun,
  openFolder,
  readTable,
  runFolders,
  type RunSummary,
  type RunTables,
  summariseRun,
  type TableOptions,
} from "../analysis/mod.ts";
import { type RecordOf, StoreError, type TableName } from "../core/mod.ts";
import { cellHtml } from "./cell_html.ts";
import {
  denoInspect,
  display,
  type Displayable,
  jupyterDisplay,
  type MimeBundle,
  mimeBundle,
  type Shown,
} from "./display.ts";
import { escapeTerminal } from "./escape.ts";
import { formatCount, formatNumber, missing } from "./format.ts";
import { factsHtml } from "./page.ts";
import { RunTable, showing } from "./run_table.ts";
import { tableRows } from "./table_rows.ts";

type RunStore = ReturnType<typeof openFolder>;

/**
 * A run, open for reading. Each table is read when it is asked for, as it is then: of a run that another process is
 * writing, the next call sees more. Keep a table in a variable to work with one state of it.
 *
 * A table has a row a record, in the order they were written, and a column a field; `rollout` counts from 0 (-1: before
 * the first). Missing is null, never 0. Token ids and log-probabilities are read only when named in `columns`.
 */
export class Run implements Disposable, Displayable {
  /** The run's folder. */
  readonly dir: string;
  /** Name of the folder. */
  readonly name: string;
  #store: RunStore | undefined;

  /** Use {@link openRun}. */
  constructor(dir: string, store: RunStore) {
    this.dir = dir;
    this.name = path.basename(path.resolve(dir));
    this.#store = store;
  }

  #reading(): RunStore {
    if (this.#store === undefined) {
      throw new StoreError(`Cannot read run ${this.dir}: it is closed, must be open`);
    }
    return this.#store;
  }

  /** What the run is: its seed, preset, every option, and the manifest. */
  get record(): RecordOf<"run"> {
    return this.#reading().all("run")[0];
  }

  /** How far it has come. */
  get summary(): RunSummary {
    return summariseRun(this.#reading());
  }

  /**
   * Any table by the name of its records; the methods below are the same by a plainer name.
   *
   * @throws UsageError when a column does not exist
   * @throws StoreError when the run is closed or damaged
   */
  table<T extends TableName>(table: T, options?: TableOptions<T>): RunTable {
    return showing(readTable(this.#reading(), table, options));
  }

  /**
   * Tables as arrays of records, which the functions of analysis and the figures take; those not named stay empty.
   *
   * ```ts ignore
   * import { funnelFigure, openRun } from "@spade/spade";
   *
   * using run = openRun("runs/nano");
   * console.log(funnelFigure(run.records("gate").gate));
   * ```
   *
   * @throws StoreError when the run is closed or damaged
   */
  records(...tables: TableName[]): RunTables {
    return loadRun(this.#reading(), tables);
  }

  /** Programs met: source, class, description, skill, document, parents; a row a program. */
  environments(options?: TableOptions<"environment">): RunTable {
    return this.table("environment", options);
  }

  /** Episodes: arm, seed, outcome (`value`: return), turns, weights versions; a row an episode. */
  plays(options?: TableOptions<"play">): RunTable {
    return this.table("play", options);
  }

  /** Replies of the agent and their consequences: observation, text, action, reward; a row a turn. */
  turns(options?: TableOptions<"turn">): RunTable {
    return this.table("turn", options);
  }

  /** Regret of environments with its interval, in returns; a row an environment and generation. */
  regrets(options?: TableOptions<"regret">): RunTable {
    return this.table("regret", options);
  }

  /** Verdicts with reason and evidence; a row a gate and reply. */
  gates(options?: TableOptions<"gate">): RunTable {
    return this.table("gate", options);
  }

  /** Applied updates: loss, gradient norm, ratios, learning rate; a row an update. */
  updates(options?: TableOptions<"update">): RunTable {
    return this.table("update", options);
  }

  /** Tokens, calls and wall seconds by role and stage; a row a stage and rollout. */
  ledger(options?: TableOptions<"ledger">): RunTable {
    return this.table("ledger", options);
  }

  /** Replies of the designer's side: programs, hints, opinions; a row a reply. */
  replies(options?: TableOptions<"reply">): RunTable {
    return this.table("reply", options);
  }

  /** Designer replies as training samples: raw reward, advantage, what became of them; a row a reply. */
  samples(options?: TableOptions<"sample">): RunTable {
    return this.table("sample", options);
  }

  /** Environments remembered now: win rate, regret, hint; a row an environment. */
  memory(options?: TableOptions<"memory">): RunTable {
    return this.table("memory", options);
  }

  /** Held-out plays; a row a play. */
  evaluations(options?: TableOptions<"evaluation">): RunTable {
    return this.table("evaluation", options);
  }

  /** Hints, or why there is none; a row an environment. */
  hints(options?: TableOptions<"hint">): RunTable {
    return this.table("hint", options);
  }

  /** Corpus documents drawn, with origin and licence; a row a document. */
  documents(options?: TableOptions<"document">): RunTable {
    return this.table("document", options);
  }

  /** What was told meanwhile; a row an event. */
  events(options?: TableOptions<"event">): RunTable {
    return this.table("event", options);
  }

  /**
   * Writes the tables as files into `folder` (made where it is missing), all of one state of the run. Gives a table of
   * what was written: table, file, rows, bytes.
   *
   * ```ts ignore
   * import { openRun } from "@spade/spade";
   *
   * using run = openRun("runs/nano");
   * console.log(run.export("runs/nano/tables", { format: "csv", tables: ["play", "regret"] }));
   * ```
   *
   * @throws UsageError when a table or the format is unknown
   */
  export(folder: string, options?: ExportRunOptions): RunTable {
    const written = exportRun(this.#reading(), folder, options);
    return showing(
      new ColumnTable(
        {
          table: written.map(({ table }) => table),
          file: written.map(({ file }) => file),
          rows: Float64Array.from(written, ({ rows }) => rows),
          bytes: Float64Array.from(written, ({ bytes }) => bytes),
        } as never,
      ),
    );
  }

  /** Lets the run go. Tables that were read stay usable. */
  close(): void {
    this.#store?.close();
    this.#store = undefined;
  }

  /** As {@link Run.close}. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Name, preset, seed, rollouts, state and win rate. */
  [jupyterDisplay](): MimeBundle {
    return mimeBundle(this.#shown());
  }

  /** The same as text. */
  [denoInspect](): string {
    return this.#shown().text;
  }

  #shown(): Shown {
    if (this.#store === undefined) return { text: escapeTerminal(`run ${this.name}, closed`) };
    const { preset, seed, rollouts, planned, finished, winRate, scored, unscored } = this.summary;
    const lost = unscored > 0 ? ` ⚠ ${formatCount(unscored)} without a score` : "";
    const facts = [
      { name: "run", value: this.name },
      { name: "preset", value: preset ?? missing },
      { name: "seed", value: String(seed ?? missing) },
      { name: "rollouts", value: `${rollouts} of ${planned ?? missing}` },
      { name: "state", value: finished ? "finished" : "not finished" },
      { name: "win rate", value: `${formatNumber(winRate)}, n = ${formatCount(scored)}${lost}` },
    ];
    return {
      text: facts.map(({ name, value }) => `${name.padEnd(9)} ${escapeTerminal(value)}`).join("\n"),
      html: cellHtml(factsHtml(facts)),
    };
  }
}

/**
 * Opens a run folder for reading; another process may be writing it. Close it, or declare it with `using`.
 *
 * ```ts ignore
 * import { op } from "arquero";
 * import { openRun } from "@spade/spade";
 *
 * using run = openRun("runs/nano");
 * const rates = run.plays({ columns: ["rollout", "arm", "value"] })
 *   .groupby("rollout", "arm")
 *   .rollup({ winRate: (play: { value: number }) => op.mean(play.value) });
 * console.log(rates); // a row a rollout and arm
 * ```
 *
 * @throws CorruptRunError when the run's database is damaged: it lists the copies there are
 * @throws StoreError when there is no such folder, it is no run's, or its schema is not this version's
 */
export function openRun(dir: string): Run {
  return new Run(dir, openFolder(dir));
}

/**
 * The runs of a folder: name, preset, seed, rollouts done and planned, win rate (mean return of the plain plays of the
 * last rollout done), whether it is finished, and the folder to open it by. One that cannot be opened is a row too, with
 * the reason under `problem` and null for the rest. A folder that does not exist has no runs.
 *
 * ```ts ignore
 * import { listRuns, openRun } from "@spade/spade";
 *
 * const runs = listRuns().filter((run: { finished: boolean }) => run.finished).orderby("winRate");
 * console.log(runs);
 * for (const dir of runs.array("dir")) openRun(String(dir)).close();
 * ```
 */
export function listRuns(folder = "runs"): RunTable {
  const rows = runFolders(folder).map((dir) => ({ dir, name: path.basename(dir), ...glance(dir) }));
  const column = <T>(of: (row: typeof rows[number]) => T) => rows.map((row) => of(row) ?? null);
  const table = new RunTable(
    {
      name: column((row) => row.name),
      preset: column((row) => row.summary?.preset),
      seed: column((row) => row.summary?.seed),
      rollouts: column((row) => row.summary?.rollouts),
      planned: column((row) => row.summary?.planned),
      winRate: column((row) => row.summary?.winRate),
      finished: column((row) => row.summary?.finished),
      problem: column((row) => row.problem),
      dir: column((row) => row.dir),
    } as never,
  );
  const broken = rows.filter((row) => row.problem !== undefined).length;
  const warnings = rows.length === 0
    ? [`no run in ${path.resolve(folder)}`]
    : broken > 0
    ? [`${formatCount(broken)} of ${formatCount(rows.length)} could not be opened`]
    : [];
  return display((all) => tableRows(all, { limit: 50, warnings }), table);
}

function glance(dir: string): { summary?: RunSummary; problem?: string } {
  try {
    using store = openFolder(dir);
    return { summary: summariseRun(store) };
  } catch (error) {
    if (error instanceof StoreError) return { problem: error.message };
    throw error;
  }
}
