/** The sandbox in a process of its own: the same port, its permissions, its ends. */
import assert from "node:assert/strict";
import { connectSandbox, launchSandbox, serveSandbox } from "../../lib/sandbox/mod.ts";
import { HOST_VERSION, Wire } from "../../lib/sandbox/host/wire.ts";
import { campaign } from "./fuzz/campaign.ts";
import type { Failure } from "../../lib/core/outcome.ts";
import type { Sandbox } from "../../lib/core/ports.ts";
import {
  alive,
  eventually,
  failureOf,
  killHard,
  outside,
  programOf,
  python,
  sandboxOf,
  value,
  withProcess,
} from "./helper.ts";

const root = new URL("../..", import.meta.url).pathname;
const HANG = programOf({ step: "while True: pass" });
const GOOD = programOf({
  reset: "self.rng = random.Random(seed)\nreturn str(self.rng.random()), {'é': [1, 2.5, None]}",
  step: "return action + str(self.rng.random()), 0.5, False, len(action) > 3, {}",
  extra: "    def solution(self): return ['a', 'b']",
});

async function transcript(sandbox: Sandbox): Promise<string> {
  const started = await sandbox.start(GOOD, { maxTurns: 3 });
  await using process = value(started);
  const seen: unknown[] = [process.maxTurns, await process.reset(7)];
  for (const action of ["x", "\ud800", "\0é😀", ""]) seen.push(await process.step(action));
  seen.push(await process.solution(), await process.reset(8, { fresh: true }));
  return JSON.stringify(seen);
}

/** A host in this process and a client of it. */
async function together(work: (client: Sandbox, path: string, own: Sandbox) => Promise<void>) {
  const folder = await Deno.makeTempDir();
  {
    await using own = await sandboxOf();
    await using host = await serveSandbox(own, `${folder}/host.sock`);
    await using client = await connectSandbox(host.path);
    await work(client, host.path, own);
  }
  await Deno.remove(folder, { recursive: true });
}

/** The host's task, with the grants that it has there. */
function hostTask(path: string, without = "nothing"): Deno.ChildProcess {
  const grants = [
    "--allow-env=SPADE_HOST,SPADE_SANDBOX_PYTHON",
    `--allow-read=${path}`,
    `--allow-write=${path}`,
    `--allow-net=unix:${path}`,
    `--allow-run=${python}`,
  ].filter((grant) => !grant.includes(without));
  return new Deno.Command("deno", {
    args: [
      ...["run", "-q", "--no-prompt", "--no-check", "--config", `${root}deno.json`, ...grants],
      `${root}scripts/sandbox_host.ts`,
    ],
    env: { SPADE_HOST: path, SPADE_SANDBOX_PYTHON: python, NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function firstLine(child: Deno.ChildProcess): Promise<string> {
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return new TextDecoder().decode(value);
}

Deno.test("a client sees what the sandbox itself gives", async () => {
  await together(async (client, _path, own) => {
    assert.equal(client.level, own.level);
    assert.deepEqual(client.layers, own.layers);
    const expected = await transcript(own);
    assert.doesNotMatch(expected, /failed/);
    const all = await Promise.all(Array.from({ length: 100 }, () => transcript(client)));
    assert.deepEqual(new Set(all), new Set([expected]));
    for (const source of ["class AEnv: pass\nimport os", "class A\n"]) {
      assert.deepEqual(await client.parse(source), await own.parse(source));
    }
    const limits = { requestCpuSeconds: 0.2, requestSeconds: 2 };
    const steps = [
      "1 / 0",
      "while True: pass",
      "import os; os._exit(3)",
      "import os; os.write(3, b'\\xff' * 64)",
      "return 'x'",
      "print('x' * (1 << 21))\nreturn 'o', 0.0, False, False, {}",
      "bytearray(1 << 40)",
    ];
    const figures = ({ blame, reason, detail }: Failure) =>
      [blame, reason, detail?.replaceAll(/[0-9.]+/g, "N")].join(" ");
    for (const step of steps) {
      const through = await failureOf(client, programOf({ step }), { limits });
      const direct = await failureOf(own, programOf({ step }), { limits });
      assert.equal(figures(through), figures(direct));
      assert.equal(through.blame, "designer");
    }
    const long = await client.start(`${GOOD}#${"x".repeat(1 << 20)}`);
    assert.deepEqual(long, await own.start(`${GOOD}#${"x".repeat(1 << 20)}`));
    const echo = programOf({ step: "return action, 0.0, False, False, {'a': 'é' * 10000}" });
    await withProcess(client, echo, async (process) => {
      await assert.rejects(process.step("x".repeat(65537)), RangeError);
      const longest = "\0".repeat(65536);
      assert.equal(value(await process.step(longest)).observation, longest);
    });
    await assert.rejects(client.start(GOOD, { limits: { seconds: -1 } }), RangeError);
  });
});

Deno.test("the play ends with its connection: aborted, disposed, or cut", async () => {
  await together(async (client, path) => {
    const limits = { requestCpuSeconds: 60, cpuSeconds: 60 };
    const busy = async (signal?: AbortSignal) => {
      const process = value(await client.start(HANG, { limits, signal }));
      value(await process.reset(1));
      return { process, step: process.step("x") };
    };
    const controller = new AbortController();
    const aborted = await busy(controller.signal);
    controller.abort(new Error("enough"));
    const first = await aborted.step;
    assert.ok(first.kind === "failed" && first.reason === "aborted", JSON.stringify(first));
    const disposed = await busy();
    await disposed.process[Symbol.asyncDispose]();
    const second = await disposed.step;
    assert.ok(second.kind === "failed" && second.reason === "closed", JSON.stringify(second));
    const starting = client.start(programOf({ init: "import time; time.sleep(60)" }), {
      signal: AbortSignal.timeout(200),
    });
    await assert.rejects(starting, { name: "TimeoutError" });
    const wire = new Wire(await Deno.connect({ transport: "unix", path }));
    await wire.receive();
    await wire.send({ i: 0, op: "parse", source: "x".repeat(100_000) });
    wire.close();
    await aborted.process[Symbol.asyncDispose]();
    const { pids } = await alive();
    await eventually("only the pool", async () => (await alive()).pids.length <= 2 + 4);
    assert.ok(pids.length > 0);
  });
});

Deno.test("who breaks the protocol loses the connection, and only that", async () => {
  await together(async (client, path) => {
    const start = { i: 0, op: "start", source: GOOD, limits: limitsOf(5) };
    const noise: [string, (wire: Wire, raw: Deno.Conn) => Promise<unknown>][] = [
      ["too long", (_, raw) => raw.write(new Uint8Array([255, 255, 255, 255]))],
      ["cut", async (_, raw) => {
        await raw.write(new Uint8Array([9, 0, 0, 0, 123]));
        await (raw as Deno.UnixConn).closeWrite();
      }],
      ["not JSON", (_, raw) => raw.write(new Uint8Array([1, 0, 0, 0, 123]))],
      ["not UTF-8", (_, raw) => raw.write(new Uint8Array([1, 0, 0, 0, 255]))],
      ["unknown request", (wire) => wire.send({ i: 0, op: "exec" })],
      ["surplus key", (wire) => wire.send({ ...start, python: "/bin/sh" })],
      ["infinite limit", (wire) => wire.send({ ...start, limits: limitsOf(null) })],
      ["no limit", (wire) => wire.send({ ...start, limits: {} })],
      ["two at once", async (wire) => {
        await wire.send(start);
        await wire.send({ i: 1, op: "solution" });
        await wire.receive().catch(() => null); // the first one's reply, if it was fast
      }],
    ];
    for (const [name, make] of noise) {
      const raw = await Deno.connect({ transport: "unix", path });
      const wire = new Wire(raw);
      assert.ok(await wire.receive());
      await make(wire, raw).catch(() => {});
      const end = await wire.receive().catch(() => null);
      assert.equal(end, null, `${name}: ${end && new TextDecoder().decode(end)}`);
      wire.close();
    }
    const raw = await Deno.connect({ transport: "unix", path });
    const wire = new Wire(raw);
    await wire.receive();
    await wire.send({ i: 3, op: "step", action: "x" });
    const early = JSON.parse(new TextDecoder().decode((await wire.receive())!));
    assert.deepEqual([early.i, early.result.blame, early.result.reason], [3, "host", "protocol"]);
    wire.close();
    assert.doesNotMatch(await transcript(client), /failed/);
  });
});

function limitsOf(seconds: number | null) {
  return {
    requestCpuSeconds: seconds,
    requestSeconds: seconds,
    cpuSeconds: seconds,
    seconds,
    memoryMb: 64,
  };
}

Deno.test("a host of another version, or something else, is named", async () => {
  const folder = await Deno.makeTempDir();
  const said: [unknown, RegExp][] = [
    [{ version: HOST_VERSION + 1, level: "new" }, /version is 2, must be 1; start it anew/],
    [{ version: HOST_VERSION, level: "none" }, /Cannot talk to the sandbox host/],
    ["hello", /Cannot talk to the sandbox host/],
  ];
  for (const [index, [hello, message]] of said.entries()) {
    const path = `${folder}/${index}.sock`;
    using listener = Deno.listen({ transport: "unix", path });
    const serving = listener.accept().then(async (connection) => {
      await new Wire(connection).send(hello);
      return connection;
    });
    await assert.rejects(connectSandbox(path), { name: "SandboxError", message });
    (await serving).close();
  }
  await assert.rejects(connectSandbox(`${folder}/none.sock`), /deno task sandbox-host/);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("one host a socket; one that was killed is followed, a path that is too long refused", async () => {
  await together(async (client, path, own) => {
    await assert.rejects(serveSandbox(own, path), /another sandbox host does/);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    const stale = path.replace("host", "stale");
    await outside("import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", stale);
    await using _second = await serveSandbox(own, stale);
    await using other = await connectSandbox(stale);
    assert.equal(await transcript(other), await transcript(client));
    await assert.rejects(serveSandbox(own, `/tmp/${"x".repeat(120)}`), /at most 107 bytes/);
  });
});

Deno.test("a client needs the socket's grants and no other; the host each of its own", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/host.sock`;
  for (const grant of ["env", "read", "write", "net", "run"]) {
    const { code, stderr } = await hostTask(path, `--allow-${grant}`).output();
    assert.notEqual(code, 0, grant);
    assert.match(new TextDecoder().decode(stderr), /NotCapable|Requires/, grant);
  }
  const host = hostTask(path);
  assert.match(await firstLine(host), /^sandbox level: .*; listening at /);
  const code = `
import { connectSandbox } from "${root}lib/sandbox/mod.ts";
await using sandbox = await connectSandbox(${JSON.stringify(path)});
const started = await sandbox.start(${JSON.stringify(GOOD)});
console.log((await started.value.reset(7)).kind, (await started.value.step("x")).kind);
await started.value[Symbol.asyncDispose]();`;
  const client = new Deno.Command("deno", {
    args: [
      ...["run", "-q", "--no-prompt", "--no-check", "--config", `${root}deno.json`],
      ...[`--allow-read=${path}`, `--allow-write=${path}`, `--allow-net=unix:${path}`, "-"],
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = client.stdin.getWriter();
  await writer.write(new TextEncoder().encode(code));
  await writer.close();
  assert.equal(new TextDecoder().decode((await client.output()).stdout).trim(), "ok ok");
  host.kill("SIGTERM");
  await host.output();
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a host killed hard leaves nothing, and its clients typed outcomes", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/host.sock`;
  const host = hostTask(path);
  await firstLine(host);
  await using client = await connectSandbox(path);
  const busy = value(await client.start(HANG, { limits: { requestCpuSeconds: 60 } }));
  value(await busy.reset(1));
  const idle = value(await client.start(GOOD));
  const pending = busy.step("x");
  const starting = client.start(programOf({ init: "import time; time.sleep(60)" }));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { pids } = await alive();
  assert.ok(pids.length >= 5, `${pids}`);
  await killHard(host.pid);
  const killed = performance.now();
  const outcomes = [await pending, await starting, await idle.reset(1), await idle.solution()];
  outcomes.push(await client.start(GOOD) as Failure);
  assert.deepEqual(
    outcomes.map((one) => one.kind === "ok" ? "ok" : `${one.blame} ${one.reason}`),
    Array(5).fill("host host"),
  );
  assert.ok(performance.now() - killed < 2000);
  await eventually("nothing left", async () => {
    const now = await outside(
      "import os,sys; print([p for p in sys.argv[1:] if os.path.exists('/proc/'+p)])",
      ...pids.filter((pid) => pid !== host.pid).map(String),
    );
    return now === "[]";
  });
  await host.output();
  await Promise.all([busy[Symbol.asyncDispose](), idle[Symbol.asyncDispose]()]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("launchSandbox() starts a host, uses one that runs, and ends its own", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/host.sock`;
  const before = await alive();
  {
    await using first = await launchSandbox({ path, python });
    // other sandboxes of this checkout may hold them all
    assert.match(String(first.layers.sockets), /^true$|^all 8 sockets are taken$/);
    const hosts = async () => {
      const { parents } = await alive();
      return Object.values(parents).filter((parent) => parent === Deno.pid).length;
    };
    const own = await hosts();
    await using second = await launchSandbox({ path, python });
    assert.equal(await hosts(), own);
    assert.equal(await transcript(second), await transcript(first));
  }
  await eventually("nothing left", async () => (await alive()).pids.length === before.pids.length);
  assert.ok((await alive()).files <= before.files);
  await assert.rejects(
    launchSandbox({ path, python: "/nowhere/python" }),
    /Cannot start a sandbox host: .*nowhere/s,
  );
  await Deno.remove(folder, { recursive: true });
});

Deno.test("200 mutants through a host: typed outcomes in time, nothing left", async () => {
  const seed = Number(Deno.env.get("SPADE_FUZZ_SEED") || Math.floor(Date.now() / 1000));
  await together(async (client) => {
    const seen = await campaign([client], { seed, plays: 200, poolSize: 4, rounds: 2 });
    const { faults, leaks } = seen;
    assert.deepEqual({ seed, faults, leaks }, { seed, faults: [], leaks: [] });
  });
});
