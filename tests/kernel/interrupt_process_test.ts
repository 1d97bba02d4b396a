/** The stop button on the real kernel: a loop ends, an awaited training ends and can be gone on with, nothing is left. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { inProject } from "../../lib/cli/files.ts";
import type { Kernel } from "../../lib/kernel/mod.ts";
import { becomes, isAlive, runCell, startKernel } from "./help.ts";

const ignore = Deno.build.os !== "linux";
const lab = inProject("lib/lab/mod.ts");
const BOUND_MS = 20_000;

/** Runs a cell and presses stop once `when` holds; how long it then took. */
async function interrupted(kernel: Kernel, code: string, when: () => boolean) {
  const running = runCell(kernel, code, 120_000);
  assert.ok(await becomes(when, 60_000), "the cell never came to where it is interrupted");
  const began = performance.now();
  await kernel.interrupt();
  return { ...await running, ms: performance.now() - began };
}

/** Holds from `ms` milliseconds on. */
function after(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() > end;
}

function childrenOf(pid: number): number[] {
  const text = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`);
  return text.trim().split(" ").filter(Boolean).map(Number);
}

Deno.test({
  name: "with notebook() the stop button ends loops and awaited work, and a training goes on later",
  ignore,
  async fn(t) {
    const name = `test-interrupt-${Deno.pid}`;
    const dir = inProject(`runs/${name}`);
    await using kernel = await startKernel("spade");
    try {
      const names = "notebook, train";
      await runCell(kernel, `import { ${names} } from "${lab}"; notebook(); globalThis.kept = 41;`);
      await t.step("a loop that never waits", async () => {
        const { status, ms } = await interrupted(kernel, "for (;;) {}", after(300));
        assert.equal(status, "error");
        assert.ok(ms < BOUND_MS, `${ms}`);
        assert.match((await runCell(kernel, "kept + 1")).text, /42/);
      });
      await t.step(
        "a loop after an await, which a request alone would leave unsettled",
        async () => {
          const { status, ms } = await interrupted(kernel, "await null; for (;;) {}", after(300));
          assert.equal(status, "error");
          assert.ok(ms < BOUND_MS, `${ms}`);
          assert.match((await runCell(kernel, "kept + 1")).text, /42/);
        },
      );
      await t.step("an awaited training", async () => {
        const set = `["environments=3", "plays=2", "heldout=null"]`;
        const code = `const training = train({ name: "${name}", rollouts: 1, set: ${set} });
          for await (const _ of training) { /* on */ }`;
        const begun = () => fs.existsSync(`${dir}/run.sqlite`);
        const { status, text, ms } = await interrupted(kernel, code, begun);
        assert.equal(status, "error");
        assert.ok(ms < BOUND_MS, `${ms}`);
        assert.match(text, /work of this toolkit was asked to stop/);
        assert.ok(
          text.includes(
            `AbortError: interrupted: runs/${name} can be gone on with: train({ resume: "${name}" })`,
          ),
          text,
        );
        assert.match((await runCell(kernel, "kept + 2")).text, /43/);
        const { text: on } = await runCell(
          kernel,
          `for await (const _ of training) { /* on */ } training.finished`,
          120_000,
        );
        assert.match(on, /true/);
      });
      await t.step("what is not ours goes on to its end, and the kernel with it", async () => {
        const code = `await new Promise((end) => setTimeout(end, 2500)); "slept"`;
        const { text } = await interrupted(kernel, code, after(300));
        assert.match(text, /Whatever else the cell awaits goes on[^]*slept/);
        assert.match((await runCell(kernel, "kept + 3")).text, /44/);
      });
    } finally {
      fs.rmSync(dir, { recursive: true, force: true });
    }
  },
});

const pythons = ["sandbox", "engine"].map((name) => inProject(`.spade/${name}/bin/python`));
Deno.test({
  name: "SPADE (policy) is interrupted in the same ways",
  ignore: ignore || !pythons.every((python) => fs.existsSync(python)),
  async fn() {
    await using kernel = await startKernel("spade-policy");
    await runCell(kernel, `import { notebook } from "${lab}"; notebook(); globalThis.kept = 41;`);
    const loop = await interrupted(kernel, "await null; for (;;) {}", after(300));
    assert.equal(loop.status, "error");
    const code = `await new Promise((end) => setTimeout(end, 2500)); "slept"`;
    const { text } = await interrupted(kernel, code, after(300));
    assert.match(text, /was asked to stop[^]*slept/);
    assert.match((await runCell(kernel, "kept + 1")).text, /42/);
  },
});

Deno.test({
  name: "without notebook() an awaiting cell goes on, and a loop ends",
  ignore,
  async fn() {
    await using kernel = await startKernel("spade");
    const code = `await new Promise((end) => setTimeout(end, 2500)); "slept"`;
    assert.match((await interrupted(kernel, code, after(300))).text, /^"slept"$/);
    assert.equal((await interrupted(kernel, "for (;;) {}", after(300))).status, "error");
    assert.match((await runCell(kernel, "6 * 7")).text, /42/);
  },
});

for (
  const [name, kill] of [
    ["the launcher is asked to end", (launcher: number) => Deno.kill(launcher, "SIGTERM")],
    ["the launcher is killed", (launcher: number) => Deno.kill(launcher, "SIGKILL")],
    ["the kernel is killed", (_: number, own: number) => Deno.kill(own, "SIGKILL")],
  ] as const
) {
  Deno.test({
    name: `nothing is left of SPADE when ${name}`,
    ignore,
    async fn() {
      await using kernel = await startKernel("spade");
      const below = childrenOf(kernel.pid);
      const own = below.find((pid) =>
        Deno.readTextFileSync(`/proc/${pid}/cmdline`).includes("jupyter")
      )!;
      const folder = inProject(`.spade/k/${kernel.pid}`);
      assert.ok(isAlive(own) && fs.existsSync(`${folder}/connection.json`));
      kill(kernel.pid, own);
      assert.ok(await becomes(() => ![kernel.pid, ...below].some(isAlive)), "a process is left");
      if (!name.startsWith("the launcher is killed")) assert.equal(fs.existsSync(folder), false);
    },
  });
}
