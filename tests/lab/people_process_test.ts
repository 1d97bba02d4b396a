import assert from "node:assert/strict";
import * as fs from "node:fs";
import { after, before, describe, it } from "@std/testing/bdd";
import { inProject } from "../../lib/cli/files.ts";
import type { Sandbox } from "../../lib/core/mod.ts";
import {
  designEnvironment,
  engine,
  type Game,
  gate,
  hint,
  openSandbox,
  play,
  type Policy,
  regret,
} from "../../lib/lab/mod.ts";
import { serveSandbox } from "../../lib/sandbox/mod.ts";

const gap = fs.readFileSync(inProject("data/heldout/dev/00_gap.py"), "utf8");
const jugs = fs.readFileSync(inProject("data/environments/good/three_jugs.py"), "utf8");
const desk = fs.readFileSync(inProject("data/environments/good/trip_desk.py"), "utf8");

/** What must be equal in two plays of one seed. */
const recordOf = (
  { outcome, turns }: Game,
) => [outcome, turns.map(({ ids, logps }) => [ids, logps])];

/** Runs tests/lab/script.ts with nothing allowed but reading the project and `flags`. */
async function script(flags: string[], env: Record<string, string> = {}) {
  const names = ["LOG_TOKENS", "LOG_STREAM", ...Object.keys(env)];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-check", "--no-prompt", "--allow-read=.", `--allow-env=${names}`],
      ...flags,
      "tests/lab/script.ts",
    ],
    cwd: inProject("."),
    env,
    stdin: "null",
  }).output();
  const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out, error };
}

describe("people's functions on the embedded engine and the real sandbox", () => {
  let policy: Policy;
  let sandbox: Sandbox;
  before(async () => {
    [policy, sandbox] = await Promise.all([engine(), openSandbox()]);
  });
  after(async () => {
    await policy[Symbol.asyncDispose]();
    await sandbox[Symbol.asyncDispose]();
    await assert.rejects(play(gap, { engine: policy, sandbox }), /engine is closed, must be/);
  });

  it("designEnvironment() gives a gated environment, the same for the same seed", async () => {
    const options = { engine: policy, sandbox, seed: 1, skill: "Optimization" };
    const made = await designEnvironment(options);
    assert.equal(made.outcome.kind, "ok");
    assert.equal(made.environment!.skill, "Optimization");
    assert.match(made.promptText, /Optimization/);
    assert.equal(made.reply.ids.length, made.reply.logps.length);
    assert.equal(made.attempts.at(-1)!.report.accepted, true);
    assert.match(Deno.inspect(made), new RegExp(`${made.environment!.className}.*\\n.*verdict`));
    const again = await designEnvironment(options);
    assert.deepEqual(again.attempts.map(({ reply }) => reply), made.attempts.map((a) => a.reply));
    const other = await designEnvironment({
      ...options,
      seed: 2,
      document: "A lamp and a switch.",
    });
    assert.match(other.promptText, /A lamp and a switch\./);
    assert.notDeepEqual(other.reply.ids, made.reply.ids);
    const report = await gate(made.environment!, { sandbox });
    assert.equal(report.accepted, true, "it passes the gates it was made for");
  });

  it("designEnvironment() says why there is none", async () => {
    const cut = {
      ...policy,
      config: { ...policy.config, tokens: { designer: 5, agent: 8, hint: 9 } },
    };
    const made = await designEnvironment({ engine: cut, sandbox, attempts: 2 });
    assert.equal(made.environment, undefined);
    assert.equal(made.attempts.length, 2);
    assert.match(Deno.inspect(made.outcome), /designer.*(parse|contract): /s);
    assert.match(Deno.inspect(made), /no environment .*2 of 2 replies refused/);
    await assert.rejects(gate(made.environment!, { sandbox }), /design that was refused has none/);
    await assert.rejects(designEnvironment({ engine: cut, attempts: 0 }), /0 attempts: must be/);
    const kind = "game-multiturn" as const;
    await assert.rejects(designEnvironment({ engine: policy, kind }), /compact chat form only/);
  });

  it("gate() accepts and refuses, with the kind's demands on top", async () => {
    const good = await gate(jugs, { sandbox });
    assert.equal(good.accepted, true);
    assert.match(Deno.inspect(good), /ThreeJugsEnv .*: accepted\n[^]*oracle +✓ passed/);
    const bad = await gate("class Env:\n    pass\n", { sandbox });
    assert.equal(bad.accepted, false);
    const tools = await gate(jugs, { sandbox, kind: "tool-use" });
    assert.equal(tools.verdicts.at(-1)!.verdict, "refuse");
  });

  it("hint() and play() answer the same for the same seed", async () => {
    const advice = await hint(gap, { engine: policy, sandbox });
    assert.ok(advice.text !== null || advice.reason !== "");
    assert.deepEqual((await hint(gap, { engine: policy, sandbox })).tried, advice.tried);
    const game = await play(gap, { engine: policy, sandbox, seed: 3 });
    assert.equal(game.outcome.kind, "scored");
    assert.equal(game.arm, "plain");
    assert.match(Deno.inspect(game), /DepthEnv, seed 3, plain: .*\nturn +observation/);
    const again = await play({ source: gap }, { engine: policy, sandbox, seed: 3 });
    assert.deepEqual(recordOf(again), recordOf(game));
    const hinted = await play(gap, { engine: policy, sandbox, seed: 3, hint: "add the gap" });
    assert.match(hinted.turns[0].observation, /\n\nHINT: add the gap$/);
    const short = await play(gap, { engine: policy, sandbox, maxTurns: 1, temperature: 0 });
    assert.equal(short.turns.length, 1);
  });

  it("play() takes tools, and a program's fault is its outcome", async () => {
    const tools = await play(desk, { engine: policy, sandbox, maxTurns: 2 });
    assert.equal(tools.outcome.kind, "scored");
    const source =
      "class BadEnv:\n    def reset(self, seed=None):\n        raise ValueError('no')\n";
    const { outcome } = await play(source, { engine: policy, sandbox });
    assert.equal(outcome.kind === "failed" && outcome.blame, "designer");
  });

  it("regret() pairs seeds in both arms, whatever the concurrency", async () => {
    const options = { engine: policy, sandbox, hint: "add the gap", pairs: 4, seed: 5 };
    const measured = await regret(gap, options);
    assert.equal(measured.pairs, 4);
    assert.deepEqual(measured.plain.map((p) => p.seed), measured.hinted.map((p) => p.seed));
    assert.equal(new Set(measured.plain.map((p) => p.seed)).size, 4);
    assert.ok(measured.hinted.every((p) => p.turns[0].observation.endsWith("HINT: add the gap")));
    assert.match(Deno.inspect(measured), /DepthEnv: regret .*n = 4 pairs/);
    const slow = await regret(gap, { ...options, concurrency: 1 });
    assert.deepEqual(slow.plain.map(recordOf), measured.plain.map(recordOf));
    assert.deepEqual(slow.outcome, measured.outcome);
    const none = { text: null, reason: "leaks" };
    await assert.rejects(regret(gap, { ...options, hint: none }), /there is no hint \(leaks\)/);
    await assert.rejects(regret(gap, { ...options, pairs: 0 }), /0 pairs: must be/);
  });

  it("every function stops at once when its signal says so", async () => {
    const options = { engine: policy, sandbox, signal: AbortSignal.abort(new Error("enough")) };
    await assert.rejects(designEnvironment(options), /enough/);
    await assert.rejects(gate(jugs, options), /enough/);
    await assert.rejects(hint(jugs, options), /enough/);
    await assert.rejects(play(jugs, options), /enough/);
    await assert.rejects(regret(jugs, { ...options, hint: "a" }), /enough/);
    await assert.rejects(engine(options), /enough/);
    await assert.rejects(openSandbox(options), /enough/);
    const later = new AbortController();
    setTimeout(() => later.abort(new Error("later")), 50);
    const long = { ...options, hint: "a", pairs: 200, concurrency: 4, signal: later.signal };
    await assert.rejects(regret(gap, long), /later/);
  });

  it("engine() and openSandbox() reach what runs already", async () => {
    const path = inProject(`.spade/s/people-${Deno.pid}.sock`);
    await using host = await serveSandbox(sandbox as never, path);
    const flags = [`--allow-net=127.0.0.1,unix:${path}`, `--allow-write=${path}`];
    const env = { SPADE_HOST: path, SPADE_ENGINE: policy.url! };
    const { code, out, error } = await script(flags, env);
    assert.equal(code, 0, `without a permission to run anything: ${error}`);
    assert.match(out, /^\["[0-9a-f]{64}",true,/);
    await using reached = await openSandbox({ host: host.path });
    await using other = await engine({ url: policy.url });
    assert.equal(other.url, policy.url);
    const game = await play(gap, { engine: other, sandbox: reached, seed: 3 });
    assert.deepEqual(
      recordOf(game),
      recordOf(await play(gap, { engine: policy, sandbox, seed: 3 })),
    );
    await assert.rejects(
      openSandbox({ host: "/none.sock" }),
      /start one with: deno task sandbox-host/,
    );
    await assert.rejects(engine({ url: "http://127.0.0.1:9" }), /127\.0\.0\.1:9/);
    await assert.rejects(engine({ preset: "nanno" }), /preset "nanno"/);
    await assert.rejects(engine({ model: "data/none" }), /data\/none/);
    await assert.rejects(engine({ set: ["kind=game-single"] }), /kind game-single.*compact/);
  });
});

Deno.test("a script with narrow permissions does all of it and ends, though it closes no sandbox", async () => {
  const python = ["engine", "sandbox"].map((name) => inProject(`.spade/${name}/bin/python`));
  const { code, out, error } = await script(["--allow-net=127.0.0.1", `--allow-run=${python}`]);
  assert.equal(code, 0, error);
  assert.equal(error, "", "silent where nobody looks");
  const [id, accepted, advice, turns] = JSON.parse(out);
  assert.match(id, /^[0-9a-f]{64}$/);
  assert.deepEqual([accepted, typeof advice, turns > 0], [true, "string", true]);
});
