/** Faults on real sockets, between our adapters and the real engine. Times are bounded at ten times what is expected. */
import assert from "node:assert/strict";
import { EngineError, type SampleReply } from "../../lib/core/mod.ts";
import { BatchSampler, connectEngine, TinkerTrainer, Wire } from "../../lib/engine/mod.ts";
import {
  type Answer,
  changed,
  type Fate,
  type Fault,
  refusal,
  serverBehindProxy,
} from "./proxy.ts";

const ADAM = {
  learningRate: 1e-3,
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0.1,
  gradClipNorm: 1,
};
const request = (seed: number) => ({
  prompt: [5 + seed, 6, 7],
  seed,
  params: { maxTokens: 6, temperature: 1, stopIds: [2] },
});
const datum = (seed: number) => {
  const ids = Array.from({ length: 16 }, (_, i) => (i * 7 + seed * 13) % 90);
  return { input: ids.slice(0, -1), target: ids.slice(1), weights: ids.slice(1).map(() => 0.05) };
};

const { proxy } = await serverBehindProxy();
const wire = new Wire({ url: proxy.url, pauseMs: 5 });
const sampler = new BatchSampler(wire, { model: "base", deadlineMs: 5_000, echo: true });
const sample = () => Promise.all([1, 2, 3].map((seed) => sampler.sample(request(seed))));
const sound: SampleReply[] = await sample();

/** Runs `work` under a fault; its time must stay below `boundMs`. */
async function under<T>(fault: Fault | undefined, boundMs: number, work: () => Promise<T>) {
  proxy.counts.clear();
  proxy.fault = fault;
  const started = performance.now();
  try {
    return await work();
  } finally {
    proxy.fault = undefined;
    const took = performance.now() - started;
    assert.ok(took < boundMs, `took ${took} ms, at most ${boundMs}`);
  }
}

/** The first `times` requests of a route fail so. */
const first = (times: number, route: string, give: Fault): Fault => (passing, forward) =>
  passing.route === route && passing.n <= times ? give(passing, forward) : undefined;

/** The engine does what it is asked, but nobody hears of it. */
const lost: Fault = async (_, forward): Promise<Fate> => {
  await forward();
  return "reset";
};

const passing: Record<string, Fault> = {
  "a reset before the reply": () => "reset",
  "a reset after the work": lost,
  "a body cut in the middle": () => "cut",
  "a burst of 503": () => refusal(503),
  "429 with Retry-After": () => refusal(429, { "retry-after": "0.1" }),
  "truncated JSON of full length": async (_, forward) => {
    const answer = await forward();
    return { ...answer, text: answer.text.slice(0, -40) };
  },
};
for (const [name, give] of Object.entries(passing)) {
  Deno.test(`sampling survives ${name}`, async () => {
    const replies = await under(first(3, "completions", give), 10_000, sample);
    assert.deepEqual(replies, sound);
    assert.equal(proxy.counts.get("completions"), 4);
  });
}

Deno.test("sampling survives a server that is away for a while; one that stays away is named", async () => {
  await proxy.close();
  const waiting = sample();
  await new Promise((resolve) => setTimeout(resolve, 40));
  await proxy.open();
  assert.deepEqual(await waiting, sound);
  await proxy.close();
  const error = await sample().then(() => null, (cause) => cause);
  await proxy.open();
  assert.ok(error instanceof EngineError && error.retryable);
  assert.match(error.message, /Cannot sample 3 replies: the connection to .* failed .*running\?/);
});

Deno.test("a reply that never comes ends at the deadline", async () => {
  const short = new BatchSampler(wire, { model: "base", deadlineMs: 300 });
  const asking = () => short.sample(request(1));
  await assert.rejects(under(() => "silence", 3_000, asking), (error) => {
    assert.ok(error instanceof EngineError && error.retryable);
    return /Cannot sample 1 replies: no answer within 300 ms/.test(error.message);
  });
});

/** Each choice of a good answer spoilt. */
// deno-lint-ignore no-explicit-any
const spoilt = (change: (choice: any, index: number) => void): Fault => async (_, forward) =>
  changed(await forward(), ({ choices }) => choices.forEach(change));

const refused: Record<string, [Fault, RegExp]> = {
  "another prompt's ids": [
    spoilt((choice) => choice.prompt_token_ids[0] += 1),
    /echoed another prompt/,
  ],
  "replies in each other's places": [
    spoilt((choice, i) => choice.index = [1, 2, 0][i]),
    /echoed another prompt/,
  ],
  "the same reply twice": [
    spoilt((choice) => choice.index = 0),
    /choice [12] is missing|another prompt/,
  ],
  "fewer choices": [
    async (_, forward) => changed(await forward(), ({ choices }) => choices.pop()),
    /2 choices for 3 prompts/,
  ],
  "missing log-probabilities": [
    spoilt((choice) => delete choice.logprobs),
    /unexpected form at choices.0.logprobs/,
  ],
  "null in place of NaN": [
    spoilt((choice) => choice.logprobs.token_logprobs[0] = null),
    /unexpected form at choices.0.logprobs.token_logprobs.0/,
  ],
  "a bare NaN, which is no JSON": [
    async (_, forward) => {
      const answer: Answer = await forward();
      return {
        ...answer,
        text: answer.text.replace(/"token_logprobs":\[[^,\]]*/, '"token_logprobs":[NaN'),
      };
    },
    /not JSON/,
  ],
  "one log-probability too few": [
    spoilt((choice) => choice.logprobs.token_logprobs.pop()),
    /tokens and .* log-probabilities/,
  ],
  "a positive log-probability": [
    spoilt((choice) => choice.logprobs.token_logprobs[0] = 0.7),
    /log-probability is 0.7/,
  ],
};
for (const [name, [fault, message]] of Object.entries(refused)) {
  Deno.test(`a reply with ${name} is refused by name, and only it`, async () => {
    const results = await under(
      fault,
      10_000,
      () => Promise.allSettled([1, 2, 3].map((seed) => sampler.sample(request(seed)))),
    );
    const errors = results.flatMap((item) => item.status === "rejected" ? [item.reason] : []);
    assert.ok(errors.length > 0);
    for (const error of errors) {
      assert.ok(error instanceof EngineError);
      assert.match(error.message, message);
    }
    // the engine and the sampler are as good as before
    assert.deepEqual(await sample(), sound);
  });
}

Deno.test("log-probabilities that are all zero are refused before they are many", async () => {
  const watched = new BatchSampler(wire, { model: "base" });
  const zeros = spoilt((choice) => choice.logprobs.token_logprobs.fill(0));
  const asking = async () => {
    let tokens = 0;
    for (let seed = 0; seed < 20; seed++) {
      tokens += (await watched.sample(request(seed))).ids.length;
      assert.ok(tokens < 16, `${tokens} tokens with made-up log-probabilities`);
    }
  };
  await assert.rejects(under(zeros, 10_000, asking), /in a row are exactly 0/);
});

/** Two updates on a model of its own: what its trainer says, and what its weights then give. */
async function trained(options: { deadlineMs?: number } = {}) {
  await using trainer = await TinkerTrainer.connect(wire, options);
  const data = [1, 2, 3].map(datum);
  const out: unknown[] = [];
  for (const batchId of ["b1", "b2"]) {
    const { loss } = await trainer.forwardBackward(data, "cross_entropy");
    out.push(loss, await trainer.optimStep(ADAM, { batchId }), await trainer.publish());
  }
  return [...out, await trainer.state(), await trainer.forward(data)];
}
const soundTraining = await trained();

const onTraining: Record<string, (route: string) => Fault> = {
  "whose reply is lost once it was done": (route) => first(2, route, lost),
  "cut in the reply": (route) => first(2, route, () => "cut"),
  "answered 502 before it arrives": (route) => first(2, route, () => refusal(502)),
  "answered 504 after it was done": (route) =>
    first(2, route, async (_, forward) => (await forward(), refusal(504))),
};
for (const [name, faultOf] of Object.entries(onTraining)) {
  Deno.test(`a training call ${name} counts once`, async () => {
    for (
      const route of [
        "create_model",
        "forward_backward",
        "optim_step",
        "save_weights_for_sampler",
        "retrieve_future",
      ]
    ) {
      const got = await under(faultOf(route), 30_000, trained);
      assert.deepEqual(got, soundTraining, route);
      assert.ok(proxy.counts.get(route)! >= 3, route);
    }
  });
}

Deno.test("another client of the same server changes nothing of what this one samples", async () => {
  await using mine = await connectEngine({ url: proxy.url });
  await using other = await connectEngine({ url: proxy.url });
  const ask = (engine: typeof mine) => engine.sampler.sample(request(1));
  const before = await ask(mine);
  await other.trainer.forwardBackward([1, 2, 3].map(datum), "cross_entropy");
  await other.trainer.optimStep({ ...ADAM, learningRate: 0.1 }, { batchId: "b1" });
  await other.trainer.publish();
  assert.deepEqual([before, await ask(mine)], [sound[0], sound[0]]);
  const theirs = await ask(other);
  assert.equal(theirs.weightsVersion, 1);
  assert.notDeepEqual(theirs.logps, before.logps);
  const saved = await other.trainer.save("theirs");
  await mine.trainer.load(saved);
  assert.deepEqual(await ask(mine), theirs);
});

Deno.test("a training call that is never answered ends at its deadline; no step follows half a gradient", async () => {
  await using trainer = await TinkerTrainer.connect(wire, { deadlineMs: 400 });
  const data = [1, 2, 3].map(datum);
  const silent: Fault = ({ route }) => route === "retrieve_future" ? "silence" : undefined;
  await assert.rejects(
    under(silent, 4_000, () => trainer.forwardBackward(data, "cross_entropy")),
    /no answer within 400 ms/,
  );
  await assert.rejects(trainer.optimStep(ADAM, { batchId: "b" }), /incomplete; load a checkpoint/);
  assert.equal((await trainer.state()).step, 0);
});

Deno.test("log-probabilities of the trainer that are missing or of other lengths are named", async () => {
  await using trainer = await TinkerTrainer.connect(wire);
  const data = [1, 2, 3].map(datum);
  // deno-lint-ignore no-explicit-any
  const result = (change: (value: any) => void): Fault => async ({ route }, forward) =>
    route === "retrieve_future" ? changed(await forward(), change) : undefined;
  const asking = () => trainer.forward(data);
  await assert.rejects(
    under(result((value) => value.loss_fn_outputs.pop()), 10_000, asking),
    /other lengths than the data/,
  );
  await assert.rejects(
    under(result((value) => value.loss_fn_outputs[1].logprobs.data.pop()), 10_000, asking),
    /other lengths than the data/,
  );
  await assert.rejects(
    under(result((value) => delete value.loss_fn_outputs[0].logprobs), 10_000, asking),
    /Cannot run forward on 3 data: the reply has an unexpected form/,
  );
});
