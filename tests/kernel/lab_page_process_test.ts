/** JupyterLab's page lets no output of a cell run a script or ask another host. Skipped where it is not installed. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { inspectScript } from "../../lib/show/mod.ts";
import { flagsOf } from "../cli/command.ts";

const root = new URL("../..", import.meta.url).pathname;
const ignore = Deno.build.os !== "linux" || !fs.existsSync(`${root}.spade/lab/bin/python`);

async function hashOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${new Uint8Array(bytes).toBase64()}'`;
}

Deno.test({
  name: "of the scripts in its page only JupyterLab's own run, and the inspector's",
  ignore,
  async fn() {
    const lab = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", ...await flagsOf("lab"), "scripts/lab.ts", "--no-browser"],
      cwd: root,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    try {
      let url = "";
      for await (const text of lab.stdout.pipeThrough(new TextDecoderStream())) {
        url = /http:\S+/.exec(text)?.[0] ?? url;
        if (url !== "") break;
      }
      const response = await fetch(url);
      const page = await response.text();
      const policy = response.headers.get("content-security-policy")!;
      const scripts = /script-src ([^;]*)/.exec(policy)![1].split(" ");
      const inline = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script]) => script);
      const hashes = await Promise.all([...inline, inspectScript].map(hashOf));
      assert.deepEqual(scripts, ["'self'", "'unsafe-eval'", ...hashes]);
      assert.match(policy, /^default-src 'self' data: blob:;/);
      const [, data] = /<script id="jupyter-config-data" type="application\/json">(.*?)<\/script>/s
        .exec(page)!;
      const { disabledExtensions } = JSON.parse(data);
      assert.ok(disabledExtensions.includes("@jupyterlab/javascript-extension"), data);
    } finally {
      lab.kill("SIGTERM");
      await lab.status;
    }
  },
});
