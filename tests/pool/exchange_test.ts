import assert from "node:assert/strict";
import { parquetWriteBuffer } from "hyparquet-writer";
import {
  collectRows,
  formatPoolJsonl,
  formatPoolParquet,
  parsePoolJsonl,
  parsePoolParquet,
  poolFile,
  type PoolRow,
  rowOf,
  statedSkill,
} from "../../lib/pool/mod.ts";

const program = (name: string) => `class ${name}:\n    pass\n`;
const line = (value: unknown) => JSON.stringify(value) + "\n";

function row(fields: Record<string, unknown>): PoolRow {
  const result = rowOf(fields);
  assert.ok(typeof result !== "string", String(result));
  return result;
}

const full = row({
  source: program("FullEnv"),
  class_name: "FullEnv",
  description: "FullEnv N 3",
  kind: "game-single",
  skill: "Optimization",
  family: "full",
  licence: "CC0-1.0",
  origin: "SPADE run a, rollout 3",
  parents: ["a", "b"],
  gates: [{ gate: "parse", verdict: "pass", reason: "" }],
  win_rate: 0.25,
  success_rate: 0.125,
  regret: -0.5,
  plays: 8,
});
const bare = row({ source: program("BareEnv") });

Deno.test("a pool is the same after JSONL and after Parquet, nulls included", async () => {
  const rows = [full, bare];
  assert.deepEqual(parsePoolJsonl(formatPoolJsonl(rows)).rows, rows);
  const parquet = await parsePoolParquet(formatPoolParquet(rows));
  assert.deepEqual(parquet.rows, rows);
  assert.deepEqual(parquet.unread, []);
  assert.deepEqual(bare.gates, []);
  assert.equal(bare.win_rate, null);
  // every column null everywhere but the program
  assert.deepEqual((await parsePoolParquet(formatPoolParquet([bare]))).rows, [bare]);
  // what is read once is read the same again
  assert.equal(formatPoolJsonl(parquet.rows), formatPoolJsonl(rows));
});

Deno.test("rowOf() knows the names that published pools use", () => {
  const names = ["game_code", "env_code", "environment_code", "program", "code", "source"];
  for (const name of names) assert.equal(row({ [name]: program("AEnv") }).id.length, 64);
  const published = row({
    game_code: program("AEnv").replaceAll("\n", "\r\n"),
    source: "a model's name",
    game_name: "A",
    skill: "mathematical_reasoning",
    license: "apache-2.0",
    actor_win_rate: 0.5,
    n_plays: 16n,
    regret: NaN,
    parents: '["x"]',
    kind: "board game",
  });
  assert.deepEqual(published, {
    ...row({ source: program("AEnv") }),
    class_name: "A",
    origin: "a model's name",
    skill: "Mathematical Reasoning",
    licence: "apache-2.0",
    win_rate: 0.5,
    plays: 16,
    parents: ["x"],
  });
  assert.equal(row({ code: null, source: program("AEnv") }).origin, null);
});

Deno.test("rowOf() says what is wrong with a row", () => {
  const reasons = [
    {},
    { code: 3 },
    { code: "  " },
    { code: "x".repeat(1 << 21) },
    { code: "x", win_rate: "high" },
    { code: "x", parents: "none" },
    { code: "x", gates: [{ gate: "parse", verdict: "maybe", reason: "" }] },
    { code: "x", skill: { name: "y" } },
  ].map((fields) => rowOf(fields));
  const expected = [
    /^no program: none of the columns game_code, .*source$/,
    /^code is not text$/,
    /^code is empty$/,
    /^code has 2097152 characters/,
    /^win_rate: /,
    /^parents: /,
    /^gates\.0\.verdict: /,
    /^skill: /,
  ];
  reasons.forEach((reason, i) => assert.match(String(reason), expected[i]));
});

Deno.test("parsePoolJsonl() drops equal programs, lists unknown columns, names malformed lines", () => {
  const good = Array.from({ length: 99 }, (_, i) => line({ code: program(`A${i}Env`), tag: 1 }));
  const again = line({ code: program("A0Env") + "\n\n", more: 1 });
  const { rows, malformed, duplicates, unread } = parsePoolJsonl(
    "\uFEFF" + good.join("") + "\n{oops\n" + again,
  );
  assert.equal(rows.length, 99);
  assert.deepEqual(malformed, [{ row: 101, reason: "not JSON" }]);
  assert.deepEqual([duplicates, unread], [1, ["more", "tag"]]);
  assert.throws(
    () => parsePoolJsonl(good.slice(0, 50).join("") + "[]\n", { name: "p.jsonl" }),
    /Cannot read pool p\.jsonl: 1 of 51 rows are malformed, must be at most 1 %; row 51: not an object/,
  );
  assert.deepEqual(collectRows([]).rows, []);
});

Deno.test("parsePoolParquet() reads what others write, and refuses what is no Parquet", async () => {
  const file = parquetWriteBuffer({
    columnData: [
      { name: "program", data: [program("AEnv"), program("BEnv")], type: "STRING" },
      { name: "n_plays", data: [3n, null], type: "INT64" },
      { name: "parents", data: [JSON.stringify(["x"]), null], type: "JSON" },
      { name: "score", data: [1, 2], type: "INT32" },
    ],
  });
  const { rows, unread } = await parsePoolParquet(new Uint8Array(file));
  assert.deepEqual(rows.map(({ plays, parents }) => [plays, parents]), [[3, ["x"]], [null, []]]);
  assert.deepEqual(unread, ["score"]);
  const whole = formatPoolParquet([full]);
  for (const bytes of [new Uint8Array(0), whole.slice(0, 300), whole.slice(200)]) {
    await assert.rejects(
      parsePoolParquet(bytes, { name: "p" }),
      /^SyntaxError: Cannot read pool p: /,
    );
  }
  const without = parquetWriteBuffer({ columnData: [{ name: "x", data: [1], type: "INT32" }] });
  assert.deepEqual((await parsePoolParquet(new Uint8Array(without))).rows, []);
});

Deno.test("poolFile(): names come from the class and the id, never from the data as they are", () => {
  const file = (fields: Record<string, unknown>) => poolFile(row(fields));
  assert.match(file({ code: program("NimEnv") }), /^NimEnv_[0-9a-f]{12}\.py$/);
  for (const name of ["../../x", "/etc/passwd", "a\u0000b.sh", "-rf ~", "\u202egnp", ""]) {
    assert.match(file({ code: "x = 1\n", class_name: name }), /^[A-Za-z0-9_]+_[0-9a-f]{12}\.py$/);
  }
  assert.ok(file({ code: program("A".repeat(5000) + "Env") }).length < 80);
});

Deno.test("statedSkill() reads the first line, or a published file's name", () => {
  assert.equal(statedSkill("# skill: Optimization\nimport re\n"), "Optimization");
  const slug = "game_00012_003_causal_inference.py";
  assert.equal(statedSkill("import re\n", slug), "Causal Inference");
  assert.equal(statedSkill("import re\n# skill: late\n", "nim.py"), null);
});
