import assert from "node:assert/strict";
import { startSandbox } from "../../lib/sandbox/mod.ts";
import { SandboxError } from "../../lib/core/errors.ts";
import { outside, programOf, sandboxOf, value, withProcess } from "./helper.ts";
import type { SandboxOptions } from "../../lib/sandbox/mod.ts";

const root = await outside("import os; print(os.getuid())") === "0";
type Without = NonNullable<SandboxOptions["without"]>;

async function levelOf(without: Without): Promise<string> {
  await using sandbox = await sandboxOf({ without, minIsolation: "seccomp" });
  await withProcess(sandbox, programOf(), async (process) => void value(await process.step("x")));
  return sandbox.level;
}

Deno.test("the level is what was observed, not what was asked for", async () => {
  const below = root ? "uid+landlock+seccomp" : "landlock+seccomp";
  const natural = await levelOf([]);
  assert.ok(natural === "full" || natural === below, natural);
  assert.equal(await levelOf(["namespaces"]), below);
  assert.equal(await levelOf(["namespaces", "chroot", "user"]), "landlock+seccomp");
  assert.equal(await levelOf(["namespaces", "chroot", "user", "landlock"]), "seccomp");
});

Deno.test("each layer says whether it stands, or why not", async () => {
  await using sandbox = await sandboxOf({ without: ["namespaces"], minIsolation: "seccomp" });
  assert.equal(sandbox.layers.seccomp, true);
  assert.equal(sandbox.layers.namespaces, "switched off");
  assert.equal(sandbox.layers.landlock, true);
});

Deno.test("without the filter nothing runs, whatever the least level", async () => {
  await assert.rejects(
    sandboxOf({ without: ["seccomp"], minIsolation: "seccomp" }),
    (error) =>
      error instanceof SandboxError && /isolation is refused.*seccomp: /.test(error.message),
  );
});

Deno.test("below the least level nothing runs", async () => {
  await assert.rejects(
    sandboxOf({ without: ["namespaces"], minIsolation: "full" }),
    /isolation is .*, must be at least full \(namespaces: switched off/,
  );
  await assert.rejects(
    sandboxOf({ without: ["namespaces", "chroot", "user", "landlock"] }),
    /isolation is seccomp, must be at least landlock\+seccomp/,
  );
});

Deno.test("a Python that does not run is a SandboxError that says so", async () => {
  await assert.rejects(
    sandboxOf({ folder: "/nowhere" }),
    (error) => error instanceof SandboxError && /launcher\.py/.test(error.message),
  );
});

Deno.test("a Python that is not there is refused", async () => {
  await assert.rejects(startSandbox({ python: "/nowhere/python" }), /python|NotCapable/);
});
