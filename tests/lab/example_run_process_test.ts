import assert from "node:assert/strict";
import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { exampleRun } from "../../lib/lab/example_run.ts";

const name = `test-example-${Deno.pid}`;
const dir = fileURLToPath(new URL(`../../runs/${name}`, import.meta.url));

Deno.test("exampleRun() goes on with a run that was cut, and waits for who else trains it", async () => {
  Deno.env.set("SPADE_SHORT", "1");
  try {
    const cut = new AbortController();
    const cutting = exampleRun({ name, signal: cut.signal });
    const poll = setInterval(() => fs.existsSync(`${dir}/run.sqlite`) && cut.abort(), 20);
    await assert.rejects(cutting, { name: "AbortError" });
    clearInterval(poll);
    const [first, second] = await Promise.all([exampleRun({ name }), exampleRun({ name })]);
    using run = first;
    second.close();
    const { finished, rollouts, seed } = run.summary;
    assert.deepEqual({ finished, rollouts, seed }, { finished: true, rollouts: 3, seed: 0 });
    using again = await exampleRun({ name });
    assert.equal(again.plays().numRows(), run.plays().numRows());
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
});
