/** `deno task inspect` under the permissions of its task. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { environmentId, type RecordOf, scored } from "../../lib/core/mod.ts";
import { Store } from "../../lib/store/mod.ts";
import { isSetUp } from "../gates/test_sandbox.ts";
import { manifest, run as record } from "../store/fixtures.ts";
import { run, workFolder } from "./command.ts";

const program = (name: string) =>
  `class ${name}Env:
    def __init__(self, max_turns=3):
        self.turns = max_turns

    def reset(self, seed=None):
        return f"lamp {seed} of {self.turns}", {}

    def step(self, action):
        won = action == "on"
        return f"after {action}", float(won), won, False, {}
`;

function environmentOf(name: string, parents: string[] = []): RecordOf<"environment"> {
  const source = program(name);
  return {
    ...{ id: environmentId(source), rollout: 0, source, className: `${name}Env` },
    ...{ description: "a lamp", skill: "Optimization", treeHash: name, replyId: null },
    ...{ documentId: null, parents },
  };
}

/** A run of two environments, the second a child of the first, with a play that replays and one that does not. */
function runIn(folder: string): { dir: string; ids: string[] } {
  const first = environmentOf("Lamp"), second = environmentOf("Bulb", [first.id]);
  const config = { maxTurns: 5, model: "data/none", sandbox: { memoryMb: 128 } };
  using store = Store.create(`${folder}/run`, { run: { ...record, config }, manifest });
  const play = (index: number): RecordOf<"play"> => ({
    ...{ id: `p${index}`, rollout: 0, environmentId: first.id, arm: "plain", index, seed: 7 },
    ...{ outcome: scored(1), success: true, terminated: true, truncated: false, turns: 1 },
    ...{ versionFirst: 0, versionLast: 0, hung: false, attempts: 1 },
  });
  const turn = (playId: string, observation: string): RecordOf<"turn"> => ({
    ...{ id: `${playId}/0`, rollout: 0, playId, index: 0, prompt: [1], ids: [2], logps: [-1] },
    ...{ finish: "stop", weightsVersion: 0, observation, text: "on", action: "on", reward: 1 },
    rerendered: null,
  });
  store.transaction(() => {
    store.insert("environment", [first, second]);
    store.insert("play", [play(0), play(1)]);
    store.insert("turn", [turn("p0", "lamp 7 of 5"), turn("p1", "lamp 8 of 5")]);
  });
  return { dir: `${folder}/run`, ids: [first.id, second.id] };
}

Deno.test("inspect prints and writes pages that link each other", async () => {
  using work = workFolder("inspect");
  const { dir, ids: [first, second] } = runIn(work.path);
  const only = await run("inspect", [dir, second.slice(0, 8), "--text"]);
  assert.equal(only.code, 0, only.error);
  assert.match(only.out, /^BulbEnv: a lamp/);
  assert.ok(!fs.existsSync(`${dir}/inspect`));

  const one = await run("inspect", [dir, second.slice(0, 8)]);
  assert.equal(one.code, 0, one.error);
  const page = (id: string) => fs.readFileSync(`${dir}/inspect/${id.slice(0, 16)}.html`, "utf8");
  assert.match(one.out, new RegExp(`inspect/${second.slice(0, 16)}\\.html\n$`));
  // Neither its parent nor the list has a page yet.
  assert.doesNotMatch(page(second), /href="index/);
  assert.doesNotMatch(page(second), new RegExp(`href="${first.slice(0, 16)}`));

  const all = await run("inspect", [dir, "--all"]);
  assert.equal(all.code, 0, all.error);
  assert.match(all.out, /inspect\/index\.html: 2 of 2 pages written\n$/);
  assert.match(page(second), /href="index\.html"/);
  assert.match(page(second), new RegExp(`href="${first.slice(0, 16)}\\.html"`));
  assert.match(page(first), /Tokens are not shown: there is no data\/none\/tokenizer\.json here/);
  const index = fs.readFileSync(`${dir}/inspect/index.html`, "utf8");
  for (const id of [first, second]) assert.match(index, new RegExp(`href="${id.slice(0, 16)}\\.`));
});

Deno.test(
  { name: "inspect --replay says which plays are the same", ignore: !isSetUp },
  async () => {
    using work = workFolder("inspect");
    const { dir, ids: [first] } = runIn(work.path);
    const { code, out, error } = await run("inspect", [
      dir,
      first.slice(0, 8),
      "--html",
      "--replay",
    ]);
    assert.equal(code, 0, error);
    assert.match(out, /^1 of 2 plays replayed the same\n/);
    assert.match(out, /play 1, plain: ⚠ different from turn 1 on: observation\n/);
    const page = fs.readFileSync(`${dir}/inspect/${first.slice(0, 16)}.html`, "utf8");
    assert.match(page, /replayed: ✓ same in its turn/);
    const without = await run("inspect", [dir, first, "--replay"], { without: "--allow-run" });
    assert.equal(without.code, 1);
  },
);

Deno.test("inspect explains wrong arguments and what it cannot write", async () => {
  using work = workFolder("inspect");
  const { dir, ids: [first] } = runIn(work.path);
  const cases: [string[], RegExp][] = [
    [[dir, "zz"], /Cannot find environment zz: no id of this run starts with it/],
    [[dir, ""], /Cannot choose environment : 2 ids start with it/],
    [[dir, "--html", "--text"], /Cannot use --html with --text: choose one/],
    [[dir, "--all", first], /Cannot use --all with environment/],
    [[dir, "--replay"], /Cannot use --replay: ENV is missing/],
  ];
  for (const [args, message] of cases) {
    const { code, error } = await run("inspect", args);
    assert.equal(code, 1, args.join(" "));
    assert.match(error, message);
  }
  const without = { without: "--allow-write" };
  const printed = await run("inspect", [dir, first], without);
  assert.equal(printed.code, 0, printed.error);
  assert.match(printed.error, /⚠ no page: Cannot write/);
  assert.equal((await run("inspect", [dir, first, "--html"], without)).code, 1);
  const blind = await run("inspect", [dir, first], { without: "--allow-read" });
  assert.equal(blind.code, 1);
});
