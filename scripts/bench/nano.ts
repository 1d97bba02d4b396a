/**
 * `deno task bench:nano`: does the embedded default learn? Seven arms, five seeds, the test set once a run. Every run is
 * an ordinary `deno task train` in runs/bench-ARM-SEED; finished ones are read, not run again, so an interrupted study
 * goes on. Results go to data/results/nano.json with command and commit; the table is printed as Markdown.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { UsageError } from "../../lib/core/mod.ts";
import { pythonOf, root } from "../../lib/cli/files.ts";
import { designsOfModel, designsOfRun, evaluateModel } from "../../lib/cli/evaluate_model.ts";
import { type Command, listValue, numberValue, parseOptions } from "../../lib/cli/options.ts";
import { Store } from "../../lib/store/mod.ts";
import { type ArmResult, type Share, summarize, tableOf } from "./nano_summary.ts";

const arms: Record<string, string[]> = {
  spade: [],
  "shuffled-rewards": ["--overlay", "shuffled-rewards"],
  "continued-pretraining": [],
  "frozen-designer": ["--overlay", "frozen-designer"],
  "no-corpus": ["--overlay", "no-corpus"],
  "no-memory": ["--overlay", "no-memory"],
  "fixed-pool": ["--overlay", "fixed-pool"],
};

const command: Command = {
  name: "bench:nano",
  does: "measure learning over seeds, with controls and ablations",
  options: {
    arm: { type: "string", multiple: true },
    seeds: { type: "string" },
    jobs: { type: "string" },
    set: { type: "string", multiple: true },
    "finished-only": { type: "boolean" },
    prefix: { type: "string" },
    out: { type: "string" },
  },
  help: `deno task bench:nano [--arm NAME]... [--seeds 5] [--jobs 2] [--set KEY=VALUE]...

Arms: ${Object.keys(arms).join(", ")}. Results: data/results/nano.json.

  --finished-only   run nothing; sum up what is finished, however many seeds an arm has`,
};

const { values } = parseOptions(command, Deno.args);
if (values.help === true) {
  console.log(command.help);
  Deno.exit(0);
}
const seeds = numberValue("seeds", values.seeds as string) ?? 5;
const jobs = numberValue("jobs", values.jobs as string) ?? 2;
const prefix = typeof values.prefix === "string" ? values.prefix : "bench";
const settings = listValue(values.set).flatMap((item) => ["--set", item]);
const chosen = listValue(values.arm);
for (const arm of chosen) {
  if (!(arm in arms)) {
    throw new UsageError(`Cannot run arm ${arm}: must be one of ${Object.keys(arms)}`);
  }
}
const wanted = chosen.length > 0 ? chosen : Object.keys(arms);

function isFinished(dir: string): boolean {
  if (!fs.existsSync(path.join(dir, "run.sqlite"))) return false;
  using store = Store.open(dir, { readonly: true });
  return store.get("cursor", "state")?.value.finished === true;
}

async function task(args: string[]): Promise<boolean> {
  const child = new Deno.Command(Deno.execPath(), { args: ["task", ...args], cwd: root });
  const { success, stderr } = await child.output();
  if (!success) console.error(new TextDecoder().decode(stderr).slice(-2000));
  return success;
}

/** Trains, or goes on with, one run; returns its folder. */
async function trainOne(arm: string, seed: number): Promise<string> {
  const name = `${prefix}-${arm}-${seed}`;
  const dir = path.join(root, "runs", name);
  if (isFinished(dir)) return dir;
  const again = fs.existsSync(path.join(dir, "run.sqlite"));
  const args = again
    ? ["resume", name, "--plain"]
    : ["train", "--plain", "--name", name, "--seed", String(seed), ...arms[arm], ...settings];
  if (!await task(args)) throw new Error(`${name} failed`);
  return dir;
}

/** Commits that trained what is summed up; not the one that sums it up. */
const commits = new Set<unknown>();

function readRun(dir: string): Omit<ArmResult, "arm" | "seed"> {
  using store = Store.open(dir, { readonly: true });
  commits.add((store.all("run")[0].manifest as { toolkit?: { commit?: string } }).toolkit?.commit);
  const updates = store.all("update", { orderBy: "rollout" });
  return {
    evaluations: store.all("evaluation").filter(({ set }) => set === "test"),
    seconds: updates.reduce((sum, { report }) => sum + Number(report.seconds ?? 0), 0),
  };
}

/** Designer replies of each side of a validity figure. */
const designs = 480;

/** What `file` holds, else what `measure` gives, kept there. */
async function keptIn<T>(file: string, measure: () => Promise<T>): Promise<T> {
  if (!fs.existsSync(file)) {
    const value = await measure();
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(`${file}.new`, JSON.stringify(value));
    fs.renameSync(`${file}.new`, file);
  }
  return JSON.parse(fs.readFileSync(file, "utf8"));
}

/** Designs of a finished run's starting and final weights. */
function validityOf(dir: string): Promise<{ base: Share; current: Share }> {
  return keptIn(path.join(dir, "validity.json"), () => designsOfRun(dir, designs));
}

/** The same seconds of continued pre-training, then the test set. */
async function continueOne(seed: number): Promise<Omit<ArmResult, "arm" | "seed">> {
  const spade = readRun(path.join(root, "runs", `${prefix}-spade-${seed}`));
  const dir = path.join(root, "runs", `${prefix}-continued-pretraining-${seed}`);
  const model = path.join(dir, "model");
  const set = listValue(values.set);
  const measured = { model, dir, seed, settings: set };
  const after = await keptIn(path.join(dir, "evaluations.json"), async () => {
    fs.mkdirSync(dir, { recursive: true });
    const child = new Deno.Command(pythonOf("engine"), {
      args: [
        path.join(root, "scripts/nano/pretrain.py"),
        ...["--continue-from", path.join(root, "data/nano"), "--out", model],
        ...["--seconds", String(Math.round(spade.seconds)), "--seed", String(seed)],
      ],
      stdout: "null",
      stderr: "inherit",
      env: { OMP_NUM_THREADS: "1" },
    });
    if (!(await child.output()).success) throw new Error("continued pre-training failed");
    return await evaluateModel(measured);
  });
  const validity = await keptIn(path.join(dir, "validity.json"), async () => ({
    base: await designsOfModel({ ...measured, model: "data/nano" }, designs),
    current: await designsOfModel(measured, designs),
  }));
  const base = spade.evaluations.filter(({ weights }) => weights === "base");
  return { evaluations: [...base, ...after], validity, seconds: spade.seconds };
}

const results: ArmResult[] = [];
const queue = wanted.flatMap((arm) => Array.from({ length: seeds }, (_, seed) => ({ arm, seed })))
  .sort((a, b) =>
    Number(a.arm === "continued-pretraining") - Number(b.arm === "continued-pretraining")
  );
const total = queue.length;
const started = performance.now();
const finishedOnly = values["finished-only"] === true;

/** Whether a run of the study is there to be read. */
function isThere(arm: string, seed: number): boolean {
  const dir = path.join(root, "runs", `${prefix}-${arm}-${seed}`);
  return arm === "continued-pretraining"
    ? fs.existsSync(path.join(dir, "evaluations.json"))
    : isFinished(dir);
}

async function resultOf(arm: string, seed: number): Promise<Omit<ArmResult, "arm" | "seed">> {
  if (arm === "continued-pretraining") return await continueOne(seed);
  const dir = await trainOne(arm, seed);
  return { ...readRun(dir), validity: await validityOf(dir) };
}

async function worker(): Promise<void> {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    const { arm, seed } = job;
    if (finishedOnly && !isThere(arm, seed)) continue;
    results.push({ arm, seed, ...await resultOf(arm, seed) });
    const minutes = ((performance.now() - started) / 60_000).toFixed(1);
    console.log(`${results.length} of ${total} done after ${minutes} min: ${arm}, seed ${seed}`);
  }
}
await Promise.all(Array.from({ length: jobs }, worker));

const summary = summarize(results);
const file = path.join(
  root,
  typeof values.out === "string" ? values.out : "data/results/nano.json",
);
fs.mkdirSync(path.dirname(file), { recursive: true });
fs.writeFileSync(
  file,
  JSON.stringify(
    {
      command: ["deno task bench:nano", ...Deno.args].join(" "),
      commits: [...commits],
      date: new Date().toISOString().slice(0, 10),
      settings: listValue(values.set),
      arms: summary,
    },
    undefined,
    1,
  ) + "\n",
);
console.log("\n" + tableOf(summary));
