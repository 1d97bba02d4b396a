/**
 * How fast the tables of a long run are read. Usage: `deno run -A scripts/bench/tables.ts [folder] [turns]`
 * Fills a run of a million turns (a minute or two, 0.8 GB), then measures in a fresh process.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { RecordOf } from "../../lib/core/mod.ts";
import { Store } from "../../lib/store/mod.ts";
import { manifest } from "./no_run.ts";

const environments = 24;
const pairs = 8;
const turns = 6;

if (Deno.args[0] === "--read") await measure(Deno.args[1]);
else await fillAndMeasure(Deno.args[0] ?? "/tmp", Number(Deno.args[1] ?? 1e6));

async function fillAndMeasure(base: string, wanted: number): Promise<void> {
  const dir = fs.mkdtempSync(join(base, "spade-tables-"));
  try {
    const started = performance.now();
    const written = fill(join(dir, "run"), wanted);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    const size = fs.statSync(join(dir, "run", "run.sqlite")).size / 2 ** 20;
    print(`filling ${written.toLocaleString("en")} turns`, `${seconds} s, ${size.toFixed(0)} MiB`);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "scripts/bench/tables.ts", "--read", dir],
      stdout: "inherit",
      stderr: "inherit",
    }).output();
    if (code !== 0) Deno.exit(code);
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

async function measure(dir: string): Promise<void> {
  const {
    bandFigure,
    exportTable,
    lengthsFigure,
    openFolder,
    openRun,
    pngRenderer,
    readLongTables,
    readRows,
  } = await import("../../mod.ts");
  const { op } = await import("arquero");
  const renderer = await pngRenderer();
  print("start of the process, imports", ms(performance.now()));
  const opened = performance.now();
  using run = timed("opening a run", () => openRun(join(dir, "run")));
  timed("showing it", () => Deno.inspect(run));
  const figure = timed("band figure of all plays", () => {
    using store = openFolder(join(dir, "run"));
    return bandFigure(readRows(store, "play", ["rollout", "environmentId", "arm", "outcome"]), {
      every: 4,
    });
  });
  timed("the figure as a PNG", () => renderer.render(figure.svg));
  const { user, system } = process.cpuUsage();
  print("first figure, from opening on", ms(performance.now() - opened));
  print(
    "from the process's start on",
    `${ms(performance.now())} (CPU ${ms((user + system) / 1000)})`,
  );
  timed("lengths of all replies, audits", () => {
    using store = openFolder(join(dir, "run"));
    return lengthsFigure({ turns: [], tokens: readLongTables(store).tokens });
  });
  timed(
    "win rate by rollout and arm",
    () =>
      run.plays({ columns: ["rollout", "arm", "value"] }).groupby("rollout", "arm")
        .rollup({ winRate: (p: { value: number }) => op.mean(p.value) }).numRows(),
  );
  timed("reward by turn", () =>
    run.turns({ columns: ["index", "reward"] }).groupby("index")
      .rollup({ reward: (t: { reward: number }) => op.mean(t.reward) }).numRows());
  timed(
    "4 columns of all turns",
    () => run.turns({ columns: ["rollout", "index", "weightsVersion", "reward"] }).numRows(),
  );
  const all = timed("every column but tokens", () => run.turns());
  timed("showing that table", () => Deno.inspect(all));
  timed(
    "tokens of one rollout",
    () => run.turns({ columns: ["ids", "logps"], where: { rollout: 3 } }).numRows(),
  );
  for (const format of ["parquet", "arrow", "csv", "jsonl"]) {
    const file = join(dir, `turn.${format}`);
    const { bytes } = timed(`writing them as ${format}`, () => exportTable(all, file));
    print("", `${(bytes / 2 ** 20).toFixed(0)} MiB`);
  }
  print("largest memory", `${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB`);
}

/** Groups of plays until there are as many turns; each group a transaction, as in a run. */
function fill(dir: string, wanted: number): number {
  using store = Store.create(dir, {
    run: { id: "run", rollout: -1, seed: 0, preset: "bench", config: { rollouts: 1000 } },
    manifest,
  });
  let written = 0, rollout = 0;
  for (; written < wanted; rollout++) {
    for (let e = 0; e < environments; e++) {
      store.transaction(() => {
        for (let index = 0; index < pairs * 2; index++) {
          const play = playOf(rollout, `environment${rollout}.${e}`, index);
          store.insert("play", play);
          store.insert("turn", Array.from({ length: turns }, (_, at) => turnOf(play, at)));
          written += turns;
        }
      });
    }
  }
  store.transaction(() => {
    store.replace("cursor", { id: "state", rollout, value: { rollout, finished: false } });
  });
  return written;
}

function playOf(rollout: number, environmentId: string, index: number): RecordOf<"play"> {
  const wins = (rollout * 7 + index * 5) % 11 < 5;
  return {
    id: `${rollout}/${environmentId}/${index}`,
    rollout,
    environmentId,
    arm: index % 2 ? "hinted" : "plain",
    index: index >> 1,
    seed: index,
    outcome: index === 5
      ? { kind: "failed", blame: "agent", reason: "deadline" }
      : { kind: "scored", value: wins ? 1 : 0 },
    success: wins,
    terminated: true,
    truncated: false,
    turns,
    versionFirst: rollout,
    versionLast: rollout,
    hung: false,
    attempts: 1,
  };
}

function turnOf(play: RecordOf<"play">, index: number): RecordOf<"turn"> {
  const ids = Array.from({ length: 8 }, (_, i) => i * 3 + index);
  return {
    id: `${play.id}/${index}`,
    rollout: play.rollout,
    playId: play.id,
    index,
    prompt: Array.from({ length: 40 }, (_, i) => i * 7),
    ids,
    logps: ids.map((id) => -id / 17),
    finish: "stop",
    weightsVersion: play.rollout,
    observation: `grid 4x4, you are at ${index},2; the goal is at 3,3; walls at 2,2 and 0,1`,
    text: "move north",
    action: "north",
    reward: index === turns - 1 && play.success ? 1 : index % 3 === 0 ? null : 0,
    rerendered: null,
  };
}

function timed<R>(name: string, work: () => R): R {
  const started = performance.now();
  const result = work();
  print(name, ms(performance.now() - started));
  return result;
}

function print(name: string, value: string): void {
  console.log(name.padEnd(32), value);
}

function ms(time: number): string {
  return `${time.toFixed(0)} ms`;
}
