/** The real kernel of Deno: nothing of a cell's output is lost, and what hangs or is mute elsewhere does not here. */
import assert from "node:assert/strict";
import { syntaxError } from "../../lib/kernel/mod.ts";
import { becomes, isAlive, runCell, startKernel } from "./help.ts";

const root = new URL("../..", import.meta.url).pathname;

Deno.test("50 cells of 10 lines: each line is there, in its own cell", async () => {
  await using kernel = await startKernel("spade");
  for (let cell = 0; cell < 50; cell++) {
    const code = `for (let line = 0; line < 10; line++) console.log("${cell}:" + line);`;
    const expected = Array.from({ length: 10 }, (_, line) => `${cell}:${line}\n`).join("");
    const { outputs } = await runCell(kernel, code);
    assert.deepEqual(outputs, [{ output_type: "stream", name: "stdout", text: expected }]);
  }
});

Deno.test("with notebook() an exception in a timer is told and the kernel goes on; a rejection too", async () => {
  await using kernel = await startKernel("spade");
  const first = await runCell(
    kernel,
    `import { notebook } from "${root}lib/lab/notebook.ts"; notebook(); notebook()`,
  );
  assert.match(first.text, /^SPADE \S+ on Deno .*kernel SPADE: it may do all/);
  const thrown = await runCell(
    kernel,
    `setTimeout(() => { throw new Error("boom") }, 5); await new Promise((r) => setTimeout(r, 100)); "after"`,
  );
  assert.equal(thrown.status, "ok");
  assert.match(thrown.text, /Uncaught, outside of any cell: Error: boom/);
  assert.match(thrown.text, /after/);
  const rejected = await runCell(
    kernel,
    `Promise.reject(new Error("late")); await new Promise((r) => setTimeout(r, 100));`,
  );
  assert.match(rejected.text, /nobody awaits it: Error: late/);
  assert.match((await runCell(kernel, "6 * 7")).text, /42/);
  const { notebookPolicy } = {
    notebookPolicy: `import { notebookPolicy } from "${root}lib/lab/notebook.ts";`,
  };
  assert.match(
    (await runCell(kernel, `${notebookPolicy} notebookPolicy()`)).text,
    /may do all that you may/,
  );
});

Deno.test("an endless loop is interrupted and the state survives", async () => {
  await using kernel = await startKernel("spade");
  await runCell(kernel, "globalThis.kept = 41");
  const looped = await runCell(kernel, "for (;;) {}", 500);
  assert.deepEqual([looped.status, looped.timedOut], ["error", true]);
  assert.match((await runCell(kernel, "kept + 1")).text, /42/);
});

Deno.test("a kernel that hangs for good is killed: without notebook() an exception in a timer does that", async () => {
  await using kernel = await startKernel("spade");
  const frozen = await runCell(
    kernel,
    `setTimeout(() => { throw 1 }, 1); await new Promise((r) => setTimeout(r, 1000));`,
    2_000,
  );
  assert.deepEqual([frozen.status, frozen.timedOut], ["dead", true]);
  assert.equal((await runCell(kernel, "1")).status, "dead");
  assert.ok(await becomes(() => !isAlive(kernel.pid)));
});

Deno.test("a syntax error is found by an extra look", async () => {
  await using kernel = await startKernel("spade");
  const { status, outputs } = await runCell(kernel, "let broken = (;");
  assert.deepEqual([status, outputs], ["error", []]);
  const found = await syntaxError("const fine = 1;\nlet broken = (;", Deno.execPath());
  assert.match(found!, /^Expression expected[\s\S]*at line 2:/);
  assert.equal(
    await syntaxError("await 1; import 'x'; let a: number = 2", Deno.execPath()),
    undefined,
  );
});
