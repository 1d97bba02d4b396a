/**
 * `deno task inspect`: a run's environments, or one of them with both arms' transcripts.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { environmentSummaries, findEnvironment, listTables, loadRun } from "../analysis/mod.ts";
import { UsageError } from "../core/mod.ts";
import type { Config } from "../loop/mod.ts";
import { startSandbox } from "../sandbox/mod.ts";
import { formatCount } from "../show/mod.ts";
import { Store } from "../store/mod.ts";
import { Counter } from "./counter.ts";
import { findRun, root } from "./files.ts";
import {
  environmentPages,
  fullDetail,
  inspectRun,
  listFile,
  listPage,
  type Page,
  pageFile,
} from "./inspect.ts";
import type { Invocation } from "./main.ts";
import type { Command } from "./options.ts";
import { replayEnvironment, replaysText, runLimits, storedPlays } from "./replay_environment.ts";
import { sandboxOf } from "./sandbox_options.ts";

export const inspectCommand: Command = {
  name: "inspect",
  does: "look at a run's environments",
  arguments: ["RUN", "ENV?"],
  options: {
    html: { type: "boolean" },
    text: { type: "boolean" },
    all: { type: "boolean" },
    replay: { type: "boolean" },
  },
  help: `deno task inspect RUN [ENV] [--html | --text | --all] [--replay]

Lists the environments of runs/RUN, or shows the one whose id starts with ENV: source, document,
hint, gate verdicts, win rates, regret, and both arms turn by turn. Prints it and writes a
self-contained page into runs/RUN/inspect/ that opens from disk.

  --html    write the page only and print its path
  --text    print only
  --all     write the pages of all environments and the list that links them
  --replay  run the stored actions of ENV's plays again in the sandbox and say what differs`,
};

/** Runs the command. */
export async function inspectEnvironment(
  { values, positionals, signal }: Invocation,
): Promise<number> {
  const [run, environment] = positionals;
  const { html = false, text = false, all = false, replay = false } = values;
  if (html && text) throw new UsageError("Cannot use --html with --text: choose one");
  if (all && (text || environment !== undefined)) {
    const other = text ? "--text" : `environment ${environment}`;
    throw new UsageError(`Cannot use --all with ${other}: it writes every page`);
  }
  if (replay && environment === undefined) {
    throw new UsageError("Cannot use --replay: ENV is missing, must be digits of an environment");
  }
  const dir = findRun(run);
  using store = Store.open(dir, { readonly: true });
  const folder = new PageFolder(path.join(dir, "inspect"), path.basename(dir));
  if (all) {
    await writeAll(store, folder, signal);
    return 0;
  }
  const width = Deno.stdout.isTerminal() ? Deno.consoleSize().columns : 120;
  if (!html) console.log(inspectRun(store, { environment, width }));
  const environments = loadRun(store, ["environment"]);
  const written = folder.written(environments.environment.map(({ id }) => id));
  const tell = (page: Page) => tellPage(folder, page, html === true);
  if (environment === undefined) {
    if (!text) tell(listPage(store, { name: folder.name, written }));
    return 0;
  }
  const { id } = findEnvironment(environments, environment);
  const replays = replay ? await replayed(store, id, signal) : undefined;
  if (text) return 0;
  const options = { written, replays, listed: folder.has(listFile) };
  for (const page of environmentPages(store, [id], options)) tell(page);
  return 0;
}

/** Writes a page and prints its path; where the text was printed, a folder that cannot be written is no error. */
function tellPage(folder: PageFolder, page: Page, isNeeded: boolean): void {
  try {
    console.log(folder.write(page));
  } catch (error) {
    if (isNeeded || !(error instanceof UsageError)) throw error;
    console.error(`⚠ no page: ${error.message}`);
  }
}

async function replayed(store: Store, id: string, signal: AbortSignal) {
  const detail = fullDetail(store, id);
  const run = store.all("run")[0];
  using counter = new Counter({ noun: "plays replayed", total: storedPlays(detail).length });
  await using sandbox = await startSandbox(sandboxOf(run.config as Config));
  const step = () => counter.step();
  const options = { sandbox, signal, step, ...runLimits(run) };
  const outcomes = await replayEnvironment(detail, options);
  counter[Symbol.dispose]();
  console.log(replaysText(detail, outcomes));
  return outcomes;
}

/** Every page and the list; stopped, the list links those that are written. */
async function writeAll(store: Store, folder: PageFolder, signal: AbortSignal): Promise<void> {
  const ids = environmentSummaries(loadRun(store, listTables)).map((e) => e.environmentId);
  using counter = new Counter({ noun: "pages", total: ids.length });
  let done = 0;
  for (const page of environmentPages(store, ids, { written: ids, listed: true })) {
    folder.write(page);
    counter.step();
    done += 1;
    // Lets Ctrl-C in.
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) break;
  }
  const written = folder.written(ids);
  const list = folder.write(listPage(store, { name: folder.name, written }));
  counter[Symbol.dispose]();
  console.log(`${list}: ${formatCount(done)} of ${formatCount(ids.length)} pages written`);
  signal.throwIfAborted();
}

/** Where a run's pages lie. */
class PageFolder {
  constructor(readonly dir: string, readonly name: string) {}

  /** Writes a page and gives its path, relative to the project. */
  write({ file, html }: Page): string {
    const target = path.join(this.dir, file);
    try {
      fs.mkdirSync(this.dir, { recursive: true });
      fs.writeFileSync(target, html);
    } catch (cause) {
      throw new UsageError(
        `Cannot write ${target}: ${(cause as Error).message}, must be below runs/`,
        { cause },
      );
    }
    return path.relative(root, target);
  }

  /** Whether the file is there. */
  has(file: string): boolean {
    return fs.existsSync(path.join(this.dir, file));
  }

  /** Those of the ids whose pages are there. */
  written(ids: readonly string[]): string[] {
    if (!fs.existsSync(this.dir)) return [];
    const files = new Set(fs.readdirSync(this.dir));
    return ids.filter((id) => files.has(pageFile(id)));
  }
}
