/** `--sandbox-packages`: what more programs may import, and what a missing module is. */
import assert from "node:assert/strict";
import { checkProgram } from "../../lib/gates/mod.ts";
import type { Sandbox } from "../../lib/core/ports.ts";
import { failureOf, programOf, python, sandboxOf, value, withProcess } from "./helper.ts";

const IMPORTS = programOf({
  head: "from primes import PRIMES",
  step: "return str(PRIMES), 0.0, False, False, {}",
});

/** A folder whose packages the sandbox's Python finds: a virtual environment beside its own. */
async function withPackages<T>(
  files: Record<string, string>,
  work: (python: string) => Promise<T>,
) {
  const folder = await Deno.makeTempDir();
  try {
    const made = await new Deno.Command(python, {
      args: ["-m", "venv", "--system-site-packages", "--without-pip", folder],
    }).output();
    assert.ok(made.success, new TextDecoder().decode(made.stderr));
    let site = "";
    for await (const { name } of Deno.readDir(`${folder}/lib`)) {
      site = `${folder}/lib/${name}/site-packages`;
    }
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${site}/${name}`, text);
    }
    return await work(`${folder}/bin/python`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const gate = (sandbox: Sandbox, source: string) =>
  checkProgram(source, {
    sandbox,
    limits: { requestCpuSeconds: 0.5 },
    maxTurns: 4,
    until: "contract",
  });

Deno.test("a module is there when it is asked for, and a named verdict when it is not", async () => {
  await withPackages({ "primes.py": "PRIMES = [2, 3, 5]\n" }, async (python) => {
    await using without = await sandboxOf({ python });
    const failure = await failureOf(without, IMPORTS);
    assert.equal(failure.blame, "designer");
    assert.match(failure.detail ?? "", /No module named 'primes'/);
    const { accepted, verdicts } = await gate(without, IMPORTS);
    assert.equal(accepted, false);
    assert.match(verdicts.at(-1)?.reason ?? "", /primes/);

    await using having = await sandboxOf({ python, packages: ["primes"] });
    assert.equal(having.level, without.level);
    await withProcess(having, IMPORTS, async (process) => {
      assert.equal(value(await process.step("x")).observation, "[2, 3, 5]");
    });
    assert.ok((await gate(having, IMPORTS)).accepted);
    const other = await failureOf(having, "import requests\n");
    assert.match(other.detail ?? "", /No module named 'requests'/);
  });
});

Deno.test("a package may print; one that is missing or starts a thread is refused by name", async () => {
  await assert.rejects(sandboxOf({ packages: ["no_such_module"] }), {
    name: "SandboxError",
    message: /no_such_module is missing in Python .* must be installed/,
  });
  await assert.rejects(sandboxOf({ packages: ["primes"], level: "wasm" }), { name: "UsageError" });
  for (const name of ["../x", "a b", "", "a."]) {
    await assert.rejects(sandboxOf({ packages: [name] }), { name: "UsageError" });
  }
  const files = {
    "loud.py": "print('hello', flush=True)\nVALUE = 7\n",
    "threaded.py":
      "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n",
  };
  await withPackages(files, async (python) => {
    await using sandbox = await sandboxOf({ python, packages: ["loud"] });
    const source = programOf({
      step: "import loud; return str(loud.VALUE), 0.0, False, False, {}",
    });
    await withProcess(sandbox, source, async (process) => {
      assert.equal(value(await process.step("x")).observation, "7");
    });
    await assert.rejects(sandboxOf({ python, packages: ["threaded"] }), /threaded starts a thread/);
  });
});
