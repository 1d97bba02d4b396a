import assert from "node:assert/strict";
import { Random } from "../../lib/core/mod.ts";
import { compareRuns, Store } from "../../lib/store/mod.ts";
import { verify } from "../../lib/loop/mod.ts";
import { inProject } from "../../lib/cli/files.ts";
import { folder, runSmall, smallConfig } from "./support.ts";

/** Permissions of the child: those of the train task. */
const permissions = [
  "--no-prompt",
  "--ignore-env",
  `--allow-read=${inProject(".")}`,
  `--allow-write=${inProject(".spade")}`,
  "--allow-net=127.0.0.1",
  `--allow-run=${inProject(".spade/engine/bin/python")},${inProject(".spade/sandbox/bin/python")}`,
  "--allow-sys",
];

/** Starts the run in `dir`; kills it with -9 after `ms`, counted from where its loop begins. True: it finished. */
async function runUntil(dir: string, ms: number): Promise<boolean> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...permissions, inProject("tests/loop/child.ts"), dir],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  const timer = setTimeout(() => child.kill("SIGKILL"), ms);
  while (!(await reader.read()).done) { /* drained */ }
  clearTimeout(timer);
  const { code, signal } = await child.status;
  if (signal === "SIGKILL") return false;
  assert.equal(code, 0, "the child failed by itself");
  return true;
}

const link = "https://github.com/rllm-org/rllm/pull/900";
Deno.test(`a run killed -9 at 20 random moments equals the unbroken run (C 6.1, ${link})`, async () => {
  using unbroken = folder();
  using broken = folder();
  let began = 0;
  await runSmall({ dir: unbroken.path, wrap: (loop) => (began = performance.now(), loop) });
  const duration = performance.now() - began;
  const random = new Random(11);
  let kills = 0;
  let finished = false;
  while (!finished && kills < 20) {
    finished = await runUntil(broken.path, duration * (0.03 + 0.2 * random.next()));
    if (!finished) kills += 1;
  }
  if (!finished) finished = await runUntil(broken.path, 600_000);
  console.log(`killed ${kills} times`);
  assert.ok(kills >= 5, `only ${kills} kills before the end`);
  using a = Store.open(unbroken.path, { readonly: true });
  using b = Store.open(broken.path, { readonly: true });
  assert.deepEqual(compareRuns(a, b), []);
  assert.equal(verify(b).mismatch, null);
});

Deno.test("a run stopped by an abort goes on and equals the unbroken run", async () => {
  using unbroken = folder();
  using broken = folder();
  const config = smallConfig("rollouts=2");
  await runSmall({ dir: unbroken.path, config });
  const stop = new AbortController();
  let calls = 0;
  await assert.rejects(runSmall({
    dir: broken.path,
    config,
    signal: stop.signal,
    wrap: (loop) => ({
      ...loop,
      engine: {
        trainer: loop.engine.trainer,
        base: loop.engine.base,
        log: () => "",
        sampler: {
          sample: (request, options) => {
            calls += 1;
            if (calls === 60) stop.abort();
            return loop.engine.sampler.sample(request, options);
          },
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
    }),
  }));
  await runSmall({ dir: broken.path, config });
  using a = Store.open(unbroken.path, { readonly: true });
  using b = Store.open(broken.path, { readonly: true });
  assert.deepEqual(compareRuns(a, b), []);
});
