/** `deno task pool` under the permissions of its task. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { rowsOfRun } from "../../lib/cli/pool/run_rows.ts";
import { parsePoolJsonl, parsePoolParquet, type PoolRow } from "../../lib/pool/mod.ts";
import { Store } from "../../lib/store/mod.ts";
import { isSetUp } from "../gates/test_sandbox.ts";
import { folder, runSmall, smallConfig } from "../loop/support.ts";
import { run, start, workFolder } from "./command.ts";

const ignore = !isSetUp;
const line = (value: unknown) => JSON.stringify(value) + "\n";
const read = (file: string) => Deno.readTextFileSync(file);
const rowsOf = (file: string) => parsePoolJsonl(read(file)).rows;
const good = (name: string) => read(`data/environments/good/${name}.py`);
const bad = (name: string) => read(`data/environments/bad/${name}.py`);

Deno.test(
  { name: "a run's environments go out, come in and go out again equal", ignore },
  async () => {
    using made = folder();
    using work = workFolder("pool");
    const at = work.path;
    await runSmall({ dir: made.path, config: smallConfig("rollouts=2", "environments=4") });
    const name = made.path.replace(/^.*\.spade/, ".spade");
    {
      using store = Store.open(made.path, { readonly: true });
      const rows = rowsOfRun(store, "x");
      const environments = store.all("environment");
      assert.deepEqual(
        rows.map(({ id }) => id).sort(),
        environments.map(({ id }) => id).sort(),
      );
    }
    for (const file of ["a.jsonl", "a.parquet"]) {
      const { code, error } = await run("pool", ["export", name, `${at}/${file}`]);
      assert.equal(code, 0, error);
      assert.match(error, /state no licence/);
    }
    const out = rowsOf(`${at}/a.jsonl`);
    assert.deepEqual((await parsePoolParquet(Deno.readFileSync(`${at}/a.parquet`))).rows, out);
    assert.ok(out.length > 0);
    for (const row of out) {
      assert.equal(row.kind, "compact");
      assert.ok(
        row.plays! > 0 && row.win_rate !== null && row.regret !== null,
        JSON.stringify(row),
      );
      assert.deepEqual(row.gates.map(({ gate }) => gate).slice(0, 3), [
        "parse",
        "contract",
        "determinism",
      ]);
      assert.match(row.origin!, /^SPADE run run-\w+, rollout \d$/);
    }
    // As it is: every column.
    assert.equal(
      (await run("pool", ["import", `${at}/a.parquet`, `${at}/plain`, "--no-gates"])).code,
      0,
    );
    assert.equal((await run("pool", ["export", `${at}/plain`, `${at}/b.jsonl`])).code, 0);
    assert.equal(read(`${at}/b.jsonl`), read(`${at}/a.jsonl`));
    // Judged here: the verdicts are this import's, and a second one changes nothing more.
    const licence = ["--licence", "CC0-1.0"];
    const judged = await run("pool", ["import", `${at}/a.jsonl`, `${at}/judged`, ...licence]);
    assert.equal(judged.code, 0, judged.error);
    assert.match(judged.out, /^leak +\d+ +0 +0$/m);
    assert.equal((await run("pool", ["export", `${at}/judged`, `${at}/c.jsonl`])).code, 0);
    const without = (row: PoolRow) => ({ ...row, gates: [], licence: null });
    assert.deepEqual(rowsOf(`${at}/c.jsonl`).map(without), out.map(without));
    assert.equal((await run("pool", ["import", `${at}/c.jsonl`, `${at}/twice`])).code, 0);
    assert.equal((await run("pool", ["export", `${at}/twice`, `${at}/d.jsonl`])).code, 0);
    assert.equal(read(`${at}/d.jsonl`), read(`${at}/c.jsonl`));
  },
);

/** A published pool with everything that may be wrong with one. */
function hostilePool(marker: string): string {
  const write = `open(${JSON.stringify(marker)}, "w").write("ran")`;
  return [
    line({
      code: good("letter_cipher"),
      game_name: "../../escape",
      skill: "pattern_recognition",
      elo: 3,
    }),
    line({ code: good("letter_cipher") + "\n\n", game_name: "again" }),
    line({ code: `import os\n${write}\n${good("four_gates")}`, name: "WriteEnv" }),
    line({ code: bad("contract_loop_in_import"), name: "\u001b[2JHangEnv" }),
    line({ code: "this is not python (", name: "$(touch x)" }),
    line({ code: good("four_gates").replaceAll("FourGates", "Renamed") }),
    line({ code: good("four_gates"), license: "MIT" }),
    ...Array.from({ length: 100 }, () => line({ code: good("letter_cipher") })),
    "{oops\n",
  ].join("");
}

Deno.test(
  { name: "pool import judges what it reads, and keeps the rest out", ignore },
  async () => {
    using work = workFolder("pool");
    const at = work.path;
    const marker = `${Deno.cwd()}/${at}/ran`;
    Deno.writeTextFileSync(`${at}/pool.jsonl`, hostilePool(marker));
    const args = [
      "import",
      `${at}/pool.jsonl`,
      `${at}/in`,
      "--licence",
      "Apache-2.0",
      "--keep-refused",
    ];
    const { code, out, error } = await run("pool", args);
    assert.equal(code, 0, error);
    assert.match(error, /row 108 left out: not JSON/);
    assert.match(error, /101 rows left out: an earlier one is equal/);
    assert.match(error, /columns not read: elo/);
    assert.match(out, /contract: deadline/);
    assert.match(out, /parse: syntax/);
    assert.match(out, /duplicate: same syntax tree/);
    assert.match(out, /2 of 6 environments; play them/);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(out + error, /\x1b/);
    assert.ok(!fs.existsSync(marker), "a program reached the disk");
    const names = Deno.readDirSync(`${at}/in`);
    for (const { name } of names) {
      assert.match(
        name,
        /^\w+_[0-9a-f]{12}\.py$|^index\.json$|^refused$/,
      );
    }
    const index = JSON.parse(read(`${at}/in/index.json`));
    assert.deepEqual(
      index.map((entry: Record<string, unknown>) => [entry.skill, entry.licence, entry.class_name]),
      [["Pattern Recognition", "Apache-2.0", "../../escape"], ["", "Apache-2.0", "RenamedEnv"]],
    );
    const refused = JSON.parse(read(`${at}/in/refused/index.json`));
    assert.equal(refused.length, 4);
    assert.match(refused[3].refused, /^duplicate: /);
    assert.equal(read(`${at}/in/${index[0].file}`), good("letter_cipher"));

    const again = await run("pool", args);
    assert.match(again.error, /error: Cannot write .*\/in: it exists, must be a new name/);
    const all = await run("pool", ["import", `${at}/pool.jsonl`, `${at}/all`, "--no-gates"]);
    assert.equal(all.code, 0, all.error);
    assert.equal(JSON.parse(read(`${at}/all/index.json`)).length, 6);
    assert.ok(!fs.existsSync(marker), "a program ran without the gates");
  },
);

Deno.test({ name: "pool import, stopped, goes on with the same end", ignore }, async () => {
  using work = workFolder("pool");
  const to = `${work.path}/in`;
  const args = ["import", "data/nano/pool", to, "--licence", "MIT"];
  const { child, answer } = await start("pool", args);
  const kept = () =>
    fs.existsSync(`${to}.gates.jsonl`) ? read(`${to}.gates.jsonl`).split("\n") : [];
  while (kept().length < 5) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGINT");
  const stopped = await answer;
  assert.equal(stopped.code, 130, stopped.error);
  assert.match(stopped.error, /stopped: what is judged is kept/);
  assert.ok(!fs.existsSync(to) && kept().length < 48, String(kept().length));
  // The last line is cut, as by a crash: that program is judged again.
  Deno.writeTextFileSync(`${to}.gates.jsonl`, read(`${to}.gates.jsonl`).slice(0, -9));
  const again = await run("pool", args);
  assert.equal(again.code, 0, again.error);
  assert.match(again.error, /\d+ of 48 programs are judged already/);
  assert.ok(!fs.existsSync(`${to}.gates.jsonl`));
  assert.equal(
    (await run("pool", [...args.slice(0, 2), `${work.path}/at-once`, ...args.slice(3)])).code,
    0,
  );
  assert.equal(read(`${to}/index.json`), read(`${work.path}/at-once/index.json`));
});

Deno.test({ name: "pool says what it cannot read or write, without a stack", ignore }, async () => {
  using work = workFolder("pool");
  const at = work.path;
  const index = (value: unknown) => {
    const dir = Deno.makeTempDirSync({ dir: at });
    Deno.writeTextFileSync(`${dir}/index.json`, typeof value === "string" ? value : line(value));
    return dir.replace(/^.*runs\//, "runs/");
  };
  const file = (name: string, content: string) => {
    Deno.writeTextFileSync(`${at}/${name}`, content);
    return `${at}/${name}`;
  };
  Deno.mkdirSync(`${at}/empty`);
  const wrong: [string[], RegExp][] = [
    [[], /import\|export is missing/],
    [["swap", "a", "b"], /Cannot pool swap: must be import or export/],
    [["import", "none.jsonl", `${at}/x`], /Cannot read pool none\.jsonl: .*no such file/i],
    [["import", file("x.csv", "a"), `${at}/x`], /must be \.jsonl, \.parquet or a folder/],
    [["import", file("void.jsonl", "\n"), `${at}/x`], /it holds no environment/],
    [
      ["import", file("bad.jsonl", "{\n[]\n"), `${at}/x`],
      /2 of 2 rows are malformed.*row 1: not JSON/,
    ],
    [["import", file("bad.parquet", "PAR1"), `${at}/x`], /Cannot read pool bad\.parquet: /],
    [["import", `${at}/empty`, `${at}/x`], /it has no index\.json and no \.py/],
    [["import", index([{ file: "../../../README.md" }]), `${at}/x`], /must lie in the folder/],
    [["import", index("{oops"), `${at}/x`], /index\.json: /],
    [["import", index([{ name: "x" }]), `${at}/x`], /index\.json: 0\.file: /],
    [["import", "/etc/hostname", `${at}/x`], /it lies outside the project/],
    [["import", "data/environments", `${at}/x`], /perhaps one of its folders: bad, good/],
    [["import", "data/nano/pool", `${at}/x`, "--kind", "chess"], /Cannot use --kind chess/],
    [
      ["import", "data/nano/pool", "lib/x", "--no-gates"],
      /Cannot write lib\/x: must lie below data\/ or runs\//,
    ],
    [["import", "data/nano/pool", "/tmp/x", "--no-gates"], /Cannot write \/tmp\/x: must lie below/],
    [
      ["import", file("one.jsonl", line({ code: "x = 1" })), `${at}/x`],
      /the gates refused every program/,
    ],
    [["export", "data/nano/pool", `${at}/x.csv`], /must be \.jsonl or \.parquet/],
    [["export", "data/nano/pool", "README.md"], /must be \.jsonl or \.parquet/],
    [["export", "no-such-run", `${at}/x.jsonl`], /Cannot find run no-such-run/],
    [["export", "data/nano/pool", `${at}/x.jsonl`, "--no-gates"], /Cannot export with --no-gates/],
  ];
  for (const [args, expected] of wrong) {
    const { code, error } = await run("pool", args);
    assert.equal(code, 1, args.join(" "));
    assert.match(error, expected);
    assert.doesNotMatch(error, /\n\s+at /, args.join(" "));
    assert.ok(!fs.existsSync(`${at}/x`) && !fs.existsSync(`${at}/x.new`), args.join(" "));
  }
  assert.match((await run("pool", ["--help"])).out, /--keep-refused/);
});

Deno.test({ name: "pool needs each of its permissions", ignore }, async () => {
  using work = workFolder("pool");
  const args = (n: number) => ["import", "data/nano/pool", `${work.path}/${n}`];
  for (const [n, without] of ["--allow-read", "--allow-write", "--allow-run"].entries()) {
    assert.equal((await run("pool", args(n), { without })).code, 1, without);
  }
});
