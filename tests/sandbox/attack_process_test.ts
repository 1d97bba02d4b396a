/**
 * The attack programs of attacks.json (each defines `attack()`), run as a step. The outcome of each is compared with
 * what may be seen: a harmless answer that matches `harmless`, or the named failure.
 */
import assert from "node:assert/strict";
import { alive, outside, python, sandboxOf, value } from "./helper.ts";
import type { SandboxOptions } from "../../lib/sandbox/mod.ts";

interface Attack {
  name: string;
  code: string;
  /** Allowed answers of the program, as a regular expression over its repr. */
  harmless?: string;
  /** Allowed failure reasons. */
  failures?: string[];
}

const attacks: Attack[] = JSON.parse(
  Deno.readTextFileSync(new URL("./attacks.json", import.meta.url)),
).attacks;

function wrap(code: string): string {
  return `
import os, sys
${code}
class Env:
    def __init__(self): pass
    def reset(self, seed=None): return "", {}
    def step(self, a):
        try: text = repr(attack())[:900]
        except Exception as e: text = ("EXC %r" % (e,))[:300]
        return text, 0.0, False, False, {}
`;
}

async function contained(options: Partial<SandboxOptions>): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let connections = 0;
  (async () => {
    for await (const connection of listener) {
      connections += 1;
      connection.close();
    }
  })().catch(() => {});
  const port = String((listener.addr as Deno.NetAddr).port);
  await using sandbox = await sandboxOf(options);
  const limits = { requestCpuSeconds: 0.5, requestSeconds: 1.5, memoryMb: 200 };
  await using sibling = value(
    await sandbox.start('class AEnv:\n    def reset(self, seed): return "alive", {}\n'),
  );
  for (const attack of attacks) {
    const code = attack.code.replaceAll("HOSTPORT", port).replaceAll("ZYGSOCK", "/run/none")
      .replaceAll("'PPID'", String(Deno.pid));
    const started = await sandbox.start(wrap(code), { limits });
    if (started.kind !== "ok" && started.detail?.includes("numpy is missing")) {
      console.log(`skipped: ${attack.name}: ${started.detail}`);
      continue;
    }
    let seen = started.kind === "ok" ? "" : `failed ${started.reason} ${started.detail}`;
    if (started.kind === "ok") {
      await using process = started.value;
      value(await process.reset(1));
      const stepped = await process.step("x");
      seen = stepped.kind === "ok"
        ? `answer ${stepped.value.observation}`
        : `failed ${stepped.blame} ${stepped.reason} ${stepped.detail}`;
      if (stepped.kind === "ok" && attack.name.startsWith("monkeypatch")) await process.step("x");
    }
    const [kind, ...rest] = seen.split(" ");
    const allowed = kind === "answer"
      ? new RegExp(`^(?:${attack.harmless ?? "$^"})$`, "s").test(rest.join(" "))
      : (attack.failures ?? []).includes(rest[1]) && rest[0] === "designer";
    assert.ok(allowed, `${options.without ?? "all layers"}: ${attack.name}: ${seen}`);
    assert.equal(value(await sibling.reset(1)).observation, "alive", attack.name);
  }
  assert.equal(connections, 0);
  const written =
    "import os; print([n for n in os.listdir('/tmp') if n[0] == 'w' and n[1:].isdigit()]" +
    " + [n for n in os.listdir('/dev/shm') if n == 'x'])";
  assert.equal(await outside(written), "[]");
  assert.deepEqual((await alive()).zombies, []);
  listener.close();
}

Deno.test("every attack program is contained, all layers standing", () => contained({}));

Deno.test("every attack program is contained without namespaces", () =>
  contained({ without: ["namespaces"] }));

Deno.test("every attack program is contained by the filter alone", () =>
  contained({ without: ["namespaces", "chroot", "user", "landlock"], minIsolation: "seccomp" }));

Deno.test("a program finds no environment, no arguments and no other play in its memory", async () => {
  const secret = "SECRET" + "0123456789";
  await using sandbox = await sandboxOf({ poolSize: 2 });
  const talk = 'class AEnv:\n    def reset(self, seed): return "", {}\n' +
    "    def step(self, action): return action, 0.0, False, False, {}\n";
  await using other = value(await sandbox.start(talk));
  value(await other.reset(1));
  value(await other.step(secret));
  const search = `
import gc, sys
def module(name):
    frame, seen = sys._getframe(), []
    while frame:
        seen.append(frame.f_globals)
        frame = frame.f_back
    for names in seen:
        for value in list(names.values()):
            found = getattr(value, "__globals__", None) or (vars(value) if type(value) is type(sys) else None)
            if isinstance(found, dict):
                if name in found: return found[name]
                if len(seen) < 2000 and not any(found is s for s in seen): seen.append(found)
class AEnv:
    def reset(self, seed):
        import os
        return repr(dict(os.environ)), {}
    def step(self, action):
        c = module("ctypes")
        word = bytes(b - 1 for b in b"TFDSFU1234")
        import sys
        found, probe = 0, [o for o in gc.get_objects()]
        for o in probe:
            for r in gc.get_referents(o):
                if type(r) in (bytes, bytearray, str):
                    data = r.encode("utf-8", "replace") if type(r) is str else bytes(r)
                    if word in data: found += 1
        stack = b""
        if c:
            lib = c.CDLL(None)
            end = c.c_void_p.in_dll(lib, "__libc_stack_end").value
            stack = c.string_at(end, 4096 - end % 4096)
        text = "%s %s %s" % (bool(c), found, [s for s in stack.split(b"\\0") if b"=" in s and s.split(b"=")[0].isalpha()])
        return text, 0.0, False, False, {}
`;
  for (let round = 0; round < 4; round++) {
    await using process = value(await sandbox.start(search));
    assert.equal(value(await process.reset(1)).observation, "{}");
    const seen = value(await process.step("x")).observation;
    assert.match(seen, /^True 0 \[(b'PYTHONHASHSEED=0')?\]$/);
  }
});

Deno.test("Deno's permission to run this Python is all that is needed", async () => {
  const code = `
import { startSandbox } from "${new URL("../../lib/sandbox/mod.ts", import.meta.url)}";
await using sandbox = await startSandbox({ python: "${python}" });
console.log(sandbox.level);`;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const run = async (...permissions: string[]) => {
    const child = new Deno.Command("deno", {
      args: ["run", "--no-prompt", "--config", config, ...permissions, "-"],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(code));
    await writer.close();
    const { stdout, stderr } = await child.output();
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  };
  assert.match(await run(`--allow-run=${python}`), /full|seccomp/);
  assert.match(await run(), /NotCapable/);
});
