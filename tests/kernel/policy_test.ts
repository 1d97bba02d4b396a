import assert from "node:assert/strict";
import {
  answer,
  decide,
  parsePolicy,
  policyText,
  readFacts,
  type Rules,
} from "../../lib/kernel/mod.ts";

const rules: Rules = {
  read: ["/p/lib", "/p/mod.ts"],
  write: ["/p/runs"],
  connect: ["127.0.0.1:9000"],
  listen: ["127.0.0.1:5555"],
  sockets: ["/p/.spade/k/1/host.sock"],
  env: ["SPADE_HOST"],
  sys: ["cpus"],
  told: { read: ["lib", "mod.ts"], write: ["runs"] },
  file: "policy.json",
};
// a link in runs/ leads out, one in lib/ into runs/; what starts with "?" cannot be told
const real = (path: string) =>
  path.startsWith("?")
    ? undefined
    : path.replace("/p/runs/out", "/etc").replace("/p/lib/to-runs", "/p/runs");
const ask = (permission: string, value: string | null) =>
  decide({ permission, value }, rules, real);

for (
  const [permission, value] of [
    ["read", "/p/lib"],
    ["read", "/p/lib/deep/file.ts"],
    ["read", "/p/runs/mine"],
    ["write", "/p/runs/mine"],
    ["write", "/p/lib/to-runs/mine"],
    ["read", "/p/.spade/k/1/host.sock"],
    ["write", "/p/.spade/k/1/host.sock"],
    ["net", "unix:/p/.spade/k/1/host.sock"],
    ["net", "127.0.0.1:9000"],
    ["net", "127.0.0.1:5555"],
    ["env", "SPADE_HOST"],
    ["sys", "cpus"],
  ]
) {
  Deno.test(`allowed: ${permission} ${value}`, () => assert.ok(ask(permission, value).allowed));
}

for (
  const [permission, value, words] of [
    [
      "read",
      "/etc/passwd",
      /Cannot read \/etc\/passwd: it is outside .* below lib, mod\.ts, runs\. To allow it, edit policy\.json/,
    ],
    ["read", "/p/library", /Cannot read/],
    ["read", "/p", /Cannot read/],
    ["read", "/p/runs/out/passwd", /Cannot read/],
    ["read", "?", /Cannot read/],
    ["read", null, /Cannot read everything/],
    ["write", "/p/lib/a.ts", /must be below runs\./],
    ["write", "/p/runs/out/passwd", /Cannot write/],
    ["write", null, /Cannot write everything/],
    ["net", "127.0.0.1:9001", /allows only 127\.0\.0\.1:9000, the sandbox host/],
    ["net", "127.0.0.1", /Cannot reach/],
    ["net", "example.com:443", /Cannot reach example\.com:443/],
    ["net", "unix:/var/run/docker.sock", /Cannot reach/],
    ["net", null, /Cannot reach everything/],
    ["env", "HOME", /Cannot read variable HOME/],
    ["env", null, /Cannot read all variables.*starts no programs/],
    ["env", "NODE_V8_COVERAGE", /starts no programs/],
    ["sys", "hostname", /Cannot ask the system for hostname/],
    [
      "run",
      "/p/.spade/sandbox/bin/python",
      /starts no programs; generated Python runs in the sandbox/,
    ],
    ["run", null, /Cannot run everything/],
    ["ffi", "/lib/libc.so.6", /loads no native code/],
    ["import", "example.com:443", /downloads nothing/],
    ["anything new", "x", /does not know it/],
  ] as const
) {
  Deno.test(`denied, with a reason: ${permission} ${value}`, () => {
    const decision = ask(permission, value);
    assert.ok(!decision.allowed);
    assert.match(decision.reason, words);
  });
}

const written = {
  format: 1,
  read: ["lib"],
  write: ["runs"],
  net: [],
  env: [],
  sys: [],
  engine: "none",
};
for (
  const [name, change, words] of [
    ["a run grant", { run: ["python"] }, /Unrecognized key/],
    ["a name to connect to", { net: ["example.com:80"] }, /net\.0/],
    ["an engine by name", { engine: "http://example.com:80" }, /engine/],
    ["an empty path", { read: [""] }, /read\.0/],
    ["a later format", { format: 2 }, /format/],
    ["a missing key", { write: undefined }, /write/],
  ] as const
) {
  Deno.test(`a policy is refused for ${name}`, () => {
    assert.deepEqual(parsePolicy(JSON.stringify(written)), written);
    const text = JSON.stringify({ ...written, ...change });
    assert.throws(() => parsePolicy(text), (error: Error) => {
      assert.equal(error.name, "UsageError");
      assert.match(error.message, words);
      return true;
    });
  });
}

Deno.test("the broker answers questions of its version and nothing else", () => {
  const question = { v: 1, pid: 2, id: 3, datetime: "2026-01-01", permission: "env", value: null };
  const allow = () => ({ allowed: true as const });
  const { reply, entry } = answer(JSON.stringify(question), allow);
  assert.deepEqual(JSON.parse(reply), { id: 3, result: "allow" });
  assert.deepEqual(entry, { time: "2026-01-01", decision: "allow", kind: "env", value: null });
  for (const change of [{ v: 2 }, { id: "3" }, { value: 1 }, { permission: undefined }]) {
    assert.throws(() => answer(JSON.stringify({ ...question, ...change }), allow));
  }
  assert.throws(() => answer("no JSON", allow), SyntaxError);
});

Deno.test("the plain answer names what is open, and says when Linux does not enforce it", () => {
  const facts = {
    ...{
      read: ["lib"],
      write: ["runs"],
      connect: ["127.0.0.1:9000", "10.0.0.1:80"],
      env: [],
      sys: [],
    },
    ...{ engine: "http://127.0.0.1:9000", sandbox: true, file: "policy.json", audit: null },
  };
  const full = policyText({ ...facts, landlock: 7 });
  assert.match(full, /network +the engine, http:\/\/127\.0\.0\.1:9000, 10\.0\.0\.1:80; no names/);
  assert.match(full, /programs +none/);
  assert.doesNotMatch(full, /ALONE|too old/);
  assert.match(policyText({ ...facts, landlock: 0 }), /ALONE: this machine has no Landlock/);
  assert.match(policyText({ ...facts, landlock: 3 }), /Landlock 3\).* too old for the network/);
  assert.deepEqual(readFacts(JSON.stringify({ ...facts, landlock: 7 })), { ...facts, landlock: 7 });
});
