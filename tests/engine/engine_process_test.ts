/** The real Python server. SPADE_ENGINE_PYTHON names its interpreter; without one these tests are skipped. */
import assert from "node:assert/strict";
import { EngineError, type Sampler } from "../../lib/core/mod.ts";
import {
  BatchSampler,
  EmbeddedEngine,
  OpenAiSampler,
  TinkerTrainer,
  Wire,
} from "../../lib/engine/mod.ts";

const python = Deno.env.get("SPADE_ENGINE_PYTHON") ?? ".spade/engine/bin/python";
const ignore = !exists(python);
if (ignore) console.log(`skipped: the engine tests need ${python}; run deno task setup`);

const ADAM = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0.1,
  gradClipNorm: 1,
};

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

let made: Promise<string> | undefined;
/** A random Qwen3 of two layers, made once by the engine's own Python. */
const tinyModel = () => made ??= makeModel();

async function makeModel(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "spade-engine-" });
  const program = [
    "import sys, torch",
    "from transformers import Qwen3Config, Qwen3ForCausalLM",
    "torch.manual_seed(0)",
    "c = Qwen3Config(vocab_size=97, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2,",
    "  num_key_value_heads=1, head_dim=16, max_position_embeddings=256, tie_word_embeddings=True, initializer_range=0.2)",
    "Qwen3ForCausalLM(c).save_pretrained(sys.argv[1])",
  ].join("\n");
  const args = ["-c", program, folder];
  const { success, stderr } = await new Deno.Command(python, { args, stdout: "null" }).output();
  assert(success, new TextDecoder().decode(stderr));
  return folder;
}

const datum = (seed: number) => {
  const ids = Array.from({ length: 20 }, (_, i) => (i * 7 + seed * 13) % 97);
  const weights = ids.slice(1).map((_, i) => i % 3 === 0 ? 0.1 : 0);
  return { input: ids.slice(0, -1), target: ids.slice(1), weights };
};
const request = (seed: number, maxTokens = 3) => ({
  prompt: [1 + seed % 90, 2, 3],
  seed,
  params: { maxTokens, temperature: 1, stopIds: [5] },
});
const alive = async (pid: number) =>
  (await new Deno.Command("kill", { args: ["-0", String(pid)], stderr: "null" }).output()).success;

Deno.test({
  name: "EmbeddedEngine samples, trains, publishes, saves and resumes",
  ignore,
  async fn() {
    const model = await tinyModel(), state = `${model}/state`, log = `${model}/engine.log`;
    const data = [1, 2, 3].map(datum);
    let expected: unknown, path: string, pid: number;
    {
      await using engine = await EmbeddedEngine.start({ python, model, state, log });
      pid = engine.pid;
      const { trainer, sampler, base } = engine;
      assert.deepEqual(await trainer.state(), { step: 0, weightsVersion: 0 });
      const seeds = Array.from({ length: 200 }, (_, i) => i);
      const [plays, long] = await Promise.all([
        Promise.all(seeds.map((seed) => sampler.sample(request(seed)))),
        sampler.sample(request(500, 100)),
      ]);
      assert.deepEqual(plays[17], await sampler.sample(request(17)));
      assert.deepEqual(long, await base.sample(request(500, 100)));
      const p0 = await trainer.forward(data);
      assert.deepEqual(await trainer.reference!(data), p0);
      const { logps, loss } = await trainer.forwardBackward(data, "cross_entropy");
      assert(Number.isNaN(logps[0][1]) && Math.abs(logps[0][0] - p0[0][0]) < 1e-5 && loss > 0);
      const step = await trainer.optimStep(ADAM, { batchId: "b1" });
      assert(step.applied && step.gradNorm! > 0);
      assert.equal((await sampler.sample(request(17))).weightsVersion, 0);
      assert.equal(await trainer.publish(), 1);
      path = await trainer.save("c1");
      const after = await sampler.sample(request(17, 50));
      assert.equal(after.weightsVersion, 1);
      assert.deepEqual(await base.sample(request(17)), plays[17]);
      await trainer.forwardBackward(data, "cross_entropy");
      await trainer.optimStep(ADAM, { batchId: "b2" });
      expected = [after, await trainer.forward(data)];
      // the reference stays where it began, whatever was trained
      assert.deepEqual(await trainer.reference!(data), p0);
      assert.notDeepEqual(await trainer.forward(data), p0);
    }
    assert.equal(await alive(pid), false);
    assert.match(await Deno.readTextFile(log), /engine .* up on port/);
    await using engine = await EmbeddedEngine.start({ python, model, state });
    const { trainer, sampler } = engine;
    assert.deepEqual(await trainer.load(path), { step: 1, weightsVersion: 1, lastBatchId: "b1" });
    await trainer.forwardBackward(data, "cross_entropy");
    assert.equal((await trainer.optimStep(ADAM, { batchId: "b1" })).applied, false);
    const after = await sampler.sample(request(17, 50));
    await trainer.forwardBackward(data, "cross_entropy");
    assert.equal((await trainer.optimStep(ADAM, { batchId: "b2" })).applied, true);
    assert.deepEqual([after, await trainer.forward(data)], expected);
    await assert.rejects(trainer.load("nowhere"), /no complete checkpoint/);
    await assert.rejects(sampler.sample({ ...request(1), prompt: [500] }), /422.*whole numbers/);
    await assert.rejects(sampler.sample(request(1, 1000)), /exceed the model's 256 positions/);
  },
});

Deno.test({
  name: "every sampler gets the same reply of the same engine, and sees what was published",
  ignore,
  async fn() {
    const model = await tinyModel();
    await using engine = await EmbeddedEngine.start({ python, model, state: `${model}/s4` });
    const wire = new Wire({ url: engine.url });
    await using trainer = await TinkerTrainer.connect(wire);
    const { current, base } = trainer.samplers();
    const openai = new OpenAiSampler({ url: `${engine.url}/v1`, model: "base" });
    const asked = [3, 4, 5].map((seed) => request(seed, 20));
    const replies = async (sampler: Sampler) =>
      (await Promise.all(asked.map((one) => sampler.sample(one)))).map((
        { ids, logps, finish },
      ) => ({
        ids,
        logps,
        finish,
      }));
    const expected = await replies(new BatchSampler(wire, { model: "base" }));
    for (const sampler of [current, base, openai]) {
      assert.deepEqual(await replies(sampler), expected);
    }
    await trainer.forwardBackward([1, 2, 3].map(datum), "cross_entropy");
    await trainer.optimStep(ADAM, { batchId: "b1" });
    assert.equal(await trainer.publish(), 1);
    const [reply] = await Promise.all(asked.map((one) => current.sample(one)));
    assert.equal(reply.weightsVersion, 1);
    assert.notDeepEqual(await replies(current), expected);
    assert.deepEqual(await replies(base), expected);
  },
});

Deno.test({
  name: "a dead engine rejects what waits for it with its last log lines",
  ignore,
  async fn() {
    const model = await tinyModel();
    const lines: string[] = [];
    await using engine = await EmbeddedEngine.start({
      python,
      model,
      state: `${model}/s`,
      log: (line) => lines.push(line),
    });
    const busy = Array.from(
      { length: 50 },
      (_, i) =>
        engine.sampler.sample({
          ...request(i, 240),
          params: { ...request(i, 240).params, stopIds: [] },
        }),
    );
    const settled = Promise.allSettled(busy);
    Deno.kill(engine.pid, "SIGKILL");
    for (const result of await settled) {
      if (result.status === "fulfilled") continue; // it was quick
      assert(result.reason instanceof EngineError);
      assert.match(result.reason.message, /The engine stopped \(signal SIGKILL\): last log lines/);
    }
    await assert.rejects(engine.trainer.state(), /The engine stopped/);
    await assert.rejects(engine.base.sample(request(1)), /The engine stopped/);
  },
});

Deno.test({
  name: "an engine that cannot start says why",
  ignore,
  async fn() {
    const options = { python, model: "/nowhere", state: "/nowhere" };
    await assert.rejects(EmbeddedEngine.start(options), /there is no model at \/nowhere/);
    await assert.rejects(
      EmbeddedEngine.start({ ...options, python: "/nowhere/python" }),
      /does not run; was the set-up done/,
    );
    const model = await tinyModel();
    await assert.rejects(
      EmbeddedEngine.start({ python, model, state: model, readyMs: 100 }),
      /Cannot start the engine: no answer within 100 ms/,
    );
  },
});

Deno.test({
  name: "the engine ends with its parent, even one that is killed",
  ignore,
  async fn() {
    const model = await tinyModel();
    const lib = new URL("../../lib/engine/mod.ts", import.meta.url).href;
    const program = `import { EmbeddedEngine } from ${JSON.stringify(lib)};
      const engine = await EmbeddedEngine.start(${
      JSON.stringify({ python, model, state: `${model}/s` })
    });
      console.log(engine.pid); await new Promise((r) => setTimeout(r, 60_000));`;
    const config = new URL("../../deno.json", import.meta.url).pathname;
    await Deno.writeTextFile(`${model}/parent.ts`, program);
    const parent = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--config", config, `${model}/parent.ts`],
      stdout: "piped",
    }).spawn();
    const reader = parent.stdout.getReader();
    const pid = Number(new TextDecoder().decode((await reader.read()).value).trim());
    assert(pid > 1 && await alive(pid));
    parent.kill("SIGKILL");
    await parent.status;
    await reader.cancel();
    for (let i = 0; i < 50 && await alive(pid); i++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.equal(await alive(pid), false);
  },
});

Deno.test("real sockets: a refused connection and a reply cut in its body are EngineErrors", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const serving = (async () => {
    for await (const connection of listener) {
      await connection.read(new Uint8Array(65536));
      const head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n";
      await connection.write(new TextEncoder().encode(`${head}{"weights_version": 1,`));
      connection.close();
    }
  })();
  const wire = new Wire({ url: `http://127.0.0.1:${port}`, retries: 2, pauseMs: 1 });
  const sampler = new BatchSampler(wire, { model: "current" });
  await assert.rejects(
    sampler.sample(request(1)),
    (error) =>
      error instanceof EngineError && error.retryable &&
      /connection to .* failed/.test(error.message),
  );
  listener.close();
  await serving;
  await assert.rejects(sampler.sample(request(1)), /is the engine running/);
});
