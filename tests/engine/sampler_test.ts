import assert from "node:assert/strict";
import { EngineError } from "../../lib/core/mod.ts";
import { BatchSampler } from "../../lib/engine/mod.ts";
import { type Choice, completions, fakeWire, json, request } from "./helper.ts";

Deno.test("BatchSampler sends requests of the same moment in one POST and keeps them apart", async () => {
  const [wire, calls] = fakeWire((_, body) => json(completions(body)));
  const sampler = new BatchSampler(wire, { model: "current" });
  const replies = await Promise.all([10, 11, 12].map((seed) => sampler.sample(request([5], seed))));
  assert.deepEqual(replies.map((reply) => reply.ids), [[10, 2], [11, 2], [12, 2]]);
  assert.deepEqual(replies[0], {
    ids: [10, 2],
    logps: [-0.5, -0.5],
    finish: "stop",
    weightsVersion: 4,
  });
  assert.equal(calls.length, 1);
  assert.deepEqual(calls[0].body, {
    model: "current",
    prompt: [[5], [5], [5]],
    seed: [10, 11, 12],
    max_tokens: 3,
    temperature: 1,
    stop_token_ids: [2],
  });
});

Deno.test("BatchSampler bounds a POST, sends other parameters apart and long replies alone", async () => {
  const [wire, calls] = fakeWire((_, body) => json(completions(body)));
  const sampler = new BatchSampler(wire, { model: "base", prompts: 2 });
  const five = [1, 2, 3, 4, 5].map((seed) => sampler.sample(request([5], seed)));
  const other = sampler.sample(request([5], 6, 4));
  const long = [7, 8].map((seed) => sampler.sample(request([5], seed, 400)));
  await Promise.all([...five, other, ...long]);
  const sizes = calls.map(({ body }) => (body.prompt as number[][]).length).sort();
  assert.deepEqual(sizes, [1, 1, 1, 1, 2, 2]);
});

const faults: [string, (choice: Choice) => void, RegExp][] = [
  ["a missing log-probability", (c) => c.logprobs.token_logprobs.pop(), /2 tokens and 1 log-prob/],
  ["a null log-probability", (c) => c.logprobs.token_logprobs[0] = null, /unexpected form/],
  ["a positive log-probability", (c) => c.logprobs.token_logprobs[0] = 0.1, /must be finite/],
  ["a stop without a stop id", (c) => c.token_ids[1] = 3, /not a stop id/],
  ["a cut before the limit", (c) => c.finish_reason = "length", /not at the limit/],
  ["an unknown end", (c) => c.finish_reason = "abort", /unexpected form/],
  ["an empty reply", (c) => {
    c.token_ids = [];
    c.logprobs.token_logprobs = [];
  }, /no tokens/],
  ["too many tokens", (c) => {
    c.token_ids = [1, 1, 1, 2];
    c.logprobs.token_logprobs = [-1, -1, -1, -1];
  }, /at most 3/],
  ["another prompt echoed", (c) => c.prompt_token_ids = [6], /another prompt/],
  ["a wrong index", (c) => c.index += 1, /choice 0 is missing/],
];
for (const [name, change, words] of faults) {
  Deno.test(`BatchSampler refuses ${name}`, async () => {
    const [wire] = fakeWire((_, body) => json(completions(body, change)));
    const sampler = new BatchSampler(wire, { model: "current" });
    await assert.rejects(
      sampler.sample(request([5])),
      (error) => error instanceof EngineError && words.test(error.message),
    );
  });
}

Deno.test("BatchSampler refuses NaN in the reply, which is not JSON", async () => {
  const text = JSON.stringify(completions({ prompt: [[5]], seed: [1] })).replace("-0.5", "NaN");
  const [wire] = fakeWire(() => new Response(text), { retries: 1 });
  const sampler = new BatchSampler(wire, { model: "current" });
  await assert.rejects(sampler.sample(request([5])), /not JSON/);
});

Deno.test("BatchSampler notices an engine that fills in zeros, and allows a sure token", async () => {
  const zero = (c: Choice) => c.logprobs.token_logprobs = [0, 0];
  const [wire] = fakeWire((_, body, n) => json(completions(body, n < 4 ? undefined : zero)));
  const sampler = new BatchSampler(wire, { model: "current" });
  for (let i = 0; i < 3 + 7; i++) await sampler.sample(request([5]));
  await assert.rejects(sampler.sample(request([5])), /16 log-probabilities in a row are exactly 0/);
});

Deno.test("BatchSampler rejects only the bad reply of a batch", async () => {
  const spoil = (c: Choice) => {
    if (c.index === 1) c.logprobs.token_logprobs.pop();
  };
  const [wire] = fakeWire((_, body) => json(completions(body, spoil)));
  const sampler = new BatchSampler(wire, { model: "current" });
  const settled = await Promise.allSettled([1, 2, 3].map((s) => sampler.sample(request([5], s))));
  assert.deepEqual(settled.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
});

Deno.test("an abort frees its caller at once; the POST ends when all its callers are gone", async () => {
  let ended = false;
  const [wire, calls] = fakeWire(() => "never");
  const sampler = new BatchSampler(wire, { model: "current" });
  const one = new AbortController(), two = new AbortController();
  const first = sampler.sample(request([5], 1), { signal: one.signal });
  const second = sampler.sample(request([5], 2), { signal: two.signal }).finally(() =>
    ended = true
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
  one.abort(new Error("enough"));
  await assert.rejects(first, /enough/);
  assert.equal(ended, false);
  two.abort(new Error("enough"));
  await assert.rejects(second, /enough/);
  assert.equal(calls.length, 1);
  await assert.rejects(sampler.sample(request([5]), { signal: one.signal }), /enough/);
  await assert.rejects(sampler.sample(request([])), RangeError);
});
