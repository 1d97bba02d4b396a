/** The same functions in the real kernel: results show themselves, the line updates in place, a training is stopped. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { inProject } from "../../lib/cli/files.ts";
import { runCell, startKernel } from "../kernel/help.ts";

Deno.test("in a notebook results show themselves, and a training is stopped from another cell", async () => {
  const name = `test-lab-kernel-${Deno.pid}`;
  const dir = inProject(`runs/${name}`);
  await using kernel = await startKernel("spade");
  try {
    const names = "gate, train, withProgress";
    await runCell(kernel, `import { ${names} } from "${inProject("lib/lab/mod.ts")}";`);
    const { outputs: [line, ...more] } = await runCell(
      kernel,
      `await withProgress({ title: "sleep", unit: "naps", total: 6 }, async (line) => {
        for (let nap = 0; nap < 6; nap++) {
          await new Promise((resolve) => setTimeout(resolve, 500));
          line.step();
        }
      });`,
    );
    assert.deepEqual(more, [], "one output, however often it was updated");
    assert.equal(line.output_type, "display_data");
    assert.match(JSON.stringify(line), /sleep █{12} 6 of 6 naps · .* · in \d+ s/);

    const jugs = inProject("data/environments/good/three_jugs.py");
    const gated = await runCell(kernel, `await gate(Deno.readTextFileSync("${jugs}"))`);
    const shown = gated.outputs.at(-1)!;
    assert.equal(shown.output_type, "execute_result");
    assert.ok("data" in shown && /<table>/.test(String(shown.data["text/html"])));
    assert.match(gated.text, /ThreeJugsEnv .*: accepted/);

    const begun = await runCell(
      kernel,
      `const training = train({ name: "${name}", set: ["environments=3", "plays=2", "heldout=null"] });
       const going = (async () => { for await (const _ of training) { /* on */ } return "ended"; })();
       training`,
    );
    assert.match(begun.text, /: no rollout yet/);
    const stopped = await runCell(
      kernel,
      `while (training.reports.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
       await training.stop();
       [await going, training.finished, training.run.summary.finished]`,
      180_000,
    );
    assert.match(stopped.text, /\[ "ended", false, false \]/);
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
});
