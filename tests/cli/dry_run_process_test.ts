import assert from "node:assert/strict";
import { type DryRun, dryRun, dryRunText } from "../../lib/cli/dry_run.ts";
import { inProject, presetFiles } from "../../lib/cli/files.ts";
import { promptHashOf, readPromptFiles } from "../../lib/cli/inputs.ts";
import { assertStartable } from "../../lib/cli/unable.ts";
import { resolveConfig } from "../../lib/loop/mod.ts";
import { promptFiles } from "../designer/prompt_files.ts";

const files = presetFiles();
const configOf = (preset: string, set: string[] = [], overlays: string[] = []) =>
  resolveConfig({ preset, set, overlays }, files);
const dry = (...request: Parameters<typeof configOf>) => dryRun(configOf(...request));
const keysOf = (result: DryRun) => result.obstacles.map(({ key }) => key);
const numbersOf = (result: DryRun) =>
  Object.fromEntries(result.expected.map(({ what, expected }) => [what, expected]));

Deno.test("every row of spade.md section 13 has a preset", () => {
  const rows = [
    ...["nano", "games-4b", "games-8b", "games-30b", "games-nemotron-30b", "tools-4b", "tools-8b"],
    ...["tools-30b", "tools-4b-release", "fixed-pool", "fixed-rlve"],
  ];
  assert.deepEqual(files.presets, rows.sort());
  for (const name of ["games-4b", "games-8b", "games-30b", "games-nemotron-30b"]) {
    const { kind, environments, plays, epoch, delay, tokens, context, rollouts, returns, ...rest } =
      configOf(name);
    assert.deepEqual({ kind, environments, plays, epoch, delay, context, rollouts, returns }, {
      ...{ kind: "game-corpus", environments: 24, plays: 16, epoch: 4, delay: 4 },
      ...{ context: 32768, rollouts: 400, returns: "sum" },
    });
    assert.deepEqual(tokens, { designer: 16384, agent: 8192, hint: 4096 });
    assert.deepEqual([rest.skills.length, rest.skillsPerEpoch], [6, 3]);
    assert.equal(rest.klCoefficient, name === "games-8b" ? 0.005 : 0);
    assert.equal(rest.thinking, name === "games-8b");
    assert.deepEqual([rest.adam.learningRate, rest.adam.gradClipNorm], [1e-6, 1]);
  }
  for (const name of ["tools-4b", "tools-8b", "tools-30b"]) {
    const { kind, epoch, delay, tokens, klCoefficient, screen, maskTruncated } = configOf(name);
    assert.deepEqual({ kind, epoch, delay, klCoefficient, screen, maskTruncated }, {
      ...{ kind: "tool-use", epoch: 8, delay: 8, klCoefficient: 0.005 },
      ...{ screen: true, maskTruncated: true },
    });
    assert.equal(tokens.designer, name === "tools-8b" ? 20000 : 16384);
  }
  const release = configOf("tools-4b-release");
  assert.deepEqual(
    [release.environments, release.plays, release.hintedPlays, release.epoch, release.signal],
    [16, 16, 4, 32, "regret"],
  );
});

Deno.test("T 1, top-p 1, top-k off in every preset; restricted sampling is refused by its key [D19]", async () => {
  for (const preset of files.presets) {
    const { temperature, topP, topK } = configOf(preset);
    assert.deepEqual([temperature, topP, topK], [1, 1, 0], preset);
  }
  const release = configOf("nano", [], ["release"]);
  assert.deepEqual([release.temperature, release.topP, release.topK], [0.6, 0.95, 20]);
  assert.throws(() => assertStartable(release), /topP: .*\[D19\].*topK: .*\[D19\]/s);
  for (const set of ["topP=0.95", "topK=20"]) {
    const config = configOf("nano", [set]);
    const key = set.split("=")[0];
    assert.deepEqual(keysOf(await dryRun(config)), [key]);
    assert.throws(() => assertStartable(config), new RegExp(`${key}: .*wrong ratio \\[D19\\]`));
  }
});

for (const preset of files.presets) {
  Deno.test(`--dry-run of ${preset} tells configuration, cost and what stands in the way`, async () => {
    const result = await dry(preset);
    assert.deepEqual(result.changes, []);
    const numbers = numbersOf(result);
    const { rollouts, environments, plays } = result.config;
    assert.equal(numbers["plain plays"], rollouts * environments * plays);
    for (const { what, least, expected, most } of result.expected) {
      assert.ok(least <= expected && expected <= most, `${what}: ${least} ${expected} ${most}`);
    }
    const text = dryRunText(result);
    for (const part of ["configuration", "differs from the preset", "assumed: ", preset]) {
      assert.ok(text.includes(part), part);
    }
    if (preset === "nano") return assert.deepEqual(result.obstacles, []);
    assert.throws(() => assertStartable(result.config), /engine: must be given/);
  });
}

Deno.test("a dry run names what an overlay changed and what cannot run here, and why", async () => {
  const memory = await dry("nano", [], ["no-memory"]);
  assert.deepEqual(memory.changes.map(({ key }) => key), ["memory.seeds", "memory.negatives"]);
  const release = await dry("nano", [], ["release"]);
  assert.deepEqual(keysOf(release), ["topP", "topK"]);
  assert.match(dryRunText(release), /topP: .*restricted sampling.*\[D19\]/);
  assert.deepEqual(keysOf(await dry("games-4b")), ["engine", "tokenizer", "corpus"]);
  const tools = keysOf(await dry("tools-8b", ["engine=http://127.0.0.1:1"], ["no-corpus"]));
  assert.deepEqual(tools, ["tokenizer"]);
  const other = await dry("games-4b", ["engine=embedded", "model=data/nano"], ["no-corpus"]);
  assert.match(dryRunText(other), /model: .*it knows the compact chat form only/);
  assert.deepEqual(keysOf(await dry("nano", ["engine=openai:http://h/v1"])), ["engine"]);
  assert.deepEqual(keysOf(await dry("fixed-rlve", ["engine=embedded", "model=data/nano"])), []);
  const pool = ["engine=embedded", "model=data/nano", "pool=data/nano/pool", "context=1024"];
  assert.deepEqual(keysOf(await dry("fixed-pool", [...pool, "tokens.agent=8"])), []);
  assert.throws(() => configOf("nano", [], ["late-phase"]), /late\.start: must be given/);
  assert.deepEqual(keysOf(await dry("nano", [], ["frozen-external-designer"])), [
    "externalDesigner.model",
  ]);
});

Deno.test("unknown and unfit skills, an empty and a malformed corpus are errors that name key or line", async () => {
  await assert.rejects(dry("nano", ["skills=[Chess]"]), /skills: .*"Chess" is unknown/);
  await assert.rejects(
    dry("nano", ["skills=[Tool Selection]"]),
    /"Tool Selection".*tool-use skill/,
  );
  const dir = await Deno.makeTempDir({ dir: inProject(".spade") });
  try {
    const corpus = (text: string) => {
      const file = `${dir}/corpus.jsonl`;
      Deno.writeTextFileSync(file, text);
      return dry("nano", [`corpus=${file}`]);
    };
    await assert.rejects(corpus(""), /corpus .*has no documents/);
    await assert.rejects(
      corpus('{"text":"a"}\n{"text":\n'),
      /1 of 2 are malformed.*line 2: not JSON/,
    );
    await assert.rejects(corpus('{"text":"a","skill":"Chess"}\n'), /no document for skill/);
    const few = '{"text":"a"}\n'.repeat(2) + "[1]\n" + '{"text":"b"}\n'.repeat(200);
    assert.match((await corpus(few)).warnings[0], /1 lines left out \(line 3: not an object\)/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
  await assert.rejects(dry("nano", ["corpus=data/none.jsonl"]), /corpus data\/none\.jsonl/);
});

Deno.test("the prompts' hash moves with one word of one file, and the tests see every file", async () => {
  assert.deepEqual(readPromptFiles(), promptFiles);
  const dir = await Deno.makeTempDir({ dir: inProject(".spade") });
  try {
    for (const [name, text] of Object.entries(promptFiles)) {
      Deno.mkdirSync(`${dir}/parts`, { recursive: true });
      Deno.writeTextFileSync(`${dir}/${name}.md`, text);
    }
    assert.equal(promptHashOf(readPromptFiles(dir)), promptHashOf(promptFiles));
    Deno.writeTextFileSync(`${dir}/hint.md`, promptFiles.hint.replace("advice", "Advice"));
    assert.notEqual(promptHashOf(readPromptFiles(dir)), promptHashOf(promptFiles));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
  const [single, corpus] = await Promise.all([
    dry("games-4b"),
    dry("games-4b", ["kind=game-single"]),
  ]);
  assert.notEqual(single.prompts.version, corpus.prompts.version);
  assert.equal(single.prompts.hash, promptHashOf(promptFiles));
});
