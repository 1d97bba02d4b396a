/** Protocol buffers of the trainer, against a fake server of the protocol's shape; the real one: sdk_process_test. */
import assert from "node:assert/strict";
import { TinkerTrainer, Wire } from "../../lib/engine/mod.ts";
import { decode, encode } from "../../lib/engine/proto/codec.ts";
import {
  dtypes,
  forwardBackwardOutput,
  forwardBackwardRequest,
  packed,
  unpacked,
} from "../../lib/engine/proto/messages.ts";
import { json } from "./helper.ts";

const logps = [[-0.5, NaN], [-0.25, -1, -2]];

/** Log-probabilities of two data as a server packs them. */
function outputBytes(change: Record<string, unknown> = {}) {
  const data = packed(logps.flat(), "float32");
  const offsets = packed([0, 8, 20], "int64");
  const fields = { logprobs: { data, offsets, dtype: dtypes.float32, ...change } };
  return encode(forwardBackwardOutput, {
    loss_fn_output_type: "logprobs",
    loss_fn_outputs: [{ type_tag: "logprobs", fields, num_datums: 2 }],
    metrics: { "loss:sum": 1.5 },
  });
}

/** A server that refuses JSON training calls with `status`, and answers others in protocol buffers. */
function server(status: number, output = outputBytes()) {
  const calls: { path: string; sent: Record<string, unknown> | null; accept: string | null }[] = [];
  const wire = new Wire({
    url: "http://engine",
    retries: 0,
    // deno-lint-ignore require-await
    fetch: async (url, init) => {
      const path = new URL(url).pathname.split("/").at(-1)!;
      const headers = new Headers(init.headers);
      const isProto = headers.get("content-type") === "application/x-protobuf";
      const sent = isProto ? decode(forwardBackwardRequest, init.body as Uint8Array) : null;
      calls.push({ path, sent, accept: headers.get("accept") });
      if (path === "get_server_capabilities") {
        return json({ supported_models: [{ model_name: "tiny" }] });
      }
      if (path === "create_session") return json({ session_id: "s" });
      if (path === "create_model") return json({ request_id: "create", model_id: "m" });
      if (path === "retrieve_future") {
        if (JSON.parse(String(init.body)).request_id === "create") return json({ model_id: "m" });
        return new Response(output, { headers: { "content-type": "application/x-protobuf" } });
      }
      if (path.startsWith("forward")) {
        return isProto ? json({ request_id: "work" }) : json({ detail: "no JSON here" }, status);
      }
      return json({});
    },
  });
  return { wire, calls };
}

const data = [
  { input: [1, 2], target: [2, 3], weights: [0, -0.125] },
  { input: [4, 5, 6], target: [5, 6, 7], weights: [1, 0, 1] },
];

Deno.test("a server that takes protocol buffers only is found out, and asked in them from then on", async () => {
  const { wire, calls } = server(415);
  await using trainer = await TinkerTrainer.connect(wire);
  assert.deepEqual(await trainer.forward(data), logps);
  const learned = await trainer.forwardBackward(data, "cross_entropy");
  assert.deepEqual(learned, { logps, loss: 1.5 });
  const work = calls.filter(({ path }) => path.startsWith("forward"));
  assert.deepEqual(work.map(({ path, sent }) => [path, sent?.forward_only, sent?.seq_id]), [
    ["forward", undefined, undefined],
    ["forward_backward", true, 2],
    ["forward_backward", false, 3],
  ]);
  const { model_id, loss_fn, data: [first] } = work[2].sent as ReturnType<typeof decode>;
  assert.deepEqual([model_id, loss_fn], ["m", "cross_entropy"]);
  assert.deepEqual(unpacked(first.model_input[0].encoded_text.tokens, dtypes.int32), [1, 2]);
  const { target_tokens, weights } = first.loss_fn_inputs;
  assert.deepEqual(unpacked(target_tokens.dense, target_tokens.dtype), [2, 3]);
  assert.deepEqual(unpacked(weights.dense, weights.dtype), [0, -0.125]);
  assert.deepEqual(weights.shape, [2]);
  const polls = calls.filter(({ path }) => path === "retrieve_future");
  assert.equal(polls.at(-1)!.accept, "application/x-protobuf, application/json");
});

Deno.test("other refusals are not taken for one of JSON, and a chosen encoding is kept", async () => {
  const refused = server(400);
  await using trainer = await TinkerTrainer.connect(refused.wire);
  await assert.rejects(trainer.forward(data), /400: no JSON here/);
  assert.ok(refused.calls.every(({ sent }) => sent === null));
  const json = server(415);
  await using second = await TinkerTrainer.connect(json.wire, { encoding: "json" });
  await assert.rejects(second.forward(data), /415/);
  const proto = server(415);
  await using third = await TinkerTrainer.connect(proto.wire, { encoding: "proto" });
  await third.forward(data);
  assert.ok(!proto.calls.some(({ path, sent }) => path.startsWith("forward") && sent === null));
});

Deno.test("odd bytes in a reply are an error that says so", async () => {
  for (
    const [output, message] of [
      [outputBytes().subarray(0, 20), /it is cut/],
      [outputBytes({ offsets: packed([0, 8], "int64") }), /2 offsets for 2 data/],
      [outputBytes({ dtype: 4 }), /of type 4/],
    ] as const
  ) {
    const { wire } = server(422, output as Uint8Array<ArrayBuffer>);
    await using trainer = await TinkerTrainer.connect(wire, { encoding: "proto" });
    await assert.rejects(trainer.forward(data), message);
  }
});
