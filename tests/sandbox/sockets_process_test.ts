/** How plays reach their child: a connection each where that is allowed, else one pipe for all, and it is said which. */
import assert from "node:assert/strict";
import { alive, failureOf, killHard, programOf, python, sandboxOf } from "./helper.ts";
import { eventually, value, withProcess } from "./helper.ts";
import type { Sandbox } from "../../lib/core/ports.ts";

const GOOD = programOf({
  reset: "self.rng = random.Random(seed)\nreturn str(self.rng.random()), {}",
  step: "return str(self.rng.random()), 0.0, False, False, {}",
});

async function transcript(sandbox: Sandbox): Promise<string> {
  return await withProcess(sandbox, GOOD, async (process) => {
    const seen: string[] = [];
    for (let turn = 0; turn < 3; turn++) seen.push(value(await process.step("x")).observation);
    return seen.join();
  });
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a play has a connection of its own, from the pool or fresh, and is counted", async () => {
  await withFolder(async (sockets) => {
    await using pooled = await sandboxOf({ sockets });
    await using fresh = await sandboxOf({ sockets, poolSize: 0 });
    assert.equal(pooled.layers.sockets, true);
    assert.equal(await transcript(pooled), await transcript(fresh));
    assert.equal((await failureOf(pooled, programOf({ step: "1 / 0" }))).reason, "exception");
    const { outcomes, starts, open, waiting, cpuSeconds, zygotes } = pooled.statistics();
    assert.deepEqual(outcomes, { closed: 1, "designer exception": 1 });
    assert.deepEqual(starts, { pooled: 2, fresh: 0, relayed: 0 });
    assert.deepEqual([open, waiting], [0, 0]);
    assert.ok(cpuSeconds > 0.0005 && cpuSeconds < 1, `${cpuSeconds}`);
    assert.deepEqual(zygotes, { running: 1, started: 1, replacements: 0 });
    assert.deepEqual(fresh.statistics().starts, { pooled: 0, fresh: 1, relayed: 0 });
  });
});

Deno.test("where no socket is free, allowed or short enough, plays share a pipe and it says so", async () => {
  await withFolder(async (folder) => {
    await using own = await sandboxOf({ sockets: folder });
    const expected = await transcript(own);
    const locks = await Promise.all(Array.from({ length: 8 }, async (_, slot) => {
      const lock = await Deno.open(`${folder}/${slot}.lock`, { create: true, write: true });
      return await lock.tryLock(true) ? lock : lock.close();
    }));
    const long = `${folder}/${"x".repeat(100)}`;
    for (
      const [sockets, reason] of [
        [null, /^not asked for$/],
        [folder, /^all 8 sockets are taken$/],
        [long, /^path of 1\d\d bytes, must be at most 100$/],
        ["/proc/nowhere", /^\/proc\/nowhere: /],
      ] as const
    ) {
      await using relayed = await sandboxOf({ sockets });
      assert.match(String(relayed.layers.sockets), reason);
      assert.equal(await transcript(relayed), expected);
      assert.equal(relayed.statistics().starts.relayed, 1);
    }
    for (const lock of locks) lock?.close();
  });
});

Deno.test("without the grant for its socket a sandbox asks nobody and shares a pipe", async () => {
  const code = `
import { startSandbox } from "${new URL("../../lib/sandbox/mod.ts", import.meta.url)}";
await using sandbox = await startSandbox({ python: "${python}" });
console.log(sandbox.layers.sockets, (await sandbox.start(${JSON.stringify(GOOD)})).kind);`;
  const child = new Deno.Command("deno", {
    args: [
      "run",
      "--no-check",
      "--config",
      new URL("../../deno.json", import.meta.url).pathname,
      `--allow-run=${python}`,
      "-",
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(code));
  await writer.close();
  const text = new TextDecoder().decode((await child.output()).stdout).trim();
  assert.match(text, /^no --allow-net=unix:.*\/\.spade\/s\/\d\.sock ok$|^all 8 .* ok$/);
});

Deno.test("a socket is free again when its zygote was killed hard", async () => {
  await withFolder(async (sockets) => {
    await using sandbox = await sandboxOf({ sockets });
    const before = [...Deno.readDirSync(sockets)].length;
    for (let round = 0; round < 3; round++) {
      await transcript(sandbox);
      const { pids, parents } = await alive();
      const launcher = pids.find((pid) => parents[pid] === Deno.pid)!;
      await killHard(pids.find((pid) => parents[pid] === launcher)!);
      await eventually("gone", async () => !(await alive()).pids.includes(launcher));
    }
    await transcript(sandbox);
    assert.equal([...Deno.readDirSync(sockets)].length, before);
    assert.equal(sandbox.statistics().zygotes.replacements, 3);
  });
});

Deno.test("strangers at the socket disturb no play and leave nothing behind", async () => {
  await withFolder(async (sockets) => {
    await using sandbox = await sandboxOf({ sockets });
    const expected = await transcript(sandbox);
    await eventually("the pool is full", async () => (await alive()).pids.length === 2 + 4);
    const path = `${sockets}/0.sock`;
    const strangers = await Promise.all(
      Array.from({ length: 20 }, () => Deno.connect({ transport: "unix", path })),
    );
    for (const stranger of strangers.slice(10)) await stranger.write(new Uint8Array(64).fill(255));
    assert.equal(await transcript(sandbox), expected);
    for (const stranger of strangers) stranger.close();
    await eventually("only ours", async () => (await alive()).pids.length === 2 + 4);
    assert.equal(await transcript(sandbox), expected);
  });
});

Deno.test("a play may have more memory and CPU than the sandbox's own limits, or less", async () => {
  const eat = programOf({ step: 'x = bytearray(200 << 20)\nreturn "ate", 0.0, False, False, {}' });
  for (const poolSize of [0, 2]) {
    await using sandbox = await sandboxOf({ poolSize, limits: { memoryMb: 128, cpuSeconds: 5 } });
    for (
      const [memoryMb, enough] of [[64, false], [300, true], [128, false], [300, true]] as const
    ) {
      const limits = { memoryMb, cpuSeconds: memoryMb / 20 };
      if (enough) {
        await withProcess(sandbox, eat, async (one) => void value(await one.step("x")), { limits });
      } else {
        assert.equal((await failureOf(sandbox, eat, { limits })).reason, "memory");
      }
    }
  }
});

Deno.test("a relayed play breaks the protocol, hangs and crashes as one with a connection does", async () => {
  const head = "import os, time\n";
  const cases = [
    [
      "protocol",
      'os.write(3, b"\\x07\\0\\0\\0" + b\'{"i":9}\')\nreturn "o", 0.0, False, False, {}',
    ],
    ["protocol", 'os.write(3, b"\\xff\\xff\\xff\\x7f" + b"x" * 100)\ntime.sleep(60)'],
    ["protocol", "while True: os.write(3, b'\\x07\\0\\0\\0{\"i\":9}' * 1000)"],
    ["deadline", "while True: pass"],
    ["deadline", "time.sleep(60)"],
    ["crash", "os._exit(70)"],
    ["crash", "os.close(3)\ntime.sleep(60)"],
  ];
  for (const sockets of [null, undefined]) {
    await using sandbox = await sandboxOf({ sockets });
    for (const [reason, step] of cases) {
      const limits = { requestCpuSeconds: 0.2, requestSeconds: 1 };
      const failure = await failureOf(sandbox, programOf({ head, step }), { limits });
      assert.equal(`${failure.blame} ${failure.reason}`, `designer ${reason}`, failure.detail);
    }
    assert.equal(await transcript(sandbox), await transcript(sandbox));
  }
});

Deno.test("a zygote that has had its plays is replaced, and those it still has go on", async () => {
  await using sandbox = await sandboxOf({ playsPerZygote: 5 });
  const first = await transcript(sandbox);
  await withProcess(sandbox, GOOD, async (lasting) => {
    value(await lasting.step("x"));
    for (let play = 0; play < 12; play++) assert.equal(await transcript(sandbox), first);
    await eventually(
      "one more",
      () => Promise.resolve(sandbox.statistics().zygotes.started > 1),
      30_000,
    );
    assert.equal(await transcript(sandbox), first);
    value(await lasting.step("x"));
  });
  assert.ok(sandbox.statistics().zygotes.replacements >= 1);
  await transcript(sandbox);
  await eventually("the old one is gone", async () => {
    await transcript(sandbox);
    return (await alive()).pids.length <= 2 * 2 + 2 * 4;
  });
});

Deno.test("a crowd of plays gets a second zygote, up to one a core", async () => {
  await using sandbox = await sandboxOf();
  await Promise.all(Array.from({ length: 120 }, () => transcript(sandbox)));
  const { started } = sandbox.statistics().zygotes;
  assert.ok(started >= 1 && started <= Math.min(4, navigator.hardwareConcurrency), `${started}`);
  assert.equal(sandbox.statistics().outcomes.closed, 120);
});

Deno.test("a program that needs math_verify has it, sympy and numpy", async () => {
  await using sandbox = await sandboxOf({ poolSize: 1 });
  const source = programOf({
    head: "import sympy\nfrom math_verify import parse, verify\n",
    step: [
      'same = verify(parse("$\\\\frac{1}{2}$"), parse(action))',
      'x = sympy.symbols("x")',
      'return str(sympy.factor(x**2 - 1)), float(same), False, False, {"n": int(np.arange(3).sum())}',
    ].join("\n"),
  });
  const started = await sandbox.start(source);
  if (started.kind !== "ok" && started.detail?.includes("math_verify is missing")) {
    console.log(`skipped: ${started.detail}`);
    return;
  }
  await using play = value(started);
  value(await play.reset(1));
  const right = value(await play.step("$0.5$"));
  assert.deepEqual([right.observation, right.reward, right.info], ["(x - 1)*(x + 1)", 1, { n: 3 }]);
  assert.equal(value(await play.step("$0.6$")).reward, 0);
});
