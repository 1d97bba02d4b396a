import assert from "node:assert/strict";
import { alive, failureOf, programOf, sandboxOf, value, withProcess } from "./helper.ts";

const short = { limits: { requestCpuSeconds: 0.2, requestSeconds: 5, memoryMb: 128 } };
const hang = "while True: pass";

Deno.test("a program that raises, leaves, hangs or eats is a named failure, and the next play is clean", async () => {
  await using sandbox = await sandboxOf();
  const cases: [string, string, string, RegExp][] = [
    [
      "raise on import",
      "x = 1 / 0\n",
      "exception",
      /^ZeroDivisionError: division by zero \(line 1\)/,
    ],
    ["syntax", "class AEnv\n", "exception", /^SyntaxError/],
    ["missing module", "import requests\n", "exception", /No module named 'requests'/],
    [
      "raise in init",
      programOf({ init: 'raise ValueError("no")' }),
      "exception",
      /^ValueError: no/,
    ],
    ["raise in reset", programOf({ reset: "return self.x" }), "exception", /AttributeError/],
    [
      "raise in step",
      programOf({ step: "assert False, 'why'" }),
      "exception",
      /AssertionError: why/,
    ],
    ["long message", programOf({ step: "raise ValueError('x' * 10**6)" }), "exception", /x{100}/],
    [
      "hostile message",
      programOf({
        head: "class E(Exception):\n    def __str__(self): raise SystemExit\n",
        step: "raise E()",
      }),
      "exception",
      /^E/,
    ],
    ["hang on import", `${hang}\n`, "deadline", /request used 0\.\d+ s CPU/],
    ["hang in init", programOf({ init: hang }), "deadline", /CPU/],
    ["hang in reset", programOf({ reset: hang }), "deadline", /CPU/],
    ["hang in step", programOf({ step: hang }), "deadline", /CPU/],
    ["hang in C", programOf({ step: "return len(str(10 ** 10 ** 9))" }), "deadline", /CPU/],
    [
      "hang in a regex",
      programOf({
        step: 're.match(r"(a+)+$", "a" * 60 + "b")',
      }),
      "deadline",
      /CPU/,
    ],
    [
      "hang that ignores",
      programOf({
        step: "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
      }),
      "deadline",
      /CPU/,
    ],
    ["os._exit", programOf({ step: "import os; os._exit(3)" }), "crash", /code 3/],
    ["os._exit(0)", programOf({ step: "import os; os._exit(0)" }), "crash", /code 0/],
    ["sys.exit", programOf({ step: "import sys; sys.exit(2)" }), "exception", /SystemExit: 2/],
    ["abort", programOf({ step: "import os; os.abort()" }), "crash", /signal/],
    [
      "recursion",
      programOf({
        head: "def f(n): return f(n + 1)\n",
        step: "f(0)",
      }),
      "exception",
      /RecursionError/,
    ],
    [
      "stack overflow",
      programOf({
        head: "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(n): return str(f(n + 1))\n",
        step: "class A:\n    def __repr__(self): return repr(self)\nrepr(A())",
      }),
      "(crash|exception|memory)",
      /signal 11|RecursionError|MemoryError/,
    ],
    [
      "memory",
      programOf({ step: "x = [bytearray(50 << 20) for _ in range(100)]" }),
      "memory",
      /MemoryError/,
    ],
    [
      "print flood",
      programOf({
        step: 'for _ in range(100): print("x" * (1 << 20))\nreturn "o", 0.0, False, False, {}',
      }),
      "output",
      /printed 104857700 characters/,
    ],
    ["input", programOf({ step: "input()" }), "exception", /RuntimeError|EOFError/],
  ];
  for (const [name, source, reason, detail] of cases) {
    const failure = await failureOf(sandbox, source, short);
    const seen = `${failure.blame} ${failure.reason}`;
    assert.match(seen, new RegExp(`^designer ${reason}$`), `${name}: ${failure.detail}`);
    assert.match(failure.detail ?? "", detail, name);
    assert.ok((failure.detail ?? "").length <= 2100, name);
    await withProcess(sandbox, programOf(), async (process) => void value(await process.step("x")));
  }
});

Deno.test("a program that sleeps is ended by wall time, one that works slowly within its CPU time is not", async () => {
  await using sandbox = await sandboxOf();
  const sleeping = programOf({ step: "import time; time.sleep(60)" });
  const failure = await failureOf(sandbox, sleeping, { limits: { requestSeconds: 0.4 } });
  assert.equal(`${failure.blame} ${failure.reason}`, "designer deadline");
  assert.match(failure.detail ?? "", /request took 0\.\d+ s/);
  const resting = programOf({
    step: 'import time; time.sleep(.5)\nreturn "o", 0.0, False, False, {}',
  });
  await withProcess(sandbox, resting, async (process) => void value(await process.step("x")), {
    limits: { requestCpuSeconds: 0.2 },
  });
});

Deno.test("the whole process has a CPU and a wall limit too", async () => {
  await using sandbox = await sandboxOf();
  const source = programOf({
    step: "for i in range(2 * 10 ** 6): pass\n" + 'return "o", 0.0, False, False, {}',
  });
  const until = async (limits: Record<string, number>) => {
    await using process = value(await sandbox.start(source, { limits }));
    value(await process.reset(1));
    for (let turn = 0; turn < 200; turn++) {
      const stepped = await process.step("x");
      if (stepped.kind !== "ok") return stepped;
    }
    assert.fail("never ended");
  };
  assert.match((await until({ cpuSeconds: 0.5 })).detail ?? "", /process used 0\.\d+ s CPU/);
  const idle = value(await sandbox.start(source, { limits: { seconds: 0.3 } }));
  await new Promise((resolve) => setTimeout(resolve, 700));
  const late = await idle.reset(1);
  assert.ok(late.kind === "failed" && late.reason === "deadline", JSON.stringify(late));
  await idle[Symbol.asyncDispose]();
});

Deno.test("after a failure every request gives the same failure", async () => {
  await using sandbox = await sandboxOf();
  await using process = value(await sandbox.start(programOf({ step: "1 / 0" })));
  value(await process.reset(1));
  const first = await process.step("x");
  assert.equal(first.kind, "failed");
  assert.deepEqual(await process.step("x"), first);
  assert.deepEqual(await process.reset(1), first);
});

Deno.test("requests of one process wait for one another", async () => {
  await using sandbox = await sandboxOf();
  const source = programOf({ step: "return action, 0.0, False, False, {}" });
  await withProcess(sandbox, source, async (process) => {
    const replies = await Promise.all(["a", "b", "c"].map((action) => process.step(action)));
    assert.deepEqual(replies.map((reply) => value(reply).observation), ["a", "b", "c"]);
  });
});

Deno.test("an abort ends the process and throws the reason", async () => {
  await using sandbox = await sandboxOf();
  const controller = new AbortController();
  const starting = sandbox.start(programOf({ init: "import time; time.sleep(60)" }), {
    signal: controller.signal,
  });
  setTimeout(() => controller.abort(new Error("enough")), 200);
  await assert.rejects(starting, /enough/);
  await assert.rejects(
    sandbox.start(programOf(), { signal: AbortSignal.abort(new Error("never")) }),
    /never/,
  );
  assert.deepEqual((await alive()).zombies, []);
});

Deno.test("an abort at any moment of a start gives its place back", async () => {
  await using sandbox = await sandboxOf({ concurrency: 1 });
  for (let ticks = 0; ticks < 24; ticks++) {
    const controller = new AbortController();
    const starting = sandbox.start(programOf(), { signal: controller.signal });
    const rejected = assert.rejects(starting, /enough/);
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    controller.abort(new Error("enough"));
    await rejected;
    const next = await sandbox.start(programOf(), { signal: AbortSignal.timeout(5000) });
    await value(next)[Symbol.asyncDispose]();
  }
});

Deno.test("a program or an action that is too long is refused", async () => {
  await using sandbox = await sandboxOf();
  const long = await sandbox.start(`${programOf()}# ${"x".repeat(128 * 1024)}`);
  assert.ok(long.kind === "failed" && long.reason === "contract", JSON.stringify(long));
  await withProcess(sandbox, programOf(), async (process) => {
    await assert.rejects(process.step("x".repeat(65537)), RangeError);
    value(await process.step("x".repeat(65536)));
  });
});

Deno.test("a frame out of protocol ends the play", async () => {
  await using sandbox = await sandboxOf();
  const cases: [string, string][] = [
    [
      "forged second reply",
      'os.write(3, b"\\x07\\0\\0\\0" + b\'{"i":9}\')\nreturn "o", 0.0, False, False, {}',
    ],
    [
      "huge header",
      'os.write(3, b"\\xff\\xff\\xff\\x7f" + b"x" * 100)\nimport time; time.sleep(60)',
    ],
    ["flood", "while True: os.write(3, b'\\x07\\0\\0\\0{\"i\":9}' * 1000)"],
    ["not UTF-8", 'os.write(3, b"\\x02\\0\\0\\0\\xff\\xff")\nimport time; time.sleep(60)'],
    [
      "reward that is infinite",
      'os.write(3, frame(b\'{"i":2,"observation":"","reward":1e999,"terminated":true,"truncated":false,"info":{}}\'))\nimport time; time.sleep(60)',
    ],
  ];
  const head = "import os, struct\ndef frame(b): return struct.pack('<I', len(b)) + b\n";
  for (const [name, step] of cases) {
    const failure = await failureOf(sandbox, programOf({ head, step }), short);
    assert.equal(
      `${failure.blame} ${failure.reason}`,
      "designer protocol",
      `${name}: ${failure.detail}`,
    );
  }
});

Deno.test("a program cannot blame the host", async () => {
  await using sandbox = await sandboxOf();
  for (
    const step of ["import os; os._exit(70)", "import os; os._exit(71)", "import os; os.close(3)"]
  ) {
    const failure = await failureOf(sandbox, programOf({ step }), short);
    assert.equal(failure.blame, "designer", step);
  }
});
