/**
 * SkyRL's own Tinker server (release 0.3.0, its JAX backend, on the CPU) behind the adapter that drives our engine: what it
 * says of the nano policy is what our engine says, it learns, publishes, samples, saves and loads.
 *
 * Its environment is large, so it is made only when asked for: `deno task test:skyrl`.
 */
import assert from "node:assert/strict";
import type { Datum, Engine } from "../../lib/core/mod.ts";
import { connectEngine, EmbeddedEngine } from "../../lib/engine/mod.ts";

const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const home = `${root}/.spade/skyrl`;
const model = `${root}/data/nano`;
const python = `${root}/.spade/engine/bin/python`;
const START_MS = 300_000;

const ignore = !await exists(`${home}/spade-stamp.json`) || !await exists(python);
if (ignore) {
  console.log(
    "skipped: SkyRL's server needs .spade/skyrl (Python 3.12 or newer; 0.4 GB to download, 1.9 GB on disk with torch's " +
      "CPU build, else 1.6 and 5.5 GB) and .spade/engine; run deno task test:skyrl",
  );
}

const ADAM = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0,
  gradClipNorm: 1,
};

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

const alive = async (pid: number) =>
  (await new Deno.Command("kill", { args: ["-0", String(pid)], stderr: "null" }).output()).success;

interface Server extends AsyncDisposable {
  url: string;
  /** Everything it printed so far. */
  log(): string;
  pids(): Promise<number[]>;
}

/** Starts the server the way its release wants: `uv run`, from which it starts its engine the same way. */
async function startServer(folder: string): Promise<Server> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const backend = {
    max_lora_adapters: 4,
    max_lora_rank: 8,
    // other numbers of rows would be compiled for anew
    sample_max_num_sequences: 4,
    train_micro_batch_size: 4,
  };
  const child = new Deno.Command(`${home}/bin/uv`, {
    args: [
      ...["run", "--no-project", "--active", "python", "-m", "skyrl.tinker.api"],
      ...["--base-model", model, "--backend", "jax", "--backend-config", JSON.stringify(backend)],
      ...["--host", "127.0.0.1", "--port", String(port)],
      ...["--database-url", `sqlite:///${folder}/skyrl.db`],
      ...["--checkpoints-base", `${folder}/checkpoints`],
    ],
    cwd: folder,
    clearEnv: true,
    env: {
      PATH: `${home}/bin:/usr/bin:/bin`,
      HOME: folder,
      TMPDIR: folder,
      VIRTUAL_ENV: home,
      UV_OFFLINE: "1",
      UV_NO_CONFIG: "1",
      UV_NO_CACHE: "1",
      HF_HUB_OFFLINE: "1",
      TRANSFORMERS_OFFLINE: "1",
      JAX_PLATFORMS: "cpu",
      XLA_FLAGS: "--xla_cpu_multi_thread_eigen=false",
      OMP_NUM_THREADS: "1",
    },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const part of stream.pipeThrough(new TextDecoderStream())) text += part;
  };
  const drained = Promise.all([read(child.stdout), read(child.stderr), child.status]);
  let ended = false;
  child.status.then(() => ended = true);
  const pids = () => descendants(child.pid);
  const server: Server = {
    url: `http://127.0.0.1:${port}`,
    log: () => text,
    pids,
    async [Symbol.asyncDispose]() {
      const family = await pids();
      if (!ended) child.kill("SIGTERM");
      const late = setTimeout(() => family.forEach(insist), 20_000);
      await drained;
      clearTimeout(late);
      for (const pid of family) if (await alive(pid)) insist(pid);
    },
  };
  const deadline = performance.now() + START_MS;
  while (!/Starting background engine\.\.\./.test(text)) {
    if (ended || performance.now() > deadline) {
      await server[Symbol.asyncDispose]();
      throw new Error(`Cannot start SkyRL's server: ${text.slice(-3000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return server;
}

function insist(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // it ended meanwhile
  }
}

/** A process and all that came of it. */
async function descendants(pid: number): Promise<number[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-o", "pid=,ppid="] }).output();
  const rows = new TextDecoder().decode(stdout).trim().split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  for (const parent of found) {
    found.push(...rows.filter(([, of]) => of === parent).map(([child]) => child));
  }
  return found;
}

const data: Datum[] = [1, 2, 3].map((seed) => {
  const ids = Array.from({ length: 20 }, (_, i) => 5 + (i * 7 + seed * 13) % 97);
  const weights = ids.slice(1).map((_, i) => i % 3 === 0 ? 0.1 : 0);
  return { input: ids.slice(0, -1), target: ids.slice(1), weights };
});

const distance = (one: readonly number[][], two: readonly number[][]) =>
  Math.max(...one.flatMap((row, i) => row.map((value, t) => Math.abs(value - two[i][t]))));

const request = (seed: number, maxTokens: number) => ({
  prompt: [9, 40, 41],
  seed,
  params: { maxTokens, temperature: 1, stopIds: [1] },
});

/** Norm of the gradient of the batch times `factor`; the weights stay. */
async function norm({ trainer }: Engine, batch: readonly Datum[], factor: number) {
  const scaled = batch.map((datum) => ({
    ...datum,
    weights: datum.weights!.map((weight) => weight * factor),
  }));
  await trainer.forwardBackward(scaled, "cross_entropy");
  const step = await trainer.optimStep({ ...ADAM, learningRate: 0 }, { batchId: "norm" });
  return step.gradNorm!;
}

Deno.test({
  name: "SkyRL's server agrees with our engine, learns, publishes, samples, saves and loads",
  ignore,
  async fn(t) {
    const folder = await Deno.makeTempDir({ prefix: "spade-skyrl-" });
    let family: number[];
    {
      await using server = await startServer(folder);
      family = await server.pids();
      await using engine = await connectEngine({ url: server.url, profile: "jax", loraRank: 8 });
      const { trainer, sampler, base } = engine;
      const given = await trainer.forward(data);

      await t.step("the log-probabilities are those of our engine", async () => {
        const state = `${folder}/state`;
        await using own = await EmbeddedEngine.start({ python, model, state, threads: 1 });
        assert(distance(given, await own.trainer.forward(data)) < 1e-3);
      });

      await t.step("the gradient is that of the sum", async () => {
        const one = await norm(engine, data, 1);
        const isNear = (value: number, wanted: number) =>
          assert(Math.abs(value / wanted - 1) < 1e-3, `${value} is not near ${wanted}`);
        isNear(await norm(engine, data, 2), 2 * one);
        isNear(await norm(engine, data, -1), one);
        isNear(await norm(engine, [...data, ...data], 1), 2 * one);
        assert.equal(distance(await trainer.forward(data), given), 0);
      });

      const losses: number[] = [];
      await t.step("the loss of one batch falls over 3 steps", async () => {
        for (let i = 0; i < 4; i++) {
          losses.push((await trainer.forwardBackward(data, "cross_entropy")).loss);
          const { applied } = await trainer.optimStep(ADAM, { batchId: `b${i}` });
          assert(applied);
        }
        losses.slice(1).forEach((loss, i) => assert(loss < losses[i], `${losses}`));
        assert(distance(await trainer.forward(data), given) > 0.1);
        assert(distance(await trainer.reference!(data), given) < 1e-4);
      });

      await t.step(
        "replies are of the published weights, with their log-probabilities",
        async () => {
          assert.equal(await trainer.publish(), 1);
          const replies = await Promise.all(
            [1, 2, 3, 4, 5, 6].map((seed) => sampler.sample(request(seed, 12))),
          );
          for (const { ids, logps, finish, weightsVersion } of replies) {
            assert.equal(weightsVersion, 1);
            assert.equal(ids.length, logps.length);
            assert(logps.every(Number.isFinite));
            assert(finish === "stop" ? ids.at(-1) === 1 : ids.length === 12);
          }
          assert.equal(new Set(replies.map(({ ids }) => ids.join())).size, 6);
          const check = async (one: Engine["sampler"], look: typeof trainer.forward) => {
            const { ids, logps } = await one.sample(request(7, 12));
            const all = [...request(7, 12).prompt, ...ids];
            const [row] = await look.call(trainer, [{
              input: all.slice(0, -1),
              target: all.slice(1),
            }]);
            assert(distance([logps], [row.slice(2)]) < 1e-3);
            return logps;
          };
          const trained = await check(sampler, trainer.forward);
          assert.notDeepEqual(await check(base, trainer.reference!), trained);
          assert.deepEqual(await sampler.sample(request(1, 12)), replies[0]);
        },
      );

      await t.step("saved weights come back, gradients that were left do not", async () => {
        const path = await trainer.save("c1");
        const saved = await trainer.forward(data);
        const one = await norm(engine, data, 1);
        await trainer.forwardBackward(data, "cross_entropy");
        await trainer.optimStep(ADAM, { batchId: "b9" });
        assert(distance(await trainer.forward(data), saved) > 0.01);
        // one good call, one that the server refuses: half a gradient
        await trainer.forwardBackward(data, "cross_entropy");
        const aborted = AbortSignal.abort(new Error("given up"));
        await assert.rejects(
          trainer.forwardBackward(data, "cross_entropy", { signal: aborted }),
          /given up/,
        );
        await trainer.load(path);
        assert(distance(await trainer.forward(data), saved) < 1e-5);
        assert(Math.abs(await norm(engine, data, 1) / one - 1) < 1e-3);
        await assert.rejects(trainer.load(path.replace("c1", "c2")), /Checkpoint not found/);
      });

      await t.step("what it cannot do is said in its words", async () => {
        const full = connectEngine({ url: server.url, profile: "skyrl" });
        await assert.rejects(full, /LoRA rank 0 must be between 1 and 8/);
      });
    }
    assert(family.length >= 4, "uv, the server, uv, its engine");
    for (const pid of family) assert.equal(await alive(pid), false);
    await Deno.remove(folder, { recursive: true });
  },
});
