import assert from "node:assert/strict";
import {
  EngineError,
  environmentId,
  failed,
  type Progress,
  type Sandbox,
} from "../../lib/core/mod.ts";
import { compareRuns, Store } from "../../lib/store/mod.ts";
import type { Loop } from "../../lib/loop/mod.ts";
import { folder, runSmall, smallConfig } from "./support.ts";

/** The loop with another sandbox. */
function withSandbox(loop: Loop, change: (sandbox: Sandbox) => Partial<Sandbox>): Loop {
  const { sandbox } = loop;
  return {
    ...loop,
    sandbox: {
      level: sandbox.level,
      layers: sandbox.layers,
      start: (source, options) => sandbox.start(source, options),
      parse: (source, options) => sandbox.parse(source, options),
      [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
      ...change(sandbox),
    },
  };
}

Deno.test("a rollout in which every program is rejected does not stop the run", async () => {
  using dir = folder();
  const events: Progress[] = [];
  let parses = 0;
  await runSmall({
    dir: dir.path,
    config: smallConfig("rollouts=4"),
    events,
    wrap: (loop) =>
      withSandbox(loop, (sandbox) => ({
        // Every program of the first set is refused; those of the second are judged.
        parse: (source, options) => {
          parses += 1;
          return parses <= 30
            ? Promise.resolve(failed("designer", "syntax", "refused by the test"))
            : sandbox.parse(source, options);
        },
      })),
  });
  using store = Store.open(dir.path, { readonly: true });
  const first = store.all("reply", { where: { rollout: 0, role: "designer" } });
  assert.equal(first.length, 30, "6 slots, 5 attempts each");
  assert.ok(first.every((reply) => !reply.accepted));
  assert.equal(store.count("play", { rollout: 0 }), 0);
  assert.ok(store.count("play", { rollout: 2 }) > 0, "the second set is played");
  assert.ok(
    events.some((event) => event.kind === "warning" && /no environment/.test(event.message)),
  );
  assert.ok(
    store.all("event").some(({ kind, message }) =>
      kind === "warning" && /no environment/.test(message)
    ),
  );
  assert.equal(store.all("update").length >= 4, true);
});

const link = "https://github.com/NVIDIA-NeMo/RL/issues/431";
Deno.test(`host faults in some plays leave the advantages of others alone (C 3.1, ${link})`, async () => {
  using dir = folder();
  let starts = 0;
  await runSmall({
    dir: dir.path,
    config: smallConfig("rollouts=1", "delay=0", "epoch=1"),
    wrap: (loop) =>
      withSandbox(loop, (sandbox) => ({
        start: (source, options) => {
          // Plays only: a gate that fails twice stops the run, as it should.
          const plays = loop.store.has("environment", environmentId(source));
          if (plays) starts += 1;
          return plays && starts % 10 > 7
            ? Promise.resolve(failed("host", "outage", "injected by the test"))
            : sandbox.start(source, options);
        },
      })),
  });
  using store = Store.open(dir.path, { readonly: true });
  const failedPlays = store.all("play").filter(({ outcome }) => outcome.kind === "failed");
  assert.ok(failedPlays.length > 0, "no play failed");
  const batch = store.all("batch")[0];
  const trained = new Set(batch.sequences.map(({ unit }) => unit));
  for (const play of failedPlays) assert.ok(!trained.has(play.id), `${play.id} was trained`);
});

Deno.test("an engine that dies mid-rollout is a named error; the run goes on afterwards", async () => {
  using unbroken = folder();
  using broken = folder();
  const config = smallConfig("rollouts=2");
  await runSmall({ dir: unbroken.path, config });
  let calls = 0;
  const error = await runSmall({
    dir: broken.path,
    config,
    wrap: (loop) => ({
      ...loop,
      engine: {
        ...loop.engine,
        trainer: loop.engine.trainer,
        base: loop.engine.base,
        log: () => loop.engine.log(),
        sampler: {
          sample: async (request, options) => {
            calls += 1;
            // The engine's process ends: every later call fails.
            if (calls === 100) await loop.engine[Symbol.asyncDispose]();
            return await loop.engine.sampler.sample(request, options);
          },
        },
        [Symbol.asyncDispose]: () => loop.engine[Symbol.asyncDispose](),
      },
    }),
  }).then(() => null, (cause) => cause);
  assert.ok(error instanceof EngineError, `got ${error}`);
  assert.match(error.message, /engine/i);
  await runSmall({ dir: broken.path, config });
  using a = Store.open(unbroken.path, { readonly: true });
  using b = Store.open(broken.path, { readonly: true });
  assert.deepEqual(compareRuns(a, b), []);
});

/** A small disk of its own; null where this user may not mount one. */
async function smallDisk(
  dir: string,
  size: string,
): Promise<((size: string) => Promise<void>) | null> {
  const mount = (...args: string[]) => new Deno.Command("mount", { args, stderr: "null" }).output();
  const { success } = await mount("-t", "tmpfs", "-o", `size=${size}`, "tmpfs", dir);
  if (!success) return null;
  return async (larger) => {
    await mount("-o", `remount,size=${larger}`, dir);
  };
}

Deno.test({
  name: "a full disk is a named error; with room again the run goes on and equals the unbroken run",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    using unbroken = folder();
    using broken = folder();
    const config = smallConfig("rollouts=2", "checkpointEvery=1");
    await runSmall({ dir: unbroken.path, config });
    const grow = await smallDisk(broken.path, "2m");
    if (grow === null) return console.log("skipped: no tmpfs can be mounted here");
    try {
      const error = await runSmall({ dir: broken.path, config }).then(() => null, (cause) => cause);
      assert.ok(error instanceof Error, "2 MB were enough");
      assert.match(String(error), /full|space|ENOSPC/i);
      await grow("200m");
      await runSmall({ dir: broken.path, config });
      {
        using a = Store.open(unbroken.path, { readonly: true });
        using b = Store.open(broken.path, { readonly: true });
        assert.deepEqual(compareRuns(a, b), []);
      }
    } finally {
      await new Deno.Command("umount", { args: [broken.path] }).output();
    }
  },
});
