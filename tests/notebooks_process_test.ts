/**
 * Each stored notebook: without outputs, and run from top to bottom in short mode on the real
 * kernel. One test a notebook.
 */
import assert from "node:assert/strict";
import { findNotebooks, runFile } from "../lib/cli/jupyter/notebooks.ts";
import { isStripped, sourceOf } from "../lib/kernel/mod.ts";

const files = findNotebooks();
/** The notebooks that must be there, by how their names begin. */
const NAMES: string[] = (
  "101 102 103 201 202 203 301 302 303 401 402 403 501 502"
).split(" ");

Deno.test({
  name: "the notebooks that the README names are there",
  // until the first one is written there is nothing to miss
  ignore: files.length === 0,
  fn() {
    const missing = NAMES.filter((number) =>
      !files.some(({ name }) => name.startsWith(`${number}_`))
    );
    assert.deepEqual(missing, []);
  },
});

// `deno fmt --check` calls every notebook unformatted, so their cells go to it as files of their own
Deno.test("the cells are formatted", async () => {
  const dir = await Deno.makeTempDir();
  try {
    for (const { name, notebook } of files) {
      for (const [index, cell] of notebook.cells.entries()) {
        if (cell.cell_type !== "code") continue;
        await Deno.writeTextFile(`${dir}/${name}-${index + 1}.ts`, `${sourceOf(cell)}\n`);
      }
    }
    const args = ["fmt", "--check", "--no-config", "--line-width", "100", dir];
    const { code, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

for (const file of files) {
  Deno.test(`${file.name} is stored without outputs`, () => assert.ok(isStripped(file.notebook)));

  Deno.test(`${file.name} runs from top to bottom`, async () => {
    const options = { short: true, timeoutMs: 180_000, deno: Deno.execPath() };
    const { failure, notebook } = await runFile(file, options);
    const where = failure && `cell ${failure.index + 1}: ${failure.traceback.join("\n")}`;
    assert.equal(failure, undefined, where);
    const unseen = notebook.cells.filter(({ outputs = [] }) =>
      outputs.some((output) => "data" in output && output.data["text/plain"] === undefined)
    );
    assert.deepEqual(unseen.map(sourceOf), [], "an output has no text/plain");
  });
}
