/** Runs without a designer, end to end: verifier files and reasoning-gym, difficulty windows, kill and resume. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { inProject } from "../../lib/cli/files.ts";
import { type Loop, type LoopState, readState, verify } from "../../lib/loop/mod.ts";
import { compareRuns, Store } from "../../lib/store/mod.ts";
import { climbing, fixedConfig, twoVerifiers, withSolver } from "./fixed_support.ts";
import { folder, runSmall } from "./support.ts";

const stateOf = (store: Store) => store.get("cursor", "state")!.value as unknown as LoopState;

/** Difficulties of the environments of each rollout, by class. */
function difficulties(store: Store): string[][] {
  return [0, 1, 2].map((rollout) =>
    store.all("active", { where: { rollout } }).map(({ environmentId }) => {
      const { source } = store.get("environment", environmentId)!;
      return /^class (\w+)\(/m.exec(source)![1] + /difficulty = (\d+)\n$/.exec(source)![1];
    }).sort()
  );
}

/** Starts or resumes the climbing run; it is killed with -9 at its play number `last`. True: it finished. */
async function runUntil(dir: string, pool: string, last: number): Promise<boolean> {
  const args = [inProject("tests/loop/fixed_child.ts"), dir, pool, String(last)];
  const child = new Deno.Command(Deno.execPath(), { args: ["run", "-A", ...args] }).spawn();
  const { code, signal } = await child.status;
  if (signal === "SIGKILL") return false;
  assert.equal(code, 0, "the child failed by itself");
  return true;
}

Deno.test("difficulty windows climb rollout by rollout, and a run killed -9 climbs the same", async () => {
  using files = folder();
  using unbroken = folder();
  using broken = folder();
  const pool = twoVerifiers(files.path);
  await runSmall({ dir: unbroken.path, config: climbing(pool), wrap: withSolver });
  using a = Store.open(unbroken.path, { readonly: true });
  assert.ok(a.all("play").every((play) => play.success), "the solver wins every play");
  const drawn = difficulties(a);
  assert.deepEqual(drawn[0], ["Addition0", "Sorting0"]);
  assert.deepEqual(drawn[1], ["Addition0", "Addition1", "Sorting0", "Sorting1"]);
  assert.equal(drawn[2].length, 6);
  const window = { low: 0, high: 3, successes: 0, attempts: 0 };
  assert.deepEqual(stateOf(a).windows, { addition: window, sorting: window });
  const told = a.all("event").map(({ message }) => message);
  assert.ok(told.includes("rollout 1: sorting climbs: difficulty 0 to 2"), told.join("\n"));

  for (const last of [10, 20, 30]) {
    assert.equal(await runUntil(broken.path, pool, last), false, `killed at play ${last}`);
  }
  assert.equal(await runUntil(broken.path, pool, Infinity), true);
  using b = Store.open(broken.path, { readonly: true });
  assert.deepEqual(compareRuns(a, b), []);
  assert.deepEqual(stateOf(b), stateOf(a));
  assert.equal(verify(b).mismatch, null);
});

Deno.test("a state of an older run has no controllers yet: they begin anew", async () => {
  using files = folder();
  using dir = folder();
  const config = fixedConfig(`pool=${twoVerifiers(files.path)}`, "rollouts=1", "plays=2");
  await runSmall({ dir: dir.path, config });
  {
    using store = Store.open(dir.path);
    const { windows: _, progress: __, ...old } = stateOf(store) as unknown as Record<
      string,
      unknown
    >;
    store.transaction(() =>
      store.replace("cursor", { id: "state", rollout: 1, value: { ...old, finished: false } })
    );
    const state = readState({ store, config } as unknown as Loop);
    assert.deepEqual([state.windows, state.progress, state.rollout], [{}, {}, 1]);
  }
  await runSmall({ dir: dir.path, config: { ...config, rollouts: 2 } });
  using store = Store.open(dir.path, { readonly: true });
  assert.equal(stateOf(store).rollout, 2);
});

Deno.test({
  name: "reasoning-gym is played, verified and resumed as any pool; progress is tracked",
  ignore: !fs.existsSync(inProject(".spade/reasoning-gym/bin/python")),
  fn: async () => {
    using unbroken = folder();
    using broken = folder();
    const config = fixedConfig(
      "pool=reasoning-gym:chain_sum,letter_counting,number_filtering",
      ...["controller=progress", "environments=4", "plays=4", "window.max=1", "tokens.agent=8"],
    );
    await runSmall({ dir: unbroken.path, config });
    const stop = new AbortController();
    let calls = 0;
    const stopping = (loop: Loop): Loop => {
      const sample: Loop["engine"]["sampler"]["sample"] = (request, options) => {
        if (++calls === 24) stop.abort();
        return loop.engine.sampler.sample(request, options);
      };
      const { trainer, base } = loop.engine;
      const dispose = () => Promise.resolve();
      const engine = { trainer, base, sampler: { sample }, log: () => "" };
      return { ...loop, engine: { ...engine, [Symbol.asyncDispose]: dispose } };
    };
    await assert.rejects(
      runSmall({ dir: broken.path, config, wrap: stopping, signal: stop.signal }),
    );
    await runSmall({ dir: broken.path, config });
    using a = Store.open(unbroken.path, { readonly: true });
    using b = Store.open(broken.path, { readonly: true });
    assert.deepEqual(compareRuns(a, b), []);
    assert.deepEqual(stateOf(b), stateOf(a));
    assert.equal(verify(b).mismatch, null);
    const plays = a.all("play");
    assert.ok(plays.length >= 48 && plays.every(({ outcome }) => outcome.kind === "scored"));
    const played = new Set(plays.map(({ environmentId }) => environmentId));
    assert.deepEqual(Object.keys(stateOf(a).progress).sort(), [...played].sort());
    const sources = a.all("environment").map(({ source }) => JSON.parse(source));
    assert.ok(sources.every(({ library, level }) => library === "reasoning-gym" && level <= 1));
  },
});
