import assert from "node:assert/strict";
import { EngineError } from "../../lib/core/mod.ts";
import { OpenAiSampler, SglangSampler } from "../../lib/engine/mod.ts";
import { fakeWire, json, request } from "./helper.ts";

interface Sent {
  body: Record<string, unknown>;
  headers: Headers;
}

/** A sampler whose server answers `answer(body, call)`. */
function openai(
  answer: (body: Record<string, unknown>, call: number) => Response | Error,
  more: Partial<ConstructorParameters<typeof OpenAiSampler>[0]> = {},
) {
  const sent: Sent[] = [];
  const sampler = new OpenAiSampler({
    url: "http://server/v1",
    model: "m",
    retries: 0,
    // deno-lint-ignore require-await
    fetch: (async (_url: string, init: RequestInit) => {
      const body = JSON.parse(String(init.body));
      sent.push({ body, headers: new Headers(init.headers) });
      const given = answer(body, sent.length);
      if (given instanceof Error) throw given;
      given.headers.set("content-type", "application/json"); // the client reads others as text
      return given;
    }) as typeof fetch,
    ...more,
  });
  return { sampler, sent };
}

const good = (prompt: unknown, change: Record<string, unknown> = {}) => ({
  choices: [{
    index: 0,
    text: "nonsense that nobody reads",
    token_ids: [7, 2],
    prompt_token_ids: prompt,
    logprobs: { token_logprobs: [-0.5, -0.25] },
    finish_reason: "stop",
    ...change,
  }],
  usage: { completion_tokens: 2 },
});

Deno.test("OpenAiSampler says every field that a server could fill from elsewhere", async () => {
  const { sampler, sent } = openai(({ prompt }) => json(good(prompt)), {
    weightsVersion: () => 4,
    session: ({ seed }) => `play-${seed}`,
  });
  const reply = await sampler.sample(request([5, 6], 9));
  assert.deepEqual(reply, { ids: [7, 2], logps: [-0.5, -0.25], finish: "stop", weightsVersion: 4 });
  const { prompt, seed, temperature, top_p, top_k, min_p, repetition_penalty, ...rest } =
    sent[0].body;
  assert.deepEqual([prompt, seed, temperature, top_p, top_k], [[5, 6], 9, 1, 1, -1]);
  assert.deepEqual([min_p, repetition_penalty, rest.return_token_ids, rest.logprobs], [
    0,
    1,
    true,
    1,
  ]);
  assert.deepEqual([rest.stop_token_ids, rest.max_tokens], [[2], 3]);
  assert.equal(sent[0].headers.get("x-smg-routing-key"), "play-9");
});

Deno.test("OpenAiSampler refuses replies that cannot be trained on, by what is missing", async () => {
  const faults: [Record<string, unknown>, RegExp][] = [
    [{ token_ids: undefined }, /token_ids: missing; the server must take return_token_ids/],
    [{ prompt_token_ids: undefined }, /prompt_token_ids: missing/],
    [{ prompt_token_ids: [5, 7] }, /echoed another prompt/],
    [{ logprobs: null }, /logprobs/],
    [{ logprobs: { token_logprobs: [-0.5] } }, /2 tokens and 1 log-probabilities/],
    [{ logprobs: { token_logprobs: [-0.5, null] } }, /token_logprobs/],
    [{ finish_reason: "abort" }, /finish_reason/],
    [{ token_ids: [7, 8] }, /last id is not a stop id/],
  ];
  for (const [change, message] of faults) {
    const { sampler } = openai(({ prompt }) => json(good(prompt, change)));
    await assert.rejects(sampler.sample(request([5, 6])), (error) => {
      assert.ok(error instanceof EngineError);
      assert.match(error.message, message);
      return true;
    });
  }
  const zeros = openai(({ prompt }) =>
    json(good(prompt, { logprobs: { token_logprobs: [0, 0] } }))
  );
  for (let i = 0; i < 7; i++) await zeros.sampler.sample(request([1]));
  await assert.rejects(zeros.sampler.sample(request([1])), /exactly 0/);
});

Deno.test("OpenAiSampler tells what is worth trying again, and gives up at once when told", async () => {
  for (
    const [answer, retryable] of [
      [new TypeError("connection refused"), true],
      [json({ error: { message: "busy" } }, 503), true],
      [json({ error: { message: "no such model" } }, 404), false],
    ] as const
  ) {
    const { sampler } = openai(() => answer instanceof Response ? answer.clone() : answer);
    await assert.rejects(
      sampler.sample(request([1])),
      (error) => error instanceof EngineError && error.retryable === retryable,
    );
  }
  const twice = openai(
    ({ prompt }, call) => call === 1 ? json({ error: {} }, 500) : json(good(prompt)),
    { retries: 1 },
  );
  await twice.sampler.sample(request([1]));
  assert.equal(twice.sent.length, 2);
  const { sampler } = openai(() => json({}), {
    fetch: ((_url: string, init: RequestInit) =>
      new Promise((_, reject) =>
        init.signal!.addEventListener("abort", () =>
          reject(init.signal!.reason))
      )) as typeof fetch,
  });
  const stop = new AbortController();
  const waiting = sampler.sample(request([1]), { signal: stop.signal });
  stop.abort("enough");
  await assert.rejects(waiting, (error) => error === "enough");
});

const meta = (change: Record<string, unknown> = {}) => ({
  output_ids: [7, 2],
  meta_info: {
    finish_reason: { type: "stop", matched: 2 },
    prompt_tokens: 2,
    completion_tokens: 2,
    weight_version: "3",
    output_token_logprobs: [[-0.5, 7, null], [-0.25, 2, null]],
    ...change,
  },
});

Deno.test("SglangSampler reads ids, log-probabilities and the weights version of /generate", async () => {
  const [wire, calls] = fakeWire(() => json(meta()));
  const reply = await new SglangSampler(wire).sample(request([5, 6], 9));
  assert.deepEqual(reply, { ids: [7, 2], logps: [-0.5, -0.25], finish: "stop", weightsVersion: 3 });
  assert.equal(calls[0].path, "/generate");
  const params = calls[0].body.sampling_params as Record<string, unknown>;
  assert.deepEqual(
    [calls[0].body.input_ids, params.sampling_seed, params.stop_token_ids, params.no_stop_trim],
    [[5, 6], 9, [2], true],
  );
  for (
    const [change, message] of [
      [{ finish_reason: { type: "abort" } }, /aborted/],
      [{ prompt_tokens: 3 }, /counts 3 and 2 tokens for 2 and 2/],
      [{ weight_version: "step-7" }, /weights version is step-7/],
      [{ output_token_logprobs: [[-0.5, 8, null], [-0.25, 2, null]] }, /differ/],
    ] as const
  ) {
    const [bad] = fakeWire(() => json(meta(change)), { retries: 0 });
    await assert.rejects(new SglangSampler(bad).sample(request([5, 6])), message);
  }
});
