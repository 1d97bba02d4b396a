import assert from "node:assert/strict";
import * as fs from "node:fs";
import { after, before, describe, it } from "@std/testing/bdd";
import { inProject } from "../../lib/cli/files.ts";
import type { RolloutReport, Sandbox } from "../../lib/core/mod.ts";
import {
  engine,
  openRun,
  openSandbox,
  play,
  type Policy,
  train,
  type Training,
  type TrainOptions,
} from "../../lib/lab/mod.ts";
import { compareRuns, Store } from "../../lib/store/mod.ts";

const name = (of: string) => `test-lab-${of}-${Deno.pid}`;

/** Calls `then` as soon as the run's records are open, in the middle of its first rollout. */
function onceOpen({ dir }: Training, then: () => void): void {
  const timer = setInterval(() => {
    if (!fs.existsSync(`${dir}/run.sqlite`)) return;
    clearInterval(timer);
    then();
  }, 10);
}

async function stepsOf(training: Training, most = Infinity): Promise<number[]> {
  const steps: number[] = [];
  for await (const report of training) {
    steps.push(report.rollout);
    if (steps.length >= most) break;
  }
  return steps;
}

describe("train() on the embedded engine and the real sandbox", () => {
  let policy: Policy;
  let sandbox: Sandbox;
  /** Two rollouts of one epoch; the run has a model of its own on the shared engine. */
  let small: TrainOptions;
  before(async () => {
    [policy, sandbox] = await Promise.all([engine(), openSandbox()]);
    const set = ["environments=3", "plays=2", "heldout=null"];
    small = { rollouts: 2, set, engine: policy, sandbox };
  });
  after(async () => {
    await policy[Symbol.asyncDispose]();
    await sandbox[Symbol.asyncDispose]();
    for (const entry of fs.readdirSync(inProject("runs"))) {
      if (!new RegExp(`^test-lab-.*-${Deno.pid}$`).test(entry)) continue;
      fs.rmSync(inProject(`runs/${entry}`), { recursive: true });
    }
  });

  it("stops and goes on in every way, and gives the records of a run without stops", async () => {
    const whole = train({ ...small, name: name("whole") });
    assert.match(Deno.inspect(whole), /: no rollout yet$/);
    assert.equal(fs.existsSync(whole.dir), false, "nothing starts before the first step");
    assert.deepEqual(await stepsOf(whole), [0, 1]);
    assert.equal(whole.finished, true);
    assert.match(Deno.inspect(whole), /2 of 2 rollouts, finished\nrollout/);

    const cut = train({ ...small, name: name("cut") });
    onceOpen(cut, () => void cut.stop());
    assert.deepEqual(await stepsOf(cut), [], "stopped in its first rollout, without an error");
    assert.deepEqual(await stepsOf(cut, 1), [0]);
    assert.equal(cut.finished, false);
    assert.equal(cut.run.summary.rollouts, 1);
    const plays = cut.run.plays().numRows();
    assert.ok(plays > 0);

    const again = train({ ...small, name: name("cut"), resume: true });
    assert.deepEqual(await stepsOf(again), [1]);
    assert.ok(cut.run.plays().numRows() > plays, "a run that is open sees what was added");
    const resumed = train({ resume: name("cut"), engine: policy, sandbox });
    assert.deepEqual(await stepsOf(resumed), [], "nothing is left to do");
    assert.equal(resumed.finished, true);
    using a = Store.open(whole.dir, { readonly: true });
    using b = Store.open(cut.dir, { readonly: true });
    assert.deepEqual(compareRuns(a, b), []);
    whole.run.close();
    cut.run.close();
  });

  it("awaits stop() inside the loop, and refuses two loops at a time", async () => {
    const training = train({ ...small, name: name("inside") });
    const seen: RolloutReport[] = [];
    for await (const report of training) {
      seen.push(report);
      assert.throws(() => training[Symbol.asyncIterator](), /it is running, must be stopped first/);
      await training.stop();
    }
    assert.deepEqual(seen.map(({ rollout }) => rollout), [0]);
    assert.deepEqual(training.reports, seen);
    const game = await play(training.run.environments().object(0) as { source: string }, {
      engine: policy,
      sandbox,
    });
    assert.equal(game.outcome.kind, "scored", "a row of a table is an environment");
    training.run.close();
  });

  it("ends with the caller's reason when the signal aborts, and stays resumable", async () => {
    const abort = new AbortController();
    const training = train({ ...small, name: name("abort"), signal: abort.signal });
    onceOpen(training, () => abort.abort(new Error("enough")));
    await assert.rejects(stepsOf(training), /enough/);
    using run = openRun(training.name);
    assert.equal(run.summary.finished, false);
  });

  it("says what is wrong before anything starts", () => {
    assert.throws(
      () => train({ resume: "no-such-run" }),
      /Cannot find run no-such-run: runs\/ holds/,
    );
    assert.throws(() => train({ resume: true }), /there is no name/);
    assert.throws(() => train({ preset: "nanno" }), /preset "nanno"/);
    assert.throws(() => train({ set: ["rolouts=1"] }), /rolouts/);
    assert.throws(() => train({ name: "../up" }), /must be letters/);
    assert.throws(() => train({ ...small, name: name("abort") }), /it exists; resume it/);
    assert.throws(() => train({ engine: { ...policy, url: undefined } }), /it has no address/);
    assert.throws(() => openRun("no-such-run"), /runs\/ holds/);
  });

  it("leaves no folder where the engine cannot be reached", async () => {
    const training = train({ ...small, name: name("nobody"), engine: "http://127.0.0.1:9" });
    await assert.rejects(stepsOf(training), /127\.0\.0\.1:9/);
    assert.equal(fs.existsSync(training.dir), false);
    const late = train({ ...small, name: name("late") });
    fs.mkdirSync(late.dir);
    await assert.rejects(stepsOf(late), /it exists/);
    assert.equal(fs.existsSync(late.dir), true, "another's folder stays");
  });
});
