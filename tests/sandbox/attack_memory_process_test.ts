/** What a program finds in its own process: nothing of the host's and nothing of other plays. */
import assert from "node:assert/strict";
import { levelWith, python, sandboxOf, value } from "./helper.ts";

for (const sockets of [undefined, null]) {
  const way = sockets === null ? "relayed" : "connected";
  Deno.test(`a program finds no environment, no arguments and no other play in its memory, ${way}`, () =>
    searched(sockets));
}

async function searched(sockets: null | undefined): Promise<void> {
  const secret = "SECRET" + "0123456789";
  await using sandbox = await sandboxOf({ poolSize: 2, sockets });
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
            lib.getauxval.restype = c.c_ulong
            chance = lib.getauxval(25) - end  # AT_RANDOM: 16 bytes of the kernel's, which can look like anything
            if 0 <= chance < len(stack): stack = stack[:chance] + bytes(16) + stack[chance + 16:]
        text = "%s %s %s" % (bool(c), found, [s for s in stack.split(b"\\0") if b"=" in s and s.split(b"=")[0].isalpha()])
        return text, 0.0, False, False, {}
`;
  for (let round = 0; round < 4; round++) {
    await using process = value(await sandbox.start(search));
    assert.equal(value(await process.reset(1)).observation, "{}");
    const seen = value(await process.step("x")).observation;
    assert.match(seen, /^True 0 \[(b'PYTHONHASHSEED=0')?\]$/);
  }
}

Deno.test("Deno's permission to run this Python is all that is needed", async () => {
  const run = (...permissions: string[]) => levelWith(`{ python: "${python}" }`, ...permissions);
  assert.match(await run(`--allow-run=${python}`), /full|seccomp/);
  assert.match(await run(), /NotCapable/);
});
