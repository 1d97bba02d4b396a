/** A server that averages, forgets `seq_id` and keeps gradients over a load: SkyRL's JAX backend, in its replies. */
import assert from "node:assert/strict";
import { EngineError } from "../../lib/core/mod.ts";
import { summed } from "../../lib/engine/means.ts";
import { TinkerTrainer } from "../../lib/engine/mod.ts";
import { type Answer, fakeWire, json } from "./helper.ts";

const ADAM = {
  learningRate: 1e-3,
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0,
  gradClipNorm: 1,
};
const DATA = [
  { input: [1, 2], target: [2, 3], weights: [0, -0.5] },
  { input: [1, 2, 3], target: [2, 3, 4], weights: [0.25, 0, 0] },
];

interface Body {
  forward_backward_input?: {
    loss_fn: string;
    loss_fn_config?: unknown;
    data: { loss_fn_inputs: Record<string, { data: number[] }> }[];
  };
  adam_params?: { learning_rate: number };
}

type First = (...asked: Parameters<Answer>) => Response | undefined;

const RESULTS = {
  create_model: { model_id: "m" },
  forward_backward: {
    loss_fn_output_type: "scalar",
    loss_fn_outputs: [{ logprobs: { data: [-1, -2] } }, { logprobs: { data: [-4, -1, -1] } }],
    metrics: {},
  },
  optim_step: { metrics: { "skyrl.ai/grad_norm": 3, "skyrl.ai/learning_rate": 1e-3 } },
  load_weights: { type: "load_weights" },
  save_weights_for_sampler: { path: null, sampling_session_id: "s1" },
};

function server(first?: First) {
  const results: Record<string, unknown> = RESULTS;
  return fakeWire((path, body, n) => {
    const given = first?.(path, body, n);
    if (given) return given;
    const route = path.split("/").at(-1)!;
    if (route === "get_server_capabilities") {
      return json({ supported_models: [{ model_name: "tiny" }] });
    }
    if (route === "create_session") return json({ session_id: "s" });
    if (route === "retrieve_future") return json(results[String(body.request_id)]);
    return route in results ? json({ request_id: route }) : json({});
  });
}

const connect = (wire: ReturnType<typeof server>[0]) =>
  TinkerTrainer.connect(wire, { profile: "jax", loraRank: 4 });

Deno.test("summed() makes the mean of the means a sum", () => {
  // what the server computes: per datum the mean over its positions, then the mean over the data
  const gradient = (advantages: readonly (readonly number[])[]) =>
    advantages.map((row) => row.map((value) => value / row.length / advantages.length));
  assert.deepEqual(
    gradient(summed(DATA).map(({ advantages }) => advantages!)),
    DATA.map(({ weights }) => weights),
  );
  assert.deepEqual(summed([{ input: [1], target: [2] }])[0].advantages, [1]);
});

Deno.test("TinkerTrainer sends a server that averages advantages, and says the sum", async () => {
  const [wire, calls] = server();
  await using trainer = await connect(wire);
  const { loss } = await trainer.forwardBackward(DATA, "cross_entropy");
  assert.equal(loss, -0.5 * 2 + 0.25 * 4);
  assert.equal((await trainer.optimStep(ADAM, { batchId: "b1" })).gradNorm, 3);
  const bodies = calls.map(({ body }) => body as Body);
  const { loss_fn, loss_fn_config, data } = bodies.find((body) => body.forward_backward_input)!
    .forward_backward_input!;
  assert.equal(loss_fn, "cispo");
  assert.deepEqual(loss_fn_config, { clip_low_threshold: 1, clip_high_threshold: 1 });
  assert.deepEqual(data[0].loss_fn_inputs.advantages.data, [0, -2]);
  assert.equal(data[0].loss_fn_inputs.weights, undefined);
  await assert.rejects(
    trainer.forwardBackward(DATA, "ppo"),
    /Cannot train with ppo: jax averages it, the loss must be cross_entropy/,
  );
});

Deno.test("servers that sum and servers that average are not taken for each other", async () => {
  const sums: Record<string, number>[] = [{ "loss:sum": 5 }, { "total_loss:sum": 5 }];
  for (const metrics of [{}, ...sums]) {
    const connectAs = async (profile: "jax" | "skyrl") => {
      const [wire] = server((path, body) => {
        if (path.endsWith("retrieve_future") && body.request_id === "forward_backward") {
          return json({ ...RESULTS.forward_backward, metrics });
        }
      });
      return await TinkerTrainer.connect(wire, { profile, loraRank: 4 });
    };
    const isMean = Object.keys(metrics).length === 0;
    await using jax = await connectAs("jax");
    await using skyrl = await connectAs("skyrl");
    const [right, wrong] = isMean ? [jax, skyrl] : [skyrl, jax];
    const { loss } = await right.forwardBackward(DATA, "cross_entropy");
    assert.equal(loss, isMean ? 0 : 5);
    await assert.rejects(
      wrong.forwardBackward(DATA, "cross_entropy"),
      isMean ? /has no loss:sum; .* jax:URL/ : /has a loss:sum, so this is not the server/,
    );
    await assert.rejects(wrong.optimStep(ADAM, { batchId: "b" }), /gradient is incomplete/);
  }
});

Deno.test("a training call is never sent again to a server that counts it twice", async () => {
  for (const path of ["forward_backward", "optim_step"]) {
    for (const status of [500, 429]) {
      let failed = false;
      const [wire, calls] = server((at) => {
        if (failed || !at.endsWith(path)) return undefined;
        failed = true;
        return json({ detail: "busy" }, status);
      });
      await using trainer = await connect(wire);
      const work = (async () => {
        await trainer.forwardBackward(DATA, "cross_entropy");
        await trainer.optimStep(ADAM, { batchId: "b1" });
      })();
      if (status === 429) await work; // refused: not done
      else {
        await assert.rejects(work, (error) =>
          error instanceof EngineError && !error.retryable &&
          /busy; it may have been done, and would be done twice if sent again/.test(error.message));
      }
      const sent = calls.filter((call) => call.path.endsWith(path)).length;
      assert.equal(sent, status === 429 ? 2 : 1);
    }
  }
});

Deno.test("gradients that a load would keep are dropped before it", async () => {
  let failed = false;
  const [wire, calls] = server((path) => {
    if (failed || !path.endsWith("forward_backward")) return undefined;
    failed = true;
    return json({ detail: "no" }, 400);
  });
  await using trainer = await connect(wire);
  await assert.rejects(trainer.forwardBackward(DATA, "cross_entropy"), /no/);
  await assert.rejects(trainer.optimStep(ADAM, { batchId: "b1" }), /the gradient is incomplete/);
  calls.length = 0;
  assert.equal((await trainer.load("tinker://m/weights/c1")).weightsVersion, 1);
  const routes = calls.map(({ path }) => path.split("/").at(-1));
  assert.deepEqual(routes.filter((route) => route !== "retrieve_future"), [
    "optim_step",
    "load_weights",
    "save_weights_for_sampler",
    "get_info",
  ]);
  assert.equal((calls[0].body as Body).adam_params!.learning_rate, 0);
  await trainer.forwardBackward(DATA, "cross_entropy");
  calls.length = 0;
  await trainer.load("tinker://m/weights/c1");
  assert.equal(calls[0].path.split("/").at(-1), "load_weights");
});
