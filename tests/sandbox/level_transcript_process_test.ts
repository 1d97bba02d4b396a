/** The same seed and actions give the same play, whatever stands around it. */
import assert from "node:assert/strict";
import { programOf, python, value } from "./helper.ts";
import { type SandboxOptions, startSandbox } from "../../lib/sandbox/mod.ts";

const weakened = new URL("./weakened", import.meta.url).pathname;
const isRoot = Deno.uid() === 0;

/** Random numbers of three kinds, order of a dict, floats, text; nothing that a hash decides. */
const PLAY = programOf({
  reset: `self.rng = random.Random(seed)
self.state = {k: self.rng.random() for k in "edcba"}
return repr((self.state, random.random())), {"first": self.rng.gauss(0, 1)}`,
  step: `self.state[action] = math.sin(self.rng.randint(0, 10**9))
values = list(self.state.items()); self.rng.shuffle(values)
return repr(values) + chr(233), statistics.fmean(self.state.values()), False, False, {"n": len(values)}`,
});

async function transcript(
  options: Partial<SandboxOptions> & { root?: false },
  hashSeed: 0 | 1 = 0,
): Promise<string> {
  const { root, ...rest } = options;
  await using sandbox = await startSandbox({
    python,
    poolSize: 2,
    minIsolation: "seccomp",
    level: "kernel",
    ...rest,
    ...root === false && isRoot
      ? { folder: weakened, without: [...rest.without ?? [], "root"] as SandboxOptions["without"] }
      : {},
  });
  const plays = await Promise.all([1, 2, 3].map(async () => {
    await using play = value(await sandbox.start(PLAY, { hashSeed }));
    const seen: unknown[] = [value(await play.reset(7))];
    for (const action of ["a", "x", "é"]) seen.push(value(await play.step(action)));
    return JSON.stringify(seen);
  }));
  assert.equal(new Set(plays).size, 1, "plays of one sandbox differ");
  return plays[0];
}

Deno.test("transcripts do not depend on process, level, user, pool, transport or hash seed", async () => {
  const first = await transcript({});
  const ways: [string, Parameters<typeof transcript>[0], (0 | 1)?][] = [
    ["another process", {}],
    ["fresh forks", { poolSize: 0 }],
    ["relayed", { sockets: null }],
    ["relayed, fresh forks", { sockets: null, poolSize: 0 }],
    ["another hash seed", {}, 1],
    ["no namespaces", { without: ["namespaces"] }],
    ["landlock and filter", { without: ["namespaces", "chroot", "user"] }],
    ["the filter alone", { without: ["namespaces", "chroot", "user", "landlock"] }],
    ["an ordinary user", { root: false, sockets: null }],
  ];
  for (const [name, options, hashSeed] of ways) {
    assert.equal(await transcript(options, hashSeed), first, name);
  }
});
