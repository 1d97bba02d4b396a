import assert from "node:assert/strict";
import { EngineError } from "../../lib/core/mod.ts";
import { TinkerTrainer } from "../../lib/engine/mod.ts";
import { type Answer, fakeWire, json } from "./helper.ts";

const ADAM = {
  learningRate: 1e-4,
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0.1,
  gradClipNorm: 1,
};
const datum = (length: number) => ({
  input: Array(length).fill(1),
  target: Array(length).fill(2),
  weights: Array(length).fill(0.5),
});
const short = (path: string) => path.split("/").at(-1)!;

interface Server {
  /** Answers a route before the fake does. */
  first?: Answer;
  chunk?: number;
  own?: boolean;
}

/** A Tinker server of the protocol's shape: futures answer `try_again` once, log-probabilities are −length. */
function server({ first, chunk = 1024, own = true }: Server = {}) {
  const futures = new Map<string, unknown>();
  const polled = new Set<string>();
  let next = 0;
  const later = (value: unknown) => {
    const request_id = `r${++next}`;
    futures.set(request_id, value);
    return json({ request_id, model_id: "m" });
  };
  const results: Record<string, (body: never) => unknown> = {
    create_model: () => ({ model_id: "m" }),
    forward: (body: { forward_input: Input }) => learned(body.forward_input),
    forward_backward: (body: { forward_backward_input: Input }) =>
      learned(body.forward_backward_input),
    optim_step: () => ({ metrics: { grad_norm: 2 }, spade_already_applied: false }),
    save_weights: (body: { path: string }) => ({ path: `tinker://m/weights/${body.path}` }),
    load_weights: (body: { path: string }) => ({ path: body.path }),
    save_weights_for_sampler: () => ({ path: null, ...(own ? { spade_weights_version: 7 } : {}) }),
  };
  return fakeWire((path, body, n) => {
    const given = first?.(path, body, n);
    if (given) return given;
    const route = short(path);
    if (route === "client/config" || route === "config") {
      return json({ fwdbwd_max_chunk_len: chunk });
    }
    if (route === "get_server_capabilities") {
      const models = [{ model_name: "tiny", max_context_length: 64 }];
      return json({
        supported_models: models,
        ...(own ? { spade_engine: "embedded", spade_version: "0.1.0", spade_row_exact: true } : {}),
      });
    }
    if (route === "create_session") return json({ session_id: "s" });
    if (route === "get_info") {
      return json({ spade_steps: 3, spade_weights_version: 2, spade_batch_id: "b9" });
    }
    if (route === "retrieve_future") {
      const id = body.request_id as string;
      if (!polled.has(id)) {
        polled.add(id);
        return json({ type: "try_again" });
      }
      return json(futures.get(id));
    }
    if (route in results) return later(results[route](body as never));
    return json({});
  });
}

interface Input {
  data: { model_input: { chunks: { tokens: number[] }[] } }[];
}

function learned({ data }: Input) {
  const lengths = data.map((item) => item.model_input.chunks[0].tokens.length);
  return {
    loss_fn_output_type: "logprobs",
    loss_fn_outputs: lengths.map((length) => ({
      logprobs: { data: Array(length).fill(-length), dtype: "float32" },
    })),
    metrics: { "loss:sum": lengths.length },
  };
}

Deno.test("TinkerTrainer opens a session and a full model, and says what the engine can do", async () => {
  const [wire, calls] = server();
  await using trainer = await TinkerTrainer.connect(wire);
  assert.deepEqual(trainer.capabilities, {
    engine: "embedded",
    engineVersion: "0.1.0",
    model: "tiny",
    maxContext: 64,
    adamPerCall: true,
    batchIds: true,
    reference: true,
    rowExact: true,
  });
  const made = calls.find(({ path }) => short(path) === "create_model")!;
  assert.deepEqual(made.body.lora_config, { rank: 0 });
  assert.deepEqual(await trainer.state(), { step: 3, weightsVersion: 2, lastBatchId: "b9" });
  await assert.rejects(TinkerTrainer.connect(wire, { baseModel: "huge" }), /does not hold/);
});

Deno.test("TinkerTrainer numbers its calls in the order they are made, chunks included", async () => {
  const [wire, calls] = server({ chunk: 2 });
  await using trainer = await TinkerTrainer.connect(wire);
  const [learned, step, version] = await Promise.all([
    trainer.forwardBackward([1, 2, 3, 4, 5].map(datum), "cross_entropy"),
    trainer.optimStep(ADAM, { batchId: "b1" }),
    trainer.publish(),
  ]);
  assert.equal(learned.loss, 5);
  assert.deepEqual(learned.logps, [
    [-1],
    [-2, -2],
    [-3, -3, -3],
    Array(4).fill(-4),
    Array(5).fill(-5),
  ]);
  assert.deepEqual(step, { applied: true, gradNorm: 2 });
  assert.equal(version, 7);
  const seen = calls.filter(({ body }) => "seq_id" in body)
    .map(({ path, body }) => [short(path), body.seq_id]).sort((a, b) =>
      Number(a[1]) - Number(b[1])
    );
  const fb = "forward_backward";
  const expected = [[fb, 1], [fb, 2], [fb, 3], ["optim_step", 4], ["save_weights_for_sampler", 5]];
  assert.deepEqual(seen, expected);
  const sent = calls.find(({ path }) => short(path) === "optim_step")!.body;
  assert.equal(sent.spade_batch_id, "b1");
  assert.deepEqual(sent.adam_params, {
    learning_rate: 1e-4,
    beta1: 0.9,
    beta2: 0.98,
    eps: 1e-8,
    weight_decay: 0.1,
    grad_clip_norm: 1,
  });
});

Deno.test("TinkerTrainer sends strangers none of our own fields and leaves absent ones out", async () => {
  const [wire, calls] = server({ own: false });
  await using trainer = await TinkerTrainer.connect(wire);
  assert.equal(trainer.capabilities.batchIds, false);
  await trainer.forwardBackward([{ input: [1], target: [2] }], "cross_entropy");
  await trainer.optimStep(ADAM, { batchId: "b1" });
  assert.equal(await trainer.publish(), 1);
  assert.equal(await trainer.save("c1"), "tinker://m/weights/c1");
  assert(!JSON.stringify(calls).includes("null") && !JSON.stringify(calls).includes("spade"));
});

Deno.test("TinkerTrainer names what a failed future says, and who is to blame", async () => {
  const failed = { error: "Cannot step: no gradients", category: "user" };
  const [wire] = server({
    first: (path, _, n) => short(path) === "retrieve_future" && n > 6 ? json(failed) : json0,
  });
  await using trainer = await TinkerTrainer.connect(wire);
  await assert.rejects(trainer.optimStep(ADAM, { batchId: "b" }), (error) => {
    assert(error instanceof EngineError && !error.retryable);
    assert.match(error.message, /Cannot take an optimiser step: Cannot step: no gradients/);
    return true;
  });
});

Deno.test("TinkerTrainer takes no step after half a batch until weights are loaded", async () => {
  const [wire] = server({
    chunk: 1,
    first: (path, body) =>
      short(path) === "forward_backward" && body.seq_id === 2
        ? json({ detail: "Cannot use data[0]" }, 422)
        : json0,
  });
  await using trainer = await TinkerTrainer.connect(wire);
  await assert.rejects(trainer.forwardBackward([datum(1), datum(2)], "cross_entropy"), /422/);
  await assert.rejects(trainer.optimStep(ADAM, { batchId: "b" }), /incomplete; load a checkpoint/);
  await trainer.load("tinker://m/weights/c1");
  assert.equal((await trainer.optimStep(ADAM, { batchId: "b" })).applied, true);
});

Deno.test("TinkerTrainer refuses data that JSON would spoil or that do not fit together", async () => {
  const [wire, calls] = server();
  await using trainer = await TinkerTrainer.connect(wire);
  const sent = calls.length;
  const cases = [
    { ...datum(2), weights: [1, NaN] },
    { ...datum(2), weights: [1] },
    { ...datum(2), target: [1] },
    { input: [], target: [] },
  ];
  for (const bad of cases) {
    await assert.rejects(trainer.forward([bad]), RangeError);
  }
  await assert.rejects(trainer.forwardBackward([datum(2)], "ppo"), /needs logps/);
  await assert.rejects(trainer.forward([]), /no data/);
  assert.equal(calls.length, sent);
});

Deno.test("TinkerTrainer ends a wait at its deadline and on abort", async () => {
  const [wire] = server({
    first: (path, body) =>
      short(path) === "retrieve_future" && body.request_id !== "r1" ? "never" : json0,
  });
  await using trainer = await TinkerTrainer.connect(wire, { deadlineMs: 30 });
  await assert.rejects(trainer.publish(), /no answer within 30 ms/);
  const stop = new AbortController();
  const pending = trainer.publish({ signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(pending, /enough/);
});

/** "Not mine": the fake's own answer is given. */
const json0 = undefined as unknown as Response;
