/**
 * `deno task train` and `deno task resume`.
 * @module
 */
import * as path from "node:path";
import { loadRun } from "../analysis/mod.ts";
import { resolveConfig, train } from "../loop/mod.ts";
import { dryRun, dryRunText } from "./dry_run.ts";
import { findRun, presetFiles, root } from "./files.ts";
import { LiveView } from "./live.ts";
import type { Invocation } from "./main.ts";
import { openRun, restoreNewestCopy } from "./open_run.ts";
import {
  isFinished,
  keptConfig,
  newRunFolder,
  type OpenTraining,
  resumeTraining,
  startTraining,
} from "./open_training.ts";
import { type Command, listValue, numberValue, textValue, type Values } from "./options.ts";
import { isolationValue, packagesValue } from "./sandbox_options.ts";
import { writeReport } from "./write_report.ts";

const shared: Command["options"] = {
  json: { type: "boolean" },
  plain: { type: "boolean" },
  "min-isolation": { type: "string" },
  "sandbox-packages": { type: "string" },
};

export const trainCommand: Command = {
  name: "train",
  does: "train a policy by self-play",
  options: {
    ...shared,
    preset: { type: "string" },
    overlay: { type: "string", multiple: true },
    set: { type: "string", multiple: true },
    seed: { type: "string" },
    rollouts: { type: "string" },
    name: { type: "string" },
    engine: { type: "string" },
    model: { type: "string" },
    corpus: { type: "string" },
    "dry-run": { type: "boolean" },
    record: { type: "boolean" },
  },
  help: `deno task train [options]

Trains a policy by self-play in environments that it writes itself, and keeps everything in runs/NAME.

  --preset NAME         data/presets/NAME.yaml (default: nano)
  --overlay NAME        data/presets/overlays/NAME.yaml; may be repeated
  --set KEY=VALUE       one key of the configuration, e.g. --set environments=12
  --seed N              the run's seed (default: 0)
  --rollouts N          rollouts in all
  --name NAME           folder under runs/ (default: PRESET-SEED, numbered)
  --engine URL          a Tinker-speaking server that already runs (default: start our own), also
                        KIND:URL (skyrl, miles, ...) or tape:FILE; see deno task engines
  --model DIR           folder of the starting weights
  --min-isolation LEVEL refuse to run below this sandbox level (default: landlock+seccomp)
  --sandbox-packages A,B
                        modules of the sandbox's Python that programs may import, too
  --corpus FILE         documents that ground the designer
  --record              write every answer of the engine to runs/NAME/tape.jsonl: the run can then
                        be run again without the engine, --engine tape:runs/NAME/tape.jsonl
  --dry-run             print the resolved configuration, what differs from the preset and what a run
                        is expected to take, and stop; opens no engine and no sandbox
  --plain, --json       plain lines, or one JSON object a line, instead of the live view`,
};

export const resumeCommand: Command = {
  name: "resume",
  does: "go on with a run that was stopped",
  arguments: ["RUN"],
  options: { ...shared, "from-copy": { type: "boolean" }, engine: { type: "string" } },
  help: `deno task resume RUN [options]

Goes on with the run in runs/RUN from what is stored: the last checkpoint, the batches after it, and
every finished unit of work of the rollout that was cut.

  --from-copy           the database is damaged: put its newest complete copy in place first;
                        the damaged file is moved aside, never deleted
  --engine URL          another server that runs the same starting weights and can load the
                        run's saved ones ("embedded": our own)
  --min-isolation LEVEL refuse to run below this sandbox level (default: landlock+seccomp)
  --sandbox-packages A,B
                        modules of the sandbox's Python that programs may import, too
  --plain, --json       plain lines, or one JSON object a line, instead of the live view`,
};

function overrides(values: Values): string[] {
  const list = listValue(values.set);
  const seed = numberValue("seed", values.seed);
  const rollouts = numberValue("rollouts", values.rollouts);
  if (seed !== undefined) list.push(`seed=${seed}`);
  if (rollouts !== undefined) list.push(`rollouts=${rollouts}`);
  const packages = packagesValue(values);
  if (packages) list.push(`sandbox.packages=${JSON.stringify(packages)}`);
  for (const key of ["engine", "model", "corpus"]) {
    const value = textValue(values[key]);
    if (value !== undefined) list.push(`${key}=${JSON.stringify(value)}`);
  }
  return list;
}

function liveView(values: Values): LiveView {
  const terminal = Deno.stdout.isTerminal() && values.plain !== true && values.json !== true;
  return new LiveView({
    write: (text) => void Deno.stdout.writeSync(new TextEncoder().encode(text)),
    terminal,
    columns: () => terminal ? Deno.consoleSize().columns : 100,
    clock: () => performance.now() / 1000,
    colour: terminal && !Deno.noColor,
    json: values.json === true,
  });
}

/** Runs the loop of an open store and writes the report. */
async function runLoop(
  { store, loop }: OpenTraining,
  dir: string,
  live: LiveView,
): Promise<void> {
  const ticking = setInterval(() => live.tick(), 200);
  try {
    for await (const _report of train(loop)) { /* the live view has drawn it */ }
  } finally {
    clearInterval(ticking);
  }
  const written = writeReport(store, dir);
  live.end(loadRun(store));
  const name = path.relative(root, dir);
  console.log(`\nreport   ${path.join(name, path.basename(written))}`);
  console.log(`records  ${path.join(name, "run.sqlite")}`);
  console.log(`next     deno task inspect ${path.basename(dir)}`);
}

function hintToResume(dir: string): void {
  console.error(`\nnothing is lost; go on with: deno task resume ${path.basename(dir)}`);
}

export async function trainRun({ values, signal }: Invocation): Promise<number> {
  const config = resolveConfig({
    preset: textValue(values.preset) ?? "nano",
    overlays: listValue(values.overlay),
    set: overrides(values),
  }, presetFiles());
  if (values["dry-run"] === true) {
    const result = await dryRun(config);
    console.log(values.json === true ? JSON.stringify(result) : dryRunText(result));
    return 0;
  }
  const minIsolation = isolationValue(values);
  const dir = newRunFolder(textValue(values.name), config);
  const live = liveView(values);
  const clock = () => performance.now() / 1000;
  let created = false;
  try {
    await using training = await startTraining({
      config,
      dir,
      emit: live.sink,
      clock,
      signal,
      minIsolation,
      record: values.record === true,
    });
    created = true;
    await runLoop(training, dir, live);
    return 0;
  } catch (error) {
    live.close();
    if (created) hintToResume(dir);
    throw error;
  }
}

export async function resumeRun({ values, positionals, signal }: Invocation): Promise<number> {
  const dir = findRun(positionals[0]);
  if (values["from-copy"] === true) restoreNewestCopy(dir);
  const live = liveView(values);
  const clock = () => performance.now() / 1000;
  using store = openRun(dir);
  const config = keptConfig(store, {
    engine: textValue(values.engine),
    packages: packagesValue(values),
  });
  if (isFinished(store)) {
    const written = path.relative(root, writeReport(store, dir));
    console.log(`the run has finished its ${config.rollouts} rollouts; report ${written}`);
    return 0;
  }
  try {
    await using training = await resumeTraining(store, {
      config,
      dir,
      emit: live.sink,
      clock,
      signal,
      minIsolation: isolationValue(values),
    });
    await runLoop(training, dir, live);
    return 0;
  } catch (error) {
    live.close();
    hintToResume(dir);
    throw error;
  }
}
