/**
 * Runs of the real loop with slime's part played by a stand-in: `stand_in_slime` has the few lines of slime that the
 * bridge touches, after its sources (v0.3.0 and v0.3.1), and trains through the embedded engine by slime's loss. slime
 * itself, Ray, Megatron and SGLang were never run here.
 */
import assert from "node:assert/strict";
import { inProject, pythonOf } from "../../lib/cli/files.ts";
import { obstaclesOf } from "../../lib/cli/unable.ts";
import type { Datum, RecordOf } from "../../lib/core/mod.ts";
import {
  EmbeddedEngine,
  recordEngine,
  replayEngine,
  SlimeEngine,
  type TapeLine,
} from "../../lib/engine/mod.ts";
import { slimeSettings } from "../../lib/engine/slime/settings.ts";
import type { Config } from "../../lib/loop/mod.ts";
import { compareRuns, Store } from "../../lib/store/mod.ts";
import { makeBatch, makeUnit } from "../grpo/help.ts";
import { folder, runSmall, smallConfig } from "../loop/support.ts";

/** A port that is free now. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/**
 * slime's servers: `/generate` as SGLang's router has it, in front of the embedded engine's batch route, and the
 * trainer. Weights are named from 1 on, as slime does.
 */
async function openServers(dir: string, adam: Config["adam"]) {
  const engine = await EmbeddedEngine.start({
    python: pythonOf("engine"),
    model: inProject("data/nano"),
    state: `${dir}/state`,
  });
  const { trainer, sampler } = engine;
  const trained: number[] = [];
  const hooks = { beforeTraining: async (_rollout: number) => {} };
  const routes: Record<string, (body: never) => Promise<unknown>> = {
    async "/generate"(
      { input_ids, sampling_params: given }: {
        input_ids: number[];
        sampling_params: Record<string, number> & { stop_token_ids: number[] };
      },
    ) {
      const reply = await sampler.sample({
        prompt: input_ids,
        seed: given.sampling_seed,
        params: {
          maxTokens: given.max_new_tokens,
          temperature: given.temperature,
          stopIds: given.stop_token_ids,
        },
      });
      return {
        output_ids: reply.ids,
        meta_info: {
          finish_reason: { type: reply.finish },
          prompt_tokens: input_ids.length,
          completion_tokens: reply.ids.length,
          weight_version: String(reply.weightsVersion + 1),
          output_token_logprobs: reply.ids.map((id, t) => [reply.logps[t], id, null]),
        },
      };
    },
    "/forward": (data: Datum[]) => trainer.forward(data),
    async "/train"({ rollout, data }: { rollout: number; data: Datum[] }) {
      await hooks.beforeTraining(rollout);
      trained.push(rollout);
      const live = data.filter(({ weights }) => weights!.some((weight) => weight !== 0));
      await trainer.forwardBackward(live, "cross_entropy");
      await trainer.optimStep(adam, { batchId: `slime/${rollout}` });
      return await trainer.publish();
    },
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) =>
      Response.json(
        await routes[new URL(request.url).pathname](await request.json() as never) ?? null,
      ),
  );
  return {
    port: server.addr.port,
    hooks,
    trained,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await engine[Symbol.asyncDispose]();
    },
  };
}

const root = inProject("tests/engine/stand_in_slime");

/** Starts the stand-in; its end is a code and what it said. */
function drive(
  generation: string,
  at: { router: number; run: number; start?: number; rollouts: number; patience?: number },
  ...settings: string[]
): Promise<{ code: number; says: string }> {
  const output = new Deno.Command(pythonOf("sandbox"), {
    args: [
      `${root}/drive.py`,
      ...[at.router, at.start ?? 0, at.rollouts].map(String),
      ...settings,
    ],
    clearEnv: true,
    env: {
      PYTHONPATH: inProject("scripts/slime"),
      PYTHONDONTWRITEBYTECODE: "1",
      STAND_IN_GENERATION: generation,
      SPADE_URL: `http://127.0.0.1:${at.run}`,
      SPADE_PATIENCE_S: String(at.patience ?? 120),
    },
    stdin: "null",
  }).output();
  return output.then(({ code, stderr }) => ({ code, says: new TextDecoder().decode(stderr) }));
}

/** First place of each table in which a run over slime differs from one on the embedded engine alone. */
function differences(dir: string, reference: string): string[] {
  using a = Store.open(dir, { readonly: true });
  using b = Store.open(reference, { readonly: true });
  return compareRuns(a, b).map(({ table, column, id }) => `${table} ${id} ${column}`);
}

const config = (port?: number) =>
  smallConfig("rollouts=2", ...port === undefined ? [] : [`engine=slime:http://127.0.0.1:${port}`]);

const reference = folder();
Deno.test.afterAll(() => reference[Symbol.dispose]());
await runSmall({ dir: reference.path, config: config() });

/** First differences, by design: the engine's name, and the loss at p0 = q with what slime does not tell. */
const known = ["run run config", "update u0 loss"];

Deno.test("a run over slime v0.3.0 samples, trains and ends as one on the embedded engine", async () => {
  using dir = folder();
  await using servers = await openServers(dir.path, config().adam);
  const port = freePort();
  const slime = drive("v0.3.0", { router: servers.port, run: port, rollouts: 4 });
  const tape: TapeLine[] = [];
  await runSmall({
    dir: dir.path,
    config: config(port),
    wrap: (loop) => ({ ...loop, engine: recordEngine(loop.engine, (line) => tape.push(line)) }),
  });
  const { code, says } = await slime;
  assert.equal(code, 1, "slime has no other way to end before --num-rollout");
  assert.match(says, /SPADE: .*Cannot give another rollout: the run is over/);
  assert.deepEqual(servers.trained, [0, 1, 2], "the last update is the designer's alone");
  assert.deepEqual(differences(dir.path, reference.path), known);

  using again = folder();
  await runSmall({
    dir: again.path,
    config: config(),
    wrap: (loop) => ({ ...loop, engine: replayEngine(tape) }),
  });
  assert.deepEqual(differences(again.path, dir.path), ["run run config"]);
});

Deno.test("a run stopped while slime v0.3.1 trains goes on with the same slime; nothing is applied twice", async () => {
  using dir = folder();
  await using servers = await openServers(dir.path, config().adam);
  const port = freePort();
  const controller = new AbortController();
  const stopped = Promise.withResolvers<void>();
  servers.hooks.beforeTraining = async (rollout) => {
    if (rollout !== 1) return;
    controller.abort(new Error("stopped by the test"));
    await stopped.promise;
  };
  const slime = drive("v0.3.1", { router: servers.port, run: port, rollouts: 4 });
  await assert.rejects(
    runSmall({ dir: dir.path, config: config(port), signal: controller.signal }),
    /stopped by the test/,
  );
  stopped.resolve();
  await runSmall({ dir: dir.path, config: config(port) });
  assert.match((await slime).says, /the run is over/);
  assert.deepEqual(servers.trained, [0, 1, 2]);
  assert.deepEqual(differences(dir.path, reference.path), known);
});

Deno.test("the bridge refuses by name: wrong settings, another Sample, no log-probabilities, no run", async () => {
  using dir = folder();
  const port = freePort();
  const at = { router: 1, run: port, rollouts: 4, patience: 1 };
  assert.match((await drive("v0.2.4", at)).says, /neither group_id nor rollout_id; v0.3.0/);
  assert.match((await drive("v0.3.1", at)).says, /SPADE: no run answers at http:.* \(.*refused/);

  await using engine = openSlime(dir.path, port);
  const refused = await drive("v0.3.1", at, "use_tis=false", "rollout_temperature=0.6");
  assert.match(
    refused.says,
    /use_tis is false: start slime with --use-tis; rollout_temperature is 0.6: .*-temperature 1"/,
  );

  await slimeAt(engine).ask(0);
  assert.equal(
    (await engine.trainer.state()).step,
    0,
    "a slime with the right ones is still welcome",
  );

  const other = freePort();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: other, onListen: () => {} },
    () => Response.json({ samples: [{ group: 0, tokens: [1] }], units: 1, metrics: {} }),
  );
  const bare = await drive("v0.3.1", { ...at, run: other });
  assert.match(bare.says, /first sample has no rollout_log_probs/);
  await server.shutdown();

  const bridge = Deno.readTextFileSync(inProject("scripts/slime/spade_bridge.py"));
  for (const name of slimeSettings) assert.ok(bridge.includes(`"${name}",`), name);
});

function openSlime(dir: string, port: number, rollouts = 9): SlimeEngine {
  return new SlimeEngine({
    ...{ listen: `http://127.0.0.1:${port}`, given: `${dir}/given.txt`, model: "nano" },
    ...{ temperature: 1, rollouts, pollMs: 100 },
  });
}

const batchOf = (rollout: number): RecordOf<"batch"> => ({
  ...makeBatch([makeUnit({ id: "a" }), makeUnit({ id: "b", advantage: -1 })]),
  id: `u${rollout}`,
  rollout,
});

/** slime, by hand. */
function slimeAt({ url }: SlimeEngine, session = "s") {
  const call = async (path: string, body?: unknown): Promise<string> => {
    const reply = await fetch(`${url}/slime/v1/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json" },
      ...body === undefined ? {} : { body: JSON.stringify(body) },
    });
    return `${reply.status} ${await reply.text()}`;
  };
  const router_url = "http://127.0.0.1:1";
  return {
    ask: (rollout_id: number, global_batch_size: number | null = null) =>
      call("rollouts", { session, rollout_id, global_batch_size, router_url, evaluation: false }),
    look: (rollout: number) => call(`rollouts/${rollout}`),
  };
}

Deno.test("a run is resumed with slime at any number that its batches lead to, and at no other", async () => {
  using dir = folder();
  const port = freePort();
  {
    await using engine = openSlime(dir.path, port);
    const slime = slimeAt(engine);
    for (const rollout of [0, 1, 2]) {
      const taking = engine.trainer.takeBatch!(batchOf(rollout));
      await slime.ask(rollout);
      assert.match(await slime.look(rollout), /^200 {"units":2,"samples":\[{"index":0,"group":0,/);
      await slime.ask(rollout + 1);
      assert.deepEqual(await taking, { weightsVersion: rollout + 1 });
    }
    assert.equal(await engine.trainer.save("any"), "slime/3");
    const state = await engine.trainer.state();
    assert.deepEqual(state, { step: 3, weightsVersion: 3, lastBatchId: "u2" });
  }
  {
    // slime is where it was: what it had is not given again
    await using engine = openSlime(dir.path, port);
    await slimeAt(engine).ask(3);
    assert.equal((await engine.trainer.load("slime/1")).step, 1);
    for (const rollout of [1, 2]) await engine.trainer.takeBatch!(batchOf(rollout));
    assert.equal((await engine.trainer.state()).step, 3);
  }
  {
    // slime was set back to its checkpoint of one rollout
    await using engine = openSlime(dir.path, port);
    const slime = slimeAt(engine);
    await slime.ask(1);
    await assert.rejects(
      engine.trainer.load("slime/2"),
      /Cannot load slime\/2: slime is at rollout 1/,
    );
    await engine.trainer.load("slime/1");
    const taking = engine.trainer.takeBatch!(batchOf(1));
    assert.match(await slime.look(1), /^200 /);
    await slime.ask(2);
    assert.equal((await taking).weightsVersion, 2);
  }
  for (const [at, batch] of [[5, batchOf(3)], [2, batchOf(3)], [3, batchOf(1)]] as const) {
    // ahead, behind, or with a batch that slime never had from this run
    await using engine = openSlime(dir.path, port);
    const slime = slimeAt(engine);
    await slime.ask(at);
    const changed = batch.rollout === 1
      ? { ...batch, logps: batch.logps.map((q) => q / 2) }
      : batch;
    const words = new RegExp(`Cannot go on with slime at rollout ${at}: this run is at rollout`);
    await assert.rejects(engine.trainer.takeBatch!(changed), words);
    assert.match(await slime.look(at), new RegExp(`^409 .*${words.source}`));
    await assert.rejects(engine.trainer.state(), words);
  }
});

Deno.test("a batch of another size than a slime that cannot be told steps by is refused with the number", async () => {
  using dir = folder();
  await using engine = openSlime(dir.path, freePort());
  const slime = slimeAt(engine);
  await slime.ask(0, 3);
  await assert.rejects(engine.trainer.takeBatch!(batchOf(0)), /set --global-batch-size 2/);
  assert.match(
    await slime.look(0),
    /^409 .*it has 2 units and slime steps by 3.*--global-batch-size 2/,
  );
  await assert.rejects(engine.trainer.forward([]), /Cannot ask for log-probabilities on slime/);
  const request = { prompt: [1], seed: 1, params: { maxTokens: 1, temperature: 1, stopIds: [] } };
  await assert.rejects(engine.base.sample(request), /starting weights on slime/);
});

Deno.test("weights that slime's samplers hold too long, or not all of them, are known by their name", async () => {
  using dir = folder();
  let name = "4";
  const router = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      Response.json({
        output_ids: [2],
        meta_info: {
          ...{ finish_reason: { type: "stop" }, prompt_tokens: 1, completion_tokens: 1 },
          ...{ weight_version: name, output_token_logprobs: [[-0.5, 2, null]] },
        },
      }),
  );
  await using engine = openSlime(dir.path, freePort());
  const ask = async (rollout_id: number) => {
    const router_url = `http://127.0.0.1:${router.addr.port}`;
    const reply = await fetch(`${engine.url}/slime/v1/rollouts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...{ session: "s", rollout_id, global_batch_size: null, router_url, evaluation: false },
      }),
    });
    await reply.body?.cancel();
  };
  const sample = () =>
    engine.sampler.sample({
      prompt: [1],
      seed: 1,
      params: { maxTokens: 4, temperature: 1, stopIds: [2] },
    });
  await ask(0);
  assert.equal((await sample()).weightsVersion, 0);
  name = "5";
  await assert.rejects(sample(), /one has weights 5, another 4/);
  const taking = engine.trainer.takeBatch!(batchOf(0));
  await slimeAt(engine).look(0);
  await ask(1);
  await taking;
  assert.equal((await sample()).weightsVersion, 1);
  name = "4";
  assert.equal((await sample()).weightsVersion, 0, "older weights, which a run then refuses");
  await router.shutdown();
});

Deno.test("what slime has not is refused before a run starts; so is a listener that others reach without a key", () => {
  const slime = (...set: string[]) =>
    obstaclesOf(smallConfig("engine=slime:http://127.0.0.1:8780", ...set)).map(({ key }) => key);
  assert.deepEqual(slime(), []);
  assert.deepEqual(slime("heldout=data/heldout"), ["heldout"]);
  assert.deepEqual(
    slime("designer=frozen", "designerLoss=false", "klCoefficient=0.1", "loraRank=4"),
    [
      ...["designer", "klCoefficient", "loraRank"],
    ],
  );
  const listen = (url: string) =>
    new SlimeEngine({ listen: url, given: "/nowhere", model: "", temperature: 1, rollouts: 1 });
  assert.throws(() => listen("http://0.0.0.0:8780"), /others reach it, so it needs a key/);
  assert.throws(() => listen("http://127.0.0.1.example:8780"), /others reach it/);
  assert.throws(() => listen("https://127.0.0.1:8780"), /must be http:\/\/HOST:PORT/);
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  assert.throws(() => listen(`http://127.0.0.1:${taken.addr.port}`), /Cannot listen at .*in use/);
});
