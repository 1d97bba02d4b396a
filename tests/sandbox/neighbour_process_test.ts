/** What one play can do to the others of its zygote, to the zygote and to the host: nothing. */
import assert from "node:assert/strict";
import { programOf, sandboxOf, value, withProcess } from "./helper.ts";
import type { EnvironmentProcess } from "../../lib/core/ports.ts";

const ECHO = programOf({
  init: "self.turns = 0",
  step: "self.turns += 1\nreturn '%d %s' % (self.turns, action), 0.0, False, False, {}",
});

/** A program that answers its first step itself, by `write`, and then does `after`. */
function answering(write: string, after: string): string {
  return programOf({
    head: `
import os, struct, time
def frame(info=b"", observation=b""):
    body = b'{"i":2,"observation":"%s","reward":0,"terminated":false,"truncated":false,"info":{%s}}' % (observation, info)
    return struct.pack("<I", len(body)) + body
def send(data):
    while data: data = data[os.write(3, data):]
`,
    step: `${write}\n${after}`,
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

Deno.test("a request to a play that closed its socket never reaches the play that got its descriptor", async () => {
  const closing = answering("send(frame())\nos.close(3)", "time.sleep(9)");
  for (const poolSize of [0, 1]) {
    await using sandbox = await sandboxOf({ poolSize });
    await using gone = value(await sandbox.start(closing));
    value(await gone.reset(1));
    value(await gone.step("x"));
    const others: EnvironmentProcess[] = [];
    for (let i = 0; i < 2; i++) others.push(value(await sandbox.start(ECHO)));
    for (const other of others) value(await other.reset(1));
    const late = gone.step("from another play");
    await pause(30);
    for (const other of others) assert.equal(value(await other.step("mine")).observation, "1 mine");
    const failure = await late;
    assert.ok(failure.kind === "failed" && failure.blame === "designer", JSON.stringify(failure));
    for (const other of others) await other[Symbol.asyncDispose]();
  }
});

const SEARCH = `
import sys
def ctypes_of():
    frame, seen = sys._getframe(), []
    while frame:
        seen.append(frame.f_globals)
        frame = frame.f_back
    for names in seen:
        for value in list(names.values()):
            found = getattr(value, "__globals__", None) or (vars(value) if type(value) is type(sys) else None)
            if isinstance(found, dict):
                if "ctypes" in found: return found["ctypes"]
                if len(seen) < 2000 and not any(found is s for s in seen): seen.append(found)
def heap():
    """What malloc has from brk, also what is free: downwards, as long as the kernel can read it."""
    c = ctypes_of()
    lib = c.CDLL(None, use_errno=True)
    lib.sbrk.restype = c.c_void_p
    top = low = lib.sbrk(c.c_long(0)) & ~4095
    def readable(address):
        c.set_errno(0)
        lib.syscall(c.c_long(14), c.c_long(99), c.c_void_p(address), c.c_void_p(0), c.c_long(8))
        return c.get_errno() != 14
    while top - low < 8 << 20 and readable(low - 4096): low -= 4096
    return c.string_at(low, top - low)
`;

Deno.test("what travelled in several pieces is not left in the memory of a later play", async () => {
  await using sandbox = await sandboxOf({ poolSize: 0 });
  const marker = "MARKER7777";
  const pieces = answering(
    `data = frame(observation=b"${marker}" * 5000)\nsend(data[:20000])\ntime.sleep(.05)\nsend(data[20000:])`,
    "time.sleep(9)",
  );
  await withProcess(
    sandbox,
    pieces,
    async (process) =>
      assert.equal(value(await process.step("x")).observation.length, marker.length * 5000),
  );
  const searching = programOf({
    head: SEARCH,
    step:
      'data = heap()\nreturn "%d %d" % (len(data) > 100000, data.count(bytes(b - 1 for b in b"NBSLFS8888"))), 0.0, False, False, {}',
  });
  await withProcess(
    sandbox,
    searching,
    async (process) => assert.equal(value(await process.step("x")).observation, "1 0"),
  );
});

Deno.test("CPU time used between two requests counts for the later one and ends an idle play", async () => {
  await using sandbox = await sandboxOf();
  const working = answering(
    "send(frame())\nwhile time.process_time() < .5: pass",
    "os.read(3, 65536)\nsend(frame().replace(b'\"i\":2', b'\"i\":3'))\ntime.sleep(9)",
  );
  const limits = { requestCpuSeconds: 0.2 };
  await withProcess(sandbox, working, async (process) => {
    value(await process.step("x"));
    await pause(900);
    const failure = await process.step("x");
    assert.ok(failure.kind === "failed", "was let go on");
    assert.equal(`${failure.blame} ${failure.reason}`, "designer deadline", failure.detail);
    assert.match(failure.detail ?? "", /request used 0\.\d+ s CPU/);
  }, { limits });
});

Deno.test("a request longer than the socket holds arrives, also where each character takes six", async () => {
  await using sandbox = await sandboxOf();
  const long = `${programOf({ step: "return str(len(action)), 0.0, False, False, {}" })}\n#${
    "\x01".repeat(120_000)
  }`;
  await withProcess(sandbox, long, async (process) => {
    for (const size of [65536, 3, 65536]) {
      assert.equal(value(await process.step("\x01".repeat(size))).observation, String(size));
    }
  });
});

Deno.test("a play that answers without reading is ended once its socket is full", async () => {
  await using sandbox = await sandboxOf();
  const blind = answering(
    "for i in range(2, 40):\n    send(frame().replace(b'\"i\":2,', b'\"i\":%d,' % i)); time.sleep(.02)",
    "time.sleep(9)",
  );
  await withProcess(sandbox, blind, async (process) => {
    for (let turn = 0; turn < 30; turn++) {
      const stepped = await process.step("x".repeat(65536));
      if (stepped.kind === "ok") continue;
      assert.equal(`${stepped.blame} ${stepped.reason}`, "designer protocol");
      return;
    }
    assert.fail("never ended");
  });
});

Deno.test("a forged reply larger than the contract allows is refused", async () => {
  await using sandbox = await sandboxOf();
  for (
    const info of [
      'b\'"a":[\' + b"1," * 500000 + b"1]"',
      'b\'"a":"\' + b"x" * 900000 + b\'"\'',
      'b\'"a":\' + b"[" * 400000 + b"]" * 400000',
      'b",".join(b\'"%d":1\' % i for i in range(90000))',
    ]
  ) {
    await withProcess(
      sandbox,
      answering(`send(frame(${info}))`, "time.sleep(9)"),
      async (process) => {
        const stepped = await process.step("x");
        assert.ok(stepped.kind === "failed", info);
        assert.equal(`${stepped.blame} ${stepped.reason}`, "designer protocol", info);
        assert.ok((stepped.detail ?? "").length <= 500);
      },
    );
  }
});
