/** `deno task notebooks` and `deno task lab` under the permissions of their tasks. */
import assert from "node:assert/strict";
import { run, start } from "./command.ts";

const root = new URL("../..", import.meta.url).pathname;
const name = `.test-${crypto.randomUUID().slice(0, 8)}`;
const file = `${root}notebooks/${name}.ipynb`;

/** Writes a notebook of these cells for the time of a test; hidden ones are run only by name. */
async function withNotebook(cells: string[], work: () => Promise<void>): Promise<void> {
  Deno.mkdirSync(`${root}notebooks`, { recursive: true });
  const code = cells.map((source) => ({
    cell_type: "code",
    source,
    metadata: {},
    outputs: [{ output_type: "stream", name: "stdout", text: "old" }],
    execution_count: 9,
  }));
  const notebook = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: code };
  Deno.writeTextFileSync(file, JSON.stringify(notebook));
  try {
    await work();
  } finally {
    Deno.removeSync(file);
    await Deno.remove(`${root}runs/notebooks/${name}.html`).catch(() => {});
  }
}

Deno.test("a notebook is run, its page written, its file left alone; then it is stripped", async () => {
  const cells = ["console.log('hello', Deno.env.get('SPADE_SHORT'))", "6 * 7"];
  await withNotebook(cells, async () => {
    const before = Deno.readTextFileSync(file);
    const done = await run("notebooks", [name, "--short", "--render"]);
    assert.equal(done.code, 0, done.error);
    assert.match(done.out, new RegExp(`${name}  ok  2 cells  \\d+\\.\\d s\n`));
    const page = Deno.readTextFileSync(`${root}runs/notebooks/${name}.html`);
    assert.match(page, /hello 1/);
    assert.match(page, /SPADE, Deno .*short mode/);
    assert.equal(Deno.readTextFileSync(file), before);
    const check = await run("notebooks", [name, "--check"]);
    assert.deepEqual([check.code, check.out], [
      1,
      `${name}  has outputs: deno task notebooks --strip\n`,
    ]);
    assert.equal((await run("notebooks", [name, "--strip"])).code, 0);
    assert.equal((await run("notebooks", [name, "--check"])).code, 0);
    assert.doesNotMatch(Deno.readTextFileSync(file), /old/);
  });
});

Deno.test("a failing cell is named with its text and its error; a mute one too", async () => {
  await withNotebook(["1", "const b = 2;\nthrow new TypeError('no ' + b)"], async () => {
    const { code, out } = await run("notebooks", [name]);
    assert.equal(code, 1);
    assert.match(out, /FAILED at cell 2 .*\n\s+const b = 2;\n\s+throw new TypeError/);
    assert.match(out, /TypeError: no 2/);
  });
  await withNotebook(["let broken = (;"], async () => {
    const { code, out } = await run("notebooks", [name]);
    assert.equal(code, 1);
    assert.match(out, /FAILED at cell 1[\s\S]*SyntaxError: Expression expected/);
  });
  await withNotebook(["for (;;) {}"], async () => {
    const { code, out } = await run("notebooks", [name, "--timeout", "1"]);
    assert.equal(code, 1);
    assert.match(out, /Timeout: the cell did not end in 1 s/);
  });
});

Deno.test("each permission is needed", async () => {
  await withNotebook(["1"], async () => {
    for (const without of ["--allow-read", "--allow-write", "--allow-net", "--allow-run"]) {
      const { code, error } = await run("notebooks", [name], { without });
      assert.equal(code, 1, without);
      assert.match(error, /NotCapable|Requires/, without);
    }
  });
});

Deno.test("what is asked wrongly is explained", async () => {
  const unknown = await run("notebooks", ["no-such"]);
  assert.deepEqual([unknown.code, unknown.out], [1, ""]);
  assert.match(unknown.error, /^error: Cannot find notebook no-such: notebooks\/ holds/);
  assert.match((await run("notebooks", ["--timeout", "0"])).error, /must be at least 1/);
  assert.match((await run("lab", ["--port", "x"])).error, /must be a whole number/);
});

Deno.test("lab --policy is the plain answer, lab --specs writes both kernels", async () => {
  const { code, out } = await run("lab", ["--policy"]);
  assert.equal(code, 0);
  assert.match(out, /^read +deno\.json/);
  assert.match(out, /write +runs\n/);
  assert.match(out, /programs +none\n/);
  assert.equal((await run("lab", ["--specs"])).code, 0);
  for (const [kernel, title] of [["spade", "SPADE"], ["spade-policy", "SPADE (policy)"]]) {
    const path = `${root}.spade/jupyter/kernels/${kernel}/kernel.json`;
    const spec = JSON.parse(Deno.readTextFileSync(path));
    assert.equal(spec.display_name, title);
    assert.equal(spec.interrupt_mode, "message");
    assert.equal(spec.env.NO_COLOR, "1");
    assert.ok(spec.argv[0].startsWith("/") && spec.argv.includes("{connection_file}"));
    assert.ok(!spec.argv.includes("-A"));
  }
});

const installed = await Deno.stat(`${root}.spade/lab/bin/python`).then(() => true, () => false);
Deno.test({
  name:
    "lab starts JupyterLab with our two kernels and a token, and ends it (needs: deno task setup lab)",
  ignore: !installed,
  async fn() {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const taken = await run("lab", ["--port", String(port), "--no-browser"]);
    assert.match(taken.error, new RegExp(`Cannot use --port ${port}: it is taken`));
    listener.close();
    const { child, answer } = await start("lab", ["--port", String(port), "--no-browser"]);
    const url = `http://127.0.0.1:${port}/api/kernelspecs`;
    const status = () =>
      fetch(url).then(async (reply) => (await reply.text(), reply.status), () => 0);
    let refused = 0;
    for (let tries = 0; tries < 600 && refused === 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      refused = await status();
    }
    assert.equal(refused, 403);
    child.kill("SIGINT");
    const { code, out } = await answer;
    assert.equal(code, 130);
    const token = /token=(\w{48})\n/.exec(out)?.[1];
    assert.ok(token, out);
    assert.equal(await status(), 0);
  },
});
