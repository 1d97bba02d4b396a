/** `deno task engines` against the real embedded engine. */
import assert from "node:assert/strict";
import { EmbeddedEngine } from "../../lib/engine/mod.ts";
import { folder } from "../loop/support.ts";
import { run } from "./command.ts";

Deno.test("engines lists what --engine takes", async () => {
  const { code, out } = await run("engines", []);
  assert.equal(code, 0);
  for (
    const name of ["embedded", "skyrl:URL", "miles:URL", "openai:URL", "sglang:URL", "tape:FILE"]
  ) {
    assert.ok(out.includes(name), name);
  }
});

Deno.test("engines probe says what a server can do, and needs an address it may reach", async () => {
  using dir = folder();
  const python = ".spade/engine/bin/python";
  await using engine = await EmbeddedEngine.start({ python, model: "data/nano", state: dir.path });
  const found = await run("engines", ["probe", engine.url, "--deep", "--json"]);
  assert.equal(found.code, 0, found.error);
  const { findings } = JSON.parse(found.out);
  const by = (what: string) => findings.find((one: { what: string }) => one.what.startsWith(what));
  assert.match(by("trains").detail, /our embedded engine .*nano \(1024 tokens\)/);
  assert.match(by("makes a model").detail, /^JSON; log-probability -\d/);
  assert.equal(by("is vLLM").found, false);
  const text = await run("engines", ["probe", engine.url]);
  assert.match(text.out, /A run can train on it: deno task train --engine http/);

  const nothing = await run("engines", ["probe", "http://127.0.0.1:1"]);
  assert.equal(nothing.code, 1);
  assert.match(nothing.out, /Nothing that we know answers there/);
  const denied = await run("engines", ["probe", "http://192.0.2.1:80"]);
  assert.match(denied.out, /set SPADE_ENGINE_HOST=192.0.2.1/);
  const wrong = await run("engines", ["probe", "foo:bar"]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.error, /must be embedded, a URL, tape:FILE or KIND:URL/);
});
