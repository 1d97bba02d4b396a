/**
 * The official Python client of the Tinker protocol against the embedded engine: scripts/engine/conformance.py in the
 * environments of `deno task setup tinker-sdk tinker-sdk-new`. Without them these tests are skipped.
 */
import assert from "node:assert/strict";
import { EngineProcess } from "../../lib/engine/process.ts";

const ENGINE = Deno.env.get("SPADE_ENGINE_PYTHON") ?? ".spade/engine/bin/python";
const VERSIONS = [["tinker-sdk", "0.25.0"], ["tinker-sdk-new", "0.38.0"]];

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

for (const [environment, version] of VERSIONS) {
  const python = `.spade/${environment}/bin/python`;
  const missing = [ENGINE, python].find((path) => !exists(path));
  if (missing) {
    console.log(`skipped: this test needs ${missing}; run deno task setup ${environment}`);
  }
  Deno.test({
    name: `the official tinker package ${version} samples, trains, saves and loads on our engine`,
    ignore: missing !== undefined,
    async fn() {
      const state = await Deno.makeTempDir({ prefix: "spade-sdk-" });
      try {
        await using running = await start(state);
        const { code, stdout, stderr } = await new Deno.Command(python, {
          args: ["-s", "scripts/engine/conformance.py"],
          clearEnv: true,
          env: {
            PATH: "/usr/bin:/bin",
            HOME: state,
            TINKER_BASE_URL: running.url,
            TINKER_API_KEY: "tml-any",
          },
          signal: AbortSignal.timeout(120_000),
        }).output();
        const table = new TextDecoder().decode(stdout);
        console.log(table);
        assert.equal(code, 0, table + new TextDecoder().decode(stderr));
        assert.match(table, new RegExp(`^tinker ${version.replaceAll(".", "\\.")}, `));
        for (const step of ["sample", "forward (no gradient)", "forward_backward, optim_step"]) {
          assert.ok(table.includes(`ok    ${step}`), step);
        }
        // at most the step that needs torch beside the package
        assert.match(table, /^\d\d passed, 0 failed, [01] skipped$/m);
      } finally {
        await Deno.remove(state, { recursive: true });
      }
    },
  });
}

async function start(state: string): Promise<{ url: string } & AsyncDisposable> {
  const server = ["-s", "scripts/engine/server.py", "--model", "data/nano", "--state", state];
  const [engine, { port }] = await EngineProcess.start({
    python: ENGINE,
    args: [...server, "--parent-pid", String(Deno.pid)],
    env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
  });
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
