/** The forms of the objective move real weights the same way: one batch, one step each, on the embedded engine. */
import assert from "node:assert/strict";
import { type Datum, Random } from "../../lib/core/mod.ts";
import { EmbeddedEngine, TinkerTrainer, Wire } from "../../lib/engine/mod.ts";
import {
  createBatch,
  dataOf,
  importanceData,
  PPO_CLIPS,
  ppoData,
  type Unit,
  weighBatch,
} from "../../lib/grpo/mod.ts";
import { compareRuns, Store } from "../../lib/store/mod.ts";
import { folder, runSmall, smallConfig } from "../loop/support.ts";

const adam = {
  learningRate: 1e-4,
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0,
  gradClipNorm: 1,
};

/** Units of both roles, one of two sequences, one without advantage; what was said has the engine's log-probabilities. */
async function sampledUnits(engine: EmbeddedEngine): Promise<Unit[]> {
  const random = new Random(3);
  const params = { maxTokens: 6, temperature: 1, stopIds: [] };
  const sequence = async (seed: number) => {
    const prompt = Array.from({ length: 4 + random.integer(8) }, () => 20 + random.integer(300));
    const { ids, logps } = await engine.sampler.sample({ prompt, params, seed });
    const zeros = prompt.map(() => 0);
    return {
      ids: [...prompt, ...ids],
      logps: [...zeros, ...logps],
      mask: [...zeros, ...ids.map(() => 1)],
    };
  };
  const advantages = [1.5, -0.5, 0, -1];
  return await Promise.all(advantages.map(async (advantage, i): Promise<Unit> => ({
    id: `u${i}`,
    role: i === 0 ? "designer" : "agent",
    advantage,
    sequences: await Promise.all((i === 1 ? [10, 11] : [20 + i]).map(sequence)),
  })));
}

Deno.test("two passes, importance sampling and ppo: one gradient, one step, the same weights", async () => {
  using dir = folder();
  await using engine = await EmbeddedEngine.start({
    python: ".spade/engine/bin/python",
    model: "data/nano",
    state: dir.path,
  });
  const batch = createBatch(await sampledUnits(engine), { id: "b", rollout: 0, scale: 1 });
  const wire = new Wire({ url: engine.url });
  const looked = dataOf(batch);
  const forms: [
    string,
    (
      p0: number[][],
    ) => [
      readonly Datum[],
      Parameters<TinkerTrainer["forwardBackward"]>[1],
      Record<string, number>?,
    ],
  ][] = [
    ["two passes", (p0) => [weighBatch(batch, p0).data, "cross_entropy"]],
    ["one pass", () => [importanceData(batch), "importance_sampling"]],
    ["ppo", (p0) => [ppoData(batch, p0), "ppo", PPO_CLIPS]],
  ];
  const after = new Map<string, { norm: number; logps: number[] }>();
  for (const [name, make] of forms) {
    await using trainer = await TinkerTrainer.connect(wire);
    const p0 = await trainer.forward(looked);
    const [data, loss, config] = make(p0);
    await trainer.forwardBackward(data, loss, { config });
    const { gradNorm } = await trainer.optimStep(adam, { batchId: name });
    const logps = (await trainer.forward(looked)).flat();
    assert.ok(
      logps.some((logp, i) => Math.abs(logp - p0.flat()[i]) > 1e-3),
      "the step moved nothing",
    );
    after.set(name, { norm: gradNorm!, logps });
  }
  const first = after.get("two passes")!;
  for (const [name, { norm, logps }] of after) {
    assert.ok(Math.abs(norm - first.norm) < 1e-4 * first.norm, `${name}: ${norm}, ${first.norm}`);
    const gap = Math.max(...logps.map((logp, i) => Math.abs(logp - first.logps[i])));
    assert.ok(gap < 1e-4, `${name}: log-probabilities are ${gap} apart`);
  }
});

Deno.test("a run in one pass begins like a run in two, and refuses a k3 term", async () => {
  using two = folder();
  using one = folder();
  const set = ["rollouts=1", "environments=4"];
  await runSmall({ dir: two.path, config: smallConfig(...set) });
  await runSmall({ dir: one.path, config: smallConfig(...set, "objective=one-pass") });
  using a = Store.open(two.path, { readonly: true });
  using b = Store.open(one.path, { readonly: true });
  const tables = compareRuns(a, b).map(({ table }) => table);
  assert.ok(
    tables.every((table) => ["run", "update", "checkpoint", "batch"].includes(table)),
    tables.join(),
  );
  const [first, same] = [a, b].map((store) => store.all("update", { orderBy: "rollout" })[0]);
  assert.ok(Math.abs(first.loss - same.loss) < 1e-5, `${first.loss}, ${same.loss}`);
  assert.ok(Math.abs(first.gradNorm! - same.gradNorm!) < 1e-3 * first.gradNorm!);
  assert.throws(() => smallConfig("objective=one-pass", "klCoefficient=0.1"), /klCoefficient/);
});
