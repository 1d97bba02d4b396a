import assert from "node:assert/strict";
import {
  type CellResult,
  isStripped,
  type Notebook,
  parseNotebook,
  runNotebook,
  stripped,
  writeNotebook,
} from "../../lib/kernel/mod.ts";

const cell = (source: string, ...tags: string[]) => ({
  cell_type: "code" as const,
  source,
  metadata: { tags },
});
const notebookOf = (...cells: Notebook["cells"]): Notebook => ({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells,
});
const result = (status: CellResult["status"], more: Partial<CellResult> = {}): CellResult => ({
  status,
  messages: [],
  executionCount: 1,
  timedOut: false,
  ...more,
});
const thrown = {
  type: "error",
  parentId: "",
  metadata: {},
  content: { ename: "TypeError", evalue: "no", traceback: ["TypeError: no"] },
};

/** A kernel that answers by what a cell says. */
const answers: Record<string, CellResult> = {
  fine: result("ok"),
  throws: result("error", { messages: [thrown] }),
  // the value's own display threw: the kernel replies ok
  "shows badly": result("ok", { messages: [thrown] }),
  mute: result("error"),
  endless: result("error", { timedOut: true }),
  dies: result("dead"),
};
const kernel = {
  execute: (code: string) => Promise.resolve(structuredClone(answers[code])),
  words: () => "out of memory",
};
const run = (...cells: Notebook["cells"]) =>
  runNotebook(notebookOf(...cells), kernel, {
    syntaxError: () => Promise.resolve("Expression expected"),
  });

for (
  const [source, name, message] of [
    ["throws", "TypeError", /no/],
    ["shows badly", "TypeError", /no/],
    ["mute", "SyntaxError", /Expression expected/],
    ["endless", "Timeout", /did not end in 120 s/],
    ["dies", "DeadKernel", /out of memory/],
  ] as const
) {
  Deno.test(`a run ends at a cell that ${source}`, async () => {
    const { failure, notebook } = await run(cell("fine"), cell(source), cell("fine"));
    assert.equal(failure?.index, 1);
    assert.equal(failure.name, name);
    assert.match(failure.message, message);
    assert.equal(notebook.cells[1].outputs?.at(-1)?.output_type, "error");
    assert.deepEqual(notebook.cells[2].outputs, []);
  });
}

Deno.test("a cell tagged raises-exception must raise one, and may not hang or kill", async () => {
  const expected = (source: string) => cell(source, "raises-exception");
  assert.equal((await run(expected("throws"), cell("fine"))).failure, undefined);
  assert.equal((await run(expected("mute"))).failure, undefined);
  assert.equal((await run(expected("fine"))).failure?.name, "NoException");
  assert.equal((await run(expected("endless"))).failure?.name, "Timeout");
  assert.equal((await run(expected("dies"))).failure?.name, "DeadKernel");
});

Deno.test("empty cells and text are not run, and the given notebook stays as it is", async () => {
  const given = notebookOf({ ...cell("fine"), execution_count: 7 }, cell(" \n"), {
    cell_type: "markdown",
    source: ["# a\n", "b"],
    metadata: {},
  });
  const { notebook, failure } = await runNotebook(given, kernel);
  assert.equal(failure, undefined);
  assert.deepEqual(notebook.cells.map(({ execution_count: count }) => count ?? null), [
    1,
    null,
    null,
  ]);
  assert.equal(given.cells[0].execution_count, 7);
});

Deno.test("stripping leaves text, tags and ids, and is what the check looks for", () => {
  const full = parseNotebook(
    JSON.stringify(notebookOf({
      ...cell("1", "a"),
      ...{
        id: "x",
        execution_count: 3,
        outputs: [{ output_type: "stream", name: "stdout", text: "1" }],
      },
      metadata: { tags: ["a"], execution: { started: "now" } },
    })),
    "full",
  );
  assert.equal(isStripped(full), false);
  const bare = stripped(full);
  assert.equal(isStripped(bare), true);
  assert.deepEqual(JSON.parse(writeNotebook(bare)).cells, [
    {
      cell_type: "code",
      source: "1",
      metadata: { tags: ["a"] },
      id: "x",
      execution_count: null,
      outputs: [],
    },
  ]);
});
