import assert from "node:assert/strict";
import { inProject, pythonOf } from "../../lib/cli/files.ts";
import { compareRuns, Store } from "../../lib/store/mod.ts";
import { folder, runSmall, smallConfig } from "./support.ts";

Deno.test("--engine URL drives a server that already runs, with the same records", async () => {
  using own = folder();
  using remote = folder();
  const server = new Deno.Command(pythonOf("engine"), {
    args: [
      inProject("scripts/engine/server.py"),
      ...["--model", inProject("data/nano"), "--state", `${remote.path}/state`, "--port", "0"],
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  try {
    const reader = server.stdout.getReader();
    const { port } = JSON.parse(new TextDecoder().decode((await reader.read()).value));
    await runSmall({ dir: own.path, config: smallConfig("rollouts=2") });
    const url = `http://127.0.0.1:${port}`;
    const config = smallConfig("rollouts=2", `engine=${url}`);
    await runSmall({ dir: remote.path, config });
    using a = Store.open(own.path, { readonly: true });
    using b = Store.open(remote.path, { readonly: true });
    const differences = compareRuns(a, b).filter(({ table }) => table !== "run");
    assert.deepEqual(differences, []);
    await reader.cancel();
  } finally {
    server.kill();
    await server.stdin.close();
    await server.status;
  }
});
