/** Three rollouts of every ablation on the nano engine: its effect must show in the stored records. */
import assert from "node:assert/strict";
import { inProject, presetFiles, pythonOf } from "../../lib/cli/files.ts";
import { type Config, resolveConfig, verify } from "../../lib/loop/mod.ts";
import { plateau } from "../../lib/reward/mod.ts";
import { Store } from "../../lib/store/mod.ts";
import { folder, runSmall, small } from "./support.ts";

const short = ["rollouts=3", "epoch=1", "delay=1", "environments=4", "plays=3", "skillsPerEpoch=0"];

function config(overlays: string[], ...more: string[]): Config {
  return resolveConfig(
    { preset: "nano", overlays, set: [...small, ...short, ...more] },
    presetFiles(),
  );
}

/** One engine serves all cases, one after the other: each opens a model of its own on it, at the starting weights. */
let server: Deno.ChildProcess;
let url: string;
let state: ReturnType<typeof folder>;

Deno.test.beforeAll(async () => {
  state = folder();
  server = new Deno.Command(pythonOf("engine"), {
    args: [
      inProject("scripts/engine/server.py"),
      ...["--model", inProject("data/nano"), "--state", state.path, "--port", "0"],
      ...["--parent-pid", String(Deno.pid)],
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = server.stdout.getReader();
  const { port } = JSON.parse(new TextDecoder().decode((await reader.read()).value));
  await reader.cancel();
  url = `http://127.0.0.1:${port}`;
});

Deno.test.afterAll(async () => {
  server.kill();
  await server.stdin.close();
  await server.status;
  state[Symbol.dispose]();
});

/** Runs it, checks that its records recompute, and shows them. */
async function withRun(settings: Config, look: (store: Store) => void): Promise<void> {
  using dir = folder();
  await runSmall({ dir: dir.path, config: { ...settings, engine: url } });
  using store = Store.open(dir.path, { readonly: true });
  assert.equal(store.count("update") >= 2, true);
  assert.equal(verify(store).mismatch, null);
  look(store);
}

const designs = (store: Store) => store.all("reply", { where: { role: "designer" } });
const designerLoss = (store: Store) =>
  store.all("update").reduce((sum, { designerLoss }) => sum + Math.abs(designerLoss), 0);
const trainedUnits = (store: Store) =>
  store.all("batch").reduce((sum, { designers }) => sum + designers, 0);
const parents = (store: Store) => designs(store).flatMap((reply) => reply.parents);
const accepted = (store: Store) =>
  store.all("sample", { where: { kind: "accepted", state: "trained" } });
/** Scored plain returns by rollout and environment. */
const groups = (store: Store) =>
  new Map(
    store.all("active").flatMap(({ environmentId }) =>
      [0, 1, 2].map((rollout) => {
        const plays = store.all("play", { where: { environmentId, rollout, arm: "plain" } });
        const values = plays.flatMap(({ outcome }) =>
          outcome.kind === "scored" ? [outcome.value] : []
        );
        return [`${rollout} ${environmentId}`, values] as const;
      })
    ).filter(([_, values]) => values.length > 0),
  );
const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const winRates = (store: Store) =>
  new Map([...groups(store)].map(([key, values]) => [key, mean(values)]));
/** Trained plays with what they returned. */
const trainedPlays = (store: Store) =>
  store.all("batch").flatMap(({ sequences }) => sequences).flatMap(({ role, unit, advantage }) => {
    if (role !== "agent") return [];
    const { outcome, environmentId, rollout } = store.get("play", unit)!;
    assert.ok(outcome.kind === "scored");
    return [{ rollout, environmentId, value: outcome.value, advantage }];
  });

/** Raw rewards of the first update: distance from the mean of all its plays, which sets the tracker, and `more`. */
function assertPotential(store: Store, more: (returns: number[]) => number) {
  const first = accepted(store).filter(({ due, raw }) => due === 1 && raw !== -0.5);
  assert.ok(first.length > 1);
  const returns = first.map(({ environmentId }) => groups(store).get(`0 ${environmentId}`)!);
  const all = mean(returns.map(mean));
  for (const [i, { raw }] of first.entries()) {
    const expected = Math.abs(mean(returns[i]) - all) + more(returns[i]);
    assert.ok(Math.abs(raw! - expected) < 1e-9, `${raw} ${expected}`);
  }
}

/** Raw rewards of the accepted samples equal the signal of their plays. */
function assertPlateau(
  store: Store,
  band: (due: number) => { lo: number; hi: number; ramp: number },
) {
  const rates = winRates(store);
  const samples = accepted(store);
  assert.ok(samples.length > 4);
  for (const { rollout, environmentId, due, raw } of samples) {
    const hung = store.count("play", { environmentId: environmentId!, rollout, hung: true }) > 0;
    const rate = rates.get(`${rollout} ${environmentId}`)!;
    const expected = hung ? -0.5 : plateau(rate, band(due));
    assert.ok(Math.abs(raw! - expected) < 1e-9, `${environmentId} ${raw} ${expected}`);
  }
}
const usual = { lo: 0.4, hi: 0.6, ramp: 0.25 };

const cases: [string, Config, (store: Store) => void][] = [
  [
    "the preset itself has documents, parents, a designer loss; equal seeds in both arms [D1]",
    config(
      [],
      "skills=[Mathematical Reasoning, Logical Deduction]",
    ),
    (store) => {
      assert.ok(designs(store).every((reply) => reply.documentId !== null));
      assert.ok(parents(store).length > 0);
      const hints = store.all("active").filter(({ hint }) => hint !== null);
      assert.ok(hints.length > 0);
      for (const { environmentId, rollout } of hints) {
        const [plain, hinted] = (["plain", "hinted"] as const).map((arm) =>
          store.all("play", { where: { environmentId, rollout, arm }, orderBy: "index" })
            .slice(0, 3).map(({ index, seed }) => [index, seed])
        );
        assert.deepEqual([plain.length, hinted], [3, plain]);
      }
      assert.ok(designerLoss(store) > 0);
      assert.ok(trainedUnits(store) > 0);
    },
  ],
  ["no-corpus: no document", config(["no-corpus"]), (store) => {
    assert.ok(designs(store).length >= 12);
    assert.ok(designs(store).every((reply) => reply.documentId === null));
    assert.equal(store.count("document"), 0);
  }],
  ["no-memory: no parents", config(["no-memory"]), (store) => {
    assert.ok(store.count("memory") > 0);
    assert.deepEqual(parents(store), []);
  }],
  [
    "frozen-designer: the starting weights design and nothing of it is trained",
    config([
      "frozen-designer",
    ]),
    (store) => {
      assert.equal(designerLoss(store), 0);
      assert.equal(trainedUnits(store), 0);
      assert.ok(designs(store).every((reply) => reply.weightsVersion === 0));
      assert.ok(store.all("turn").some((turn) => turn.weightsVersion > 0));
      assert.ok(parents(store).length > 0, "memory stays");
    },
  ],
  [
    "untrained-designer: the trained weights design, no designer loss",
    config([
      "untrained-designer",
    ]),
    (store) => {
      assert.equal(designerLoss(store), 0);
      assert.equal(store.count("sample"), 0);
      assert.ok(designs(store).some((reply) => reply.weightsVersion > 0));
      assert.ok(parents(store).length > 0, "memory stays");
    },
  ],
  [
    "paper-no-designer: neither designer loss nor memory",
    config(["paper-no-designer"]),
    (store) => {
      assert.equal(designerLoss(store), 0);
      assert.deepEqual(parents(store), []);
      assert.ok(designs(store).length >= 12);
    },
  ],
  [
    "frozen-external-designer: another model designs",
    config(["frozen-external-designer"], "externalDesigner.model=data/nano"),
    (store) => {
      assert.equal(designerLoss(store), 0);
      assert.ok(designs(store).every((reply) => reply.weightsVersion === 0));
      assert.ok(store.all("turn").some((turn) => turn.weightsVersion > 0));
    },
  ],
  ["two-skill: two skills", config(["two-skill"]), (store) => {
    const skills = new Set(designs(store).map((reply) => reply.skill));
    assert.deepEqual(skills, new Set(["Pattern Recognition", "Mathematical Reasoning"]));
  }],
  [
    "fixed-pool: environments of the folder, no designer replies",
    config([
      "fixed-pool",
    ]),
    (store) => {
      assert.deepEqual(designs(store), []);
      assert.equal(store.count("hint"), 0);
      const active = store.all("active");
      assert.ok(active.length === 12 && active.every(({ origin }) => origin === "folder"));
      assert.equal(new Set(active.map((row) => row.environmentId)).size, 12, "no replacement");
    },
  ],
  ["solve-rate: raw is the plateau of the win rate", config(["solve-rate"]), (store) => {
    assertPlateau(store, () => usual);
  }],
  [
    "late-phase: the band moves at its start",
    config(["late-phase", "solve-rate"], "late.start=2", "late.context=1000"),
    (store) => {
      const late = { lo: 0.2, hi: 0.4, ramp: 0.2 };
      assertPlateau(store, (due) => due < 2 ? usual : late);
    },
  ],
  [
    "learning-potential: raw is the distance from the skill's tracker",
    config(
      ["learning-potential"],
      "skills=[Mathematical Reasoning]",
    ),
    (store) => assertPotential(store, () => 0),
  ],
  [
    "learning-potential-variance, mean-only, drop-dead-groups: each shows",
    config(
      ["learning-potential-variance", "mean-only", "drop-dead-groups"],
      "skills=[Mathematical Reasoning]",
    ),
    (store) => {
      assertPotential(store, (returns) => {
        const variance = mean(returns.map((value) => (value - mean(returns)) ** 2));
        return Math.exp(-((variance - 0.25) ** 2) / 0.02);
      });
      const of = groups(store);
      const plays = trainedPlays(store);
      assert.ok(plays.length > 4);
      for (const { rollout, environmentId, value, advantage } of plays) {
        const group = of.get(`${rollout} ${environmentId}`)!;
        assert.ok(Math.abs(advantage - (value - mean(group))) < 1e-9, "not divided");
        assert.ok(new Set(group).size > 1, "a dead group is in the batch");
      }
      const live = [...of.values()].filter((group) => new Set(group).size > 1);
      assert.ok(live.length < of.size, "no group was dead");
      assert.equal(plays.length, live.flat().length);
      const agents = store.all("batch").reduce((sum, batch) => sum + batch.agents, 0);
      assert.equal(agents, plays.length);
    },
  ],
  [
    "ema-baseline: the group before is the measure of the next",
    config(["ema-baseline"], "epoch=2", "delay=2"),
    (store) => {
      const before = winRates(store);
      const plays = trainedPlays(store);
      assert.deepEqual(new Set(plays.map(({ rollout }) => rollout)), new Set([0, 1, 2]));
      for (const { rollout, environmentId, value, advantage } of plays) {
        // Before data the baseline is 0; another set begins anew.
        const baseline = rollout === 1 ? before.get(`0 ${environmentId}`) ?? 0 : 0;
        assert.ok(Math.abs(advantage - (value - baseline)) < 1e-9, `${advantage} ${value}`);
      }
      assert.ok(plays.some(({ rollout, advantage }) => rollout === 1 && advantage % 1 !== 0));
    },
  ],
  [
    "shuffled-rewards: advantages are those of a permutation",
    config(["shuffled-rewards"]),
    (store) => {
      const moved = store.all("batch").flatMap(({ sequences }) => sequences)
        .filter(({ role, unit, advantage }) => {
          const outcome = role === "agent" ? store.get("play", unit)!.outcome : null;
          return outcome?.kind === "scored" &&
            (outcome.value === 1 ? advantage < 0 : advantage > 0);
        });
      assert.ok(moved.length > 0, "no reward changed its owner");
    },
  ],
  [
    "repairTurns: the error is shown, the first reply is trained",
    config([], "repairTurns=1", "attempts=2", "environments=8", "rollouts=2"),
    (store) => {
      const repairs = designs(store).filter(({ attempt }) => attempt % 2 === 1);
      assert.ok(repairs.length > 0, "nothing was refused");
      for (const { rollout, slot, attempt, prompt } of repairs) {
        const first = store.get("reply", `r${rollout}/s${slot}/a${attempt - 1}`)!;
        const start = [...first.prompt, ...first.ids];
        assert.deepEqual(prompt.slice(0, start.length), start, "the conversation goes on");
        assert.ok(prompt.length > start.length && !first.accepted);
      }
      assert.ok(store.all("sample").every(({ id }) => Number(id.split("/a")[1]) % 2 === 0));
    },
  ],
  ["hintedPlays: the hinted arm has its own size", config([], "hintedPlays=5"), (store) => {
    const { environmentId, rollout } = store.all("active").find(({ hint }) => hint !== null)!;
    const count = (arm: "plain" | "hinted") =>
      store.all("play", { where: { environmentId, rollout, arm } })
        .filter(({ outcome }) => outcome.kind === "scored").length;
    assert.deepEqual([count("plain"), count("hinted")], [3, 5]);
  }],
];

for (const [name, settings, look] of cases) Deno.test(name, () => withRun(settings, look));
