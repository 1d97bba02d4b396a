/**
 * The wasm level: a zero-permission Deno process a play. The attacks are those of wasm_attacks.json; the rest compares
 * transcripts with the kernel level and counts what is left behind.
 */
import assert from "node:assert/strict";
import dgram from "node:dgram";
import {
  alive,
  eventually,
  failureOf,
  levelWith,
  programOf,
  python,
  sandboxOf,
  value,
} from "./helper.ts";
import { type SandboxOptions, startSandbox } from "../../lib/sandbox/mod.ts";
import type { EnvironmentProcess, Sandbox } from "../../lib/core/ports.ts";
import { RELAY_FLAGS } from "../../lib/sandbox/wasm/play.ts";

interface Attack {
  name: string;
  runs: "python" | "javascript";
  /** JavaScript is left in the interpreter. */
  world?: boolean;
  code: string;
  harmless?: string;
  failures?: string[];
  seconds?: number;
}

const attacks: Attack[] = JSON.parse(
  Deno.readTextFileSync(new URL("./wasm_attacks.json", import.meta.url)),
).attacks;

const LIMITS = { requestCpuSeconds: 2, requestSeconds: 60, memoryMb: 64 };

function wasm(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  return startSandbox({ python, level: "wasm", poolSize: 1, deadlineMs: 400_000, ...options });
}

/** Runs the action, seconds and a piece of JavaScript, in a thread of its own; the observation is its answer. */
const HAND_OVER = `
import urllib.parse
HARNESS = """
self.onmessage = async ({ data }) => {
  let text;
  try { text = String(await (async () => { %s })()); }
  catch (error) { text = "EXC " + error.name + ": " + error.message; }
  const head = new Int32Array(data, 0, 2), bytes = new TextEncoder().encode(text.slice(0, 4000));
  new Uint8Array(data, 8).set(bytes);
  head[1] = bytes.length;
  Atomics.store(head, 0, 1);
  Atomics.notify(head, 0);
};
"""
class HandEnv:
    def reset(self, seed=None): return "", {}
    def step(self, action):
        import js
        seconds, code = action.split(" ", 1)
        shared = js.SharedArrayBuffer.new(65536)
        url = "data:text/javascript," + urllib.parse.quote(HARNESS.replace("%s", code))
        worker = js.Worker.new(url, js.JSON.parse('{"type": "module"}'))
        worker.postMessage(shared)
        head = js.Int32Array.new(shared, 0, 2)
        js.Atomics.wait(head, 0, 0, 1000 * int(seconds))
        text = bytes(js.Uint8Array.new(shared, 8, head[1]).to_py()).decode() if head[0] else "no answer"
        worker.terminate()
        return text, 0.0, False, False, {}
`;

/** Runs the action, a piece of Python that defines `attack()`. */
const ATTACK = `
class AttackEnv:
    def reset(self, seed=None): return "", {}
    def step(self, code):
        names = {}
        try:
            exec(code, names)
            text = repr(names["attack"]())[:900]
        except Exception as error: text = ("EXC %r" % (error,))[:300]
        return text, 0.0, False, False, {}
`;

/** What attackers aim at: counts what arrives. */
function targets() {
  let arrived = 0;
  const tcp = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  (async () => {
    for await (const connection of tcp) {
      arrived += 1;
      connection.close();
    }
  })().catch(() => {});
  const udp = dgram.createSocket("udp4");
  udp.on("message", () => arrived += 1);
  const bound = new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  return {
    ports: async (code: string) => {
      await bound;
      return code.replaceAll("HOSTPORT", String((tcp.addr as Deno.NetAddr).port))
        .replaceAll("UDPPORT", String(udp.address().port));
    },
    [Symbol.dispose]: () => {
      tcp.close();
      udp.close();
      assert.equal(arrived, 0);
    },
  };
}

function judge(attack: Attack, seen: string): void {
  if (Deno.env.get("SHOW")) console.log(attack.name, "=>", seen.slice(0, 200));
  const [kind, ...rest] = seen.split(" ");
  const allowed = kind === "answer"
    ? attack.harmless !== undefined &&
      new RegExp(`^(?:${attack.harmless})$`, "s").test(rest.join(" "))
    : (attack.failures ?? []).includes(rest[1]) && rest[0] === "designer";
  assert.ok(allowed, `${attack.name}: ${seen}`);
}

async function outcome(process: EnvironmentProcess, action: string): Promise<string> {
  const stepped = await process.step(action);
  if (stepped.kind === "ok") return `answer ${stepped.value.observation}`;
  return `failed ${stepped.blame} ${stepped.reason} ${stepped.detail}`;
}

async function opened(
  sandbox: Sandbox,
  source: string,
  seconds = LIMITS.requestSeconds,
): Promise<EnvironmentProcess> {
  const limits = { ...LIMITS, requestSeconds: seconds };
  const process = value(await sandbox.start(source, { limits }));
  value(await process.reset(1));
  return process;
}

/** A play serves until an attack ends it, or may have left it in a state that ends it later. */
async function contained(sandbox: Sandbox, program: string, attacks: Attack[]): Promise<void> {
  using aims = targets();
  await using stack = new AsyncDisposableStack();
  let process: EnvironmentProcess | undefined;
  for (const attack of attacks.toSorted((a, b) => (a.seconds ?? 0) - (b.seconds ?? 0))) {
    const { seconds, failures } = attack;
    const isScript = attack.runs === "javascript"; // then `seconds` is how long the program waits
    const limit = isScript ? undefined : seconds;
    if (limit !== undefined) process = undefined;
    process ??= stack.use(await opened(sandbox, program, limit));
    const code = await aims.ports(attack.code);
    const seen = await outcome(process, isScript ? `${seconds ?? 30} ${code}` : code);
    judge(attack, seen);
    if (seen.startsWith("failed") || seconds !== undefined || failures !== undefined) {
      if (seen.startsWith("answer")) await process.step(code);
      await process[Symbol.asyncDispose]();
      process = undefined;
    }
  }
}

const scripts = attacks.filter(({ runs }) => runs === "javascript");
const insiders = attacks.filter(({ runs, world }) => runs === "python" && world);
const programs = attacks.filter(({ runs, world }) => runs === "python" && !world);

Deno.test("JavaScript with all that Deno offers reaches nothing", async () => {
  await using sandbox = await wasm({ without: ["interpreter"] });
  await contained(sandbox, HAND_OVER, scripts);
  assert.throws(() => Deno.statSync("/tmp/wasm-attack"), Deno.errors.NotFound);
});

Deno.test("JavaScript in the program's own thread reaches nothing", async () => {
  await using sandbox = await wasm({ without: ["interpreter"] });
  await contained(sandbox, ATTACK, insiders);
});

Deno.test("attacks are contained as every program can make them", async () => {
  await using sandbox = await wasm();
  await using sibling = await opened(sandbox, programOf());
  await contained(sandbox, ATTACK, programs);
  assert.equal(value(await sibling.step("x")).observation, "next");
});

Deno.test("JavaScript is taken out of the interpreter of every program", async () => {
  await using sandbox = await wasm({ poolSize: 0 });
  const failure = await failureOf(sandbox, HAND_OVER);
  assert.equal(failure.reason, "exception");
  assert.match(failure.detail ?? "", /ModuleNotFoundError: .*js/);
});

const TALK = `
import random, math, json
from collections import Counter
class TalkEnv:
    def __init__(self, max_turns=7): self.max_turns = max_turns
    def reset(self, seed=None):
        self.rng, self.turns, self.said = random.Random(seed), 0, Counter()
        self.goal = self.rng.sample(range(1000), 5)
        return "Ünïcode 🙂 %s %s" % (self.goal, random.random()), {"deck": self.rng.choices("abc", k=4)}
    def step(self, action):
        self.turns += 1
        self.said[action] += 1
        value = boxed(action)
        done = value == str(self.goal[0])
        text = json.dumps([value, self.rng.gauss(0, 1), self.said.most_common(2), math.isqrt(10**30 + self.turns)])
        return text, self.turns / 3, done, self.turns >= self.max_turns, {"turns": self.turns}
    def solution(self): return ["\\\\boxed{%d}" % self.goal[0]]
`;

async function transcript(sandbox: Sandbox, source: string): Promise<unknown[]> {
  await using process = value(await sandbox.start(source, { maxTurns: 5 }));
  const seen: unknown[] = [process.maxTurns];
  for (const seed of [1, 2]) {
    seen.push(value(await process.reset(seed, { fresh: seed === 2 })));
    for (const action of ["", "\\boxed{3}", "x".repeat(5000), "é\u{1F642}"]) {
      seen.push(value(await process.step(action)));
    }
    seen.push(value(await process.solution()));
  }
  return seen;
}

Deno.test("transcripts and syntax trees are those of the kernel level", async () => {
  await using kernel = await sandboxOf();
  await using portable = await wasm();
  const here = await transcript(portable, TALK);
  assert.deepEqual(here, await transcript(kernel, TALK));
  assert.deepEqual(here, await transcript(portable, TALK));
  assert.deepEqual(value(await portable.parse(TALK)), value(await kernel.parse(TALK)));
});

Deno.test("a play never meets what an earlier play left", async () => {
  await using sandbox = await wasm({ poolSize: 0 });
  const leave = programOf({
    head: "import math, random",
    step: `math.left = 1
random.seed(9)
open("/tmp/left", "w").write("x")
return "", 0.0, False, False, {}`,
  });
  const look = programOf({
    head: "import math, os, random",
    step: `return str([hasattr(math, "left"), os.path.exists("/tmp/left"), random.random()]),` +
      " 0.0, False, False, {}",
  });
  await using first = await opened(sandbox, leave);
  value(await first.step("x"));
  await using second = await opened(sandbox, look);
  const expected = "[False, False, 0.8444218515250481]";
  assert.equal(value(await second.step("x")).observation, expected);
});

Deno.test("hash seeds differ between the two interpreters and are fixed in each", async () => {
  await using sandbox = await wasm({ poolSize: 0 });
  const source = programOf({ reset: 'return str(hash("a")), {}' });
  const hashes = [];
  for (const hashSeed of [0, 0, 1] as const) {
    await using process = value(await sandbox.start(source, { hashSeed }));
    hashes.push(value(await process.reset(1)).observation);
  }
  assert.equal(hashes[0], hashes[1]);
  assert.notEqual(hashes[0], hashes[2]);
});

Deno.test("numpy is a verdict that names it", async () => {
  await using sandbox = await wasm({ poolSize: 0 });
  for (const step of ["import numpy", "np.zeros(3)", "from numpy import linalg"]) {
    const failure = await failureOf(sandbox, programOf({ step }));
    assert.equal(`${failure.blame} ${failure.reason}`, "designer exception");
    assert.match(failure.detail ?? "", /No module named 'numpy' \(the wasm level runs pure Python/);
  }
});

Deno.test("the level is said, and why no kernel level was taken", async () => {
  await using sandbox = await wasm({ poolSize: 0 });
  assert.equal(sandbox.level, "wasm");
  const { kernel, ...layers } = sandbox.layers;
  assert.equal(kernel, "not asked for");
  assert.deepEqual(Object.keys(layers).sort(), [
    "env",
    "ffi",
    "import",
    "net",
    "read",
    "run",
    "sys",
    "write",
  ]);
  for (const state of Object.values(layers)) assert.equal(state, true);
});

Deno.test("where the kernel gives no level, wasm takes its place and says so", async () => {
  await using sandbox = await startSandbox({
    python,
    level: "any",
    without: ["seccomp"],
    poolSize: 0,
    deadlineMs: 400_000,
  });
  assert.equal(sandbox.level, "wasm");
  assert.match(String(sandbox.layers.kernel), /isolation is refused/);
  await assert.rejects(
    startSandbox({ python, level: "any", without: ["seccomp"], minIsolation: "full" }),
    /isolation is refused, must be at least full/,
  );
});

Deno.test("no permission is granted to a play, and closing leaves no process", async () => {
  assert.ok(!RELAY_FLAGS.some((flag) => /^(-A|--allow|-[RWNESI]$)/.test(flag)), `${RELAY_FLAGS}`);
  const before = (await alive()).pids.length;
  {
    await using sandbox = await wasm({ poolSize: 2 });
    const busy = await opened(sandbox, programOf({ step: "while True: pass" }));
    const waiting = busy.step("x");
    await opened(sandbox, programOf());
    await sandbox[Symbol.asyncDispose]();
    assert.equal((await waiting).kind, "failed");
  }
  await eventually("all gone", async () => (await alive()).pids.length <= before);
});

Deno.test("concurrent plays of one sandbox do not meet", async () => {
  await using sandbox = await wasm({ poolSize: 2, concurrency: 3 });
  const echo = programOf({ step: "return action, 0.0, False, False, {}" });
  await Promise.all(Array.from({ length: 5 }, async (_, index) => {
    await using process = await opened(sandbox, echo);
    for (let turn = 0; turn < 20; turn++) {
      const said = `${index} ${turn}`;
      assert.equal(value(await process.step(said)).observation, said);
    }
  }));
});

Deno.test("Deno's permission to run deno is all that is needed, and without it the error says so", async () => {
  const run = (...permissions: string[]) =>
    levelWith('{ python: "none", level: "wasm", poolSize: 0 }', ...permissions);
  assert.match(await run("--allow-run=deno"), /^wasm$/m);
  assert.match(await run(), /the wasm level must be allowed to run deno.*SPADE_WASM=1/);
});
