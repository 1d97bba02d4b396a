/**
 * `SPADE (policy)`: what a notebook may not touch is refused with a reason, by whatever way it is tried, in cells and in
 * workers; what it needs works; and nothing outlives it. Skipped where Linux has no Landlock.
 */
import assert from "node:assert/strict";
import { becomes, isAlive, runCell, startKernel } from "./help.ts";

const root = new URL("../..", import.meta.url).pathname;
const python = `${root}.spade/sandbox/bin/python`;
const probe = await new Deno.Command(python, {
  args: ["-s", "-B", `${root}sandbox/notebook_wall.py`, "--probe"],
}).output();
const ignore = JSON.parse(new TextDecoder().decode(probe.stdout)).landlock < 4;

/** A folder with secrets that no policy names. */
const outside = Deno.makeTempDirSync();
Deno.writeTextFileSync(`${outside}/secret.txt`, "secret-text");
Deno.writeTextFileSync(`${outside}/secret.json`, '{"is":"secret-json"}');
Deno.writeTextFileSync(`${outside}/secret.cjs`, 'module.exports = "secret-cjs"');
Deno.writeTextFileSync(`${outside}/secret.ts`, 'export const is = "secret-ts"');
/** A link that leads out, where the notebook may write. */
const runs = `${root}runs/.test-policy-${crypto.randomUUID().slice(0, 8)}`;
Deno.mkdirSync(runs, { recursive: true });
Deno.symlinkSync(outside, `${runs}/link`);
Deno.writeTextFileSync(`${runs}/own.txt`, "own");
addEventListener("unload", () => {
  for (const folder of [outside, runs]) Deno.removeSync(folder, { recursive: true });
});

const file = `file://${outside}/secret`;
/** Expressions that must be refused, by what the refusal says. */
const refused: [string, string, RegExp][] = [
  [
    "reading",
    `await Deno.readTextFile("${outside}/secret.txt")`,
    /Cannot read .*outside this notebook's policy/,
  ],
  [
    "reading by node:fs",
    `(await import("node:fs")).readFileSync("${outside}/secret.txt", "utf8")`,
    /Cannot read/,
  ],
  [
    "importing text",
    `(await import("${file}.txt", { with: { type: "text" } })).default`,
    /Cannot read/,
  ],
  [
    "importing JSON by a computed name",
    `(await import("${file}" + ".json", { with: { type: "json" } })).default`,
    /Cannot read/,
  ],
  [
    "importing bytes",
    `(await import("${file}" + ".txt", { with: { type: "bytes" } })).default`,
    /Cannot read/,
  ],
  ["importing a module", `(await import("${file}" + ".ts")).is`, /Cannot read/],
  // Deno asks nobody about these; the second wall refuses them
  [
    "require()",
    `(await import("node:module")).createRequire("${outside}/x.js")("./secret.cjs")`,
    /Permission denied/,
  ],
  [
    "require() of JSON",
    `(await import("node:module")).createRequire("${outside}/x.js")("./secret.json")`,
    /Permission denied/,
  ],
  [
    "the Cache API",
    `await (await caches.open("x")).put("http://a/b", new Response("x"))`,
    /readonly|Failed to create cache storage/,
  ],
  [
    "a package from the registry",
    `await import("npm:is-even" + "@1.0.0")`,
    /Failed loading|error sending|lockfile/,
  ],
  ["reading the process", `await Deno.readTextFile("/proc/self/environ")`, /Cannot read/],
  ["reading through a link", `await Deno.readTextFile("${runs}/link/secret.txt")`, /Cannot read/],
  ["looking", `(await Deno.stat("${outside}/secret.txt")).size`, /Cannot read/],
  [
    "a database outside",
    `new (await import("node:sqlite")).DatabaseSync("${outside}/new.sqlite")`,
    /Cannot (read|write)/,
  ],
  [
    "WASI",
    `new (await import("node:wasi")).WASI({ version: "preview1", preopens: { "/x": "${outside}" } })`,
    /failed to open/,
  ],
  [
    "writing",
    `await Deno.writeTextFile("${outside}/new.txt", "x")`,
    /Cannot write .*must be below runs/,
  ],
  ["writing the library", `await Deno.writeTextFile("${root}lib/new.ts", "x")`, /Cannot write/],
  [
    "writing the policy",
    `await Deno.writeTextFile("${root}scripts/lab/policy.json", "x")`,
    /Cannot write/,
  ],
  [
    "writing the log",
    `await Deno.remove("${root}.spade/audit", { recursive: true })`,
    /Cannot write/,
  ],
  [
    "writing through a link",
    `await Deno.writeTextFile("${runs}/link/new.txt", "x")`,
    /Cannot write/,
  ],
  [
    "making a link",
    `await Deno.symlink("${outside}/secret.txt", "${runs}/mine")`,
    /Cannot (read|write)/,
  ],
  [
    "a hard link",
    `await Deno.link("${outside}/secret.txt", "${runs}/mine")`,
    /Cannot (read|write)/,
  ],
  ["moving out", `await Deno.rename("${runs}/own.txt", "${outside}/moved")`, /Cannot (read|write)/],
  [
    "moving in",
    `await Deno.rename("${outside}/secret.txt", "${runs}/moved")`,
    /Cannot (read|write)/,
  ],
  [
    "fetch",
    `await fetch("http://example.com")`,
    /Cannot reach example\.com:80: this notebook's policy allows only/,
  ],
  ["fetch by address", `await fetch("http://127.0.0.1:18080")`, /Cannot reach 127\.0\.0\.1:18080/],
  ["connecting", `await Deno.connect({ port: 22 })`, /Cannot reach/],
  [
    "another socket",
    `await Deno.connect({ transport: "unix", path: "/var/run/docker.sock" })`,
    /Cannot (reach|read|write)/,
  ],
  ["names", `await Deno.resolveDns("example.com", "A")`, /Cannot reach|denied|EPERM/],
  ["listening", `Deno.listen({ port: 0 })`, /Cannot reach/],
  [
    "a module from the network",
    `await import("https://example.com/" + "x.ts")`,
    /Cannot import from example\.com:443/,
  ],
  ["native code", `Deno.dlopen("libc.so.6", {})`, /Cannot load .*no native code/],
  [
    "a program",
    `new Deno.Command("/bin/true").outputSync()`,
    /Cannot run \/bin\/true: this notebook's kernel starts no programs/,
  ],
  [
    "the project's own Python",
    `new Deno.Command("${python}").outputSync()`,
    /Cannot run .*runs in the sandbox/,
  ],
  [
    "Deno itself",
    `new Deno.Command(Deno.execPath(), { args: ["eval", "1"] }).outputSync()`,
    /Cannot run/,
  ],
  [
    "a shell",
    `(await import("node:child_process")).execSync("id").toString()`,
    /starts no programs/,
  ],
  [
    "node:child_process",
    `(await import("node:child_process")).execFileSync("/bin/true", [], { env: {} })`,
    /starts no programs/,
  ],
  ["a signal", `Deno.kill(Deno.ppid, "SIGCONT")`, /Cannot run|EPERM/],
  ["variables", `Deno.env.toObject()`, /Cannot read all variables.*starts no programs/],
  ["a variable", `Deno.env.get("HOME")`, /Cannot read variable HOME/],
  ["the host's name", `Deno.hostname()`, /Cannot ask the system for hostname/],
  [
    "the owner of an open file",
    `((fs) => fs.fchownSync(fs.openSync("${root}README.md"), 0, 0))(await import("node:fs"))`,
    /EPERM|not permitted/,
  ],
  [
    "the times of an open file",
    `((fs) => fs.futimesSync(fs.openSync("${root}README.md"), 1, 1))(await import("node:fs"))`,
    /EPERM|not permitted/,
  ],
  [
    "the mode of an open file",
    `((fs) => {
      const fd = fs.openSync("${root}README.md");
      fs.fchmodSync(fd, 0o777); // does nothing
      throw new Error("mode " + (fs.fstatSync(fd).mode & 0o777));
    })(await import("node:fs"))`,
    /mode (420|436)/,
  ],
  ["another folder", `(Deno.chdir("${root}lib"), Deno.cwd())`, /Operation not permitted/],
];

/** What expressions come to in a worker whose module Deno makes from text; `kind` is how it is loaded. */
function inWorker(expressions: readonly string[], kind: "data" | "blob", head = ""): string {
  const module = `${head}
    const results = [];
    for (const work of [${expressions.map((one) => `async () => (${one})`)}]) {
      try { results.push("LE" + "AK " + String(await work())) } catch (error) { results.push(String(error)) }
    }
    postMessage(JSON.stringify(results));`;
  const url = kind === "data"
    ? `"data:application/typescript," + encodeURIComponent(${JSON.stringify(module)})`
    : `URL.createObjectURL(new Blob([${
      JSON.stringify(module)
    }], { type: "application/typescript" }))`;
  return `console.log(await new Promise((resolve) => {
    const worker = new Worker(${url}, { type: "module" });
    const end = (text) => { worker.terminate(); resolve(text); };
    worker.onmessage = ({ data }) => end(data);
    worker.onerror = (event) => { event.preventDefault(); end(event.message); };
  }))`;
}

/** Those that were not refused in the way they should, with what came instead. */
function wrong(answers: readonly string[]): string[] {
  return refused.flatMap(([name, , words], at) =>
    words.test(answers[at]) && !/LEAK|secret-/.test(answers[at]) ? [] : [`${name}: ${answers[at]}`]
  );
}

function processesOf(parent: number): number[] {
  const children = Deno.readTextFileSync(`/proc/${parent}/task/${parent}/children`);
  return children.trim().split(" ").filter(Boolean).map(Number)
    .flatMap((child) => [child, ...processesOf(child)]);
}

function isKernel(pid: number): boolean {
  return Deno.readTextFileSync(`/proc/${pid}/cmdline`).includes("jupyter");
}

function logOf(launcher: number): string {
  const folder = `${root}.spade/audit`;
  const log = [...Deno.readDirSync(folder)].map(({ name }) => name)
    .find((name) => name.endsWith(`-${launcher}.jsonl`));
  return Deno.readTextFileSync(`${folder}/${log}`);
}

/** Variables for a kernel by the same policy, which starts faster. */
function withoutEngine(): Record<string, string> {
  const policy = JSON.parse(Deno.readTextFileSync(`${root}scripts/lab/policy.json`));
  Deno.writeTextFileSync(`${runs}/policy.json`, JSON.stringify({ ...policy, engine: "none" }));
  return { SPADE_POLICY_FILE: `${runs}/policy.json` };
}

Deno.test({
  name:
    "everything that the policy does not name is refused, in cells and in workers; what it names works",
  ignore,
  async fn(t) {
    const kernel = await startKernel("spade-policy");
    const below = processesOf(kernel.pid);
    try {
      await t.step("in cells", async () => {
        const answers: string[] = [];
        for (const [, expression] of refused) {
          answers.push((await runCell(kernel, `String(${expression})`)).text);
        }
        assert.deepEqual(wrong(answers), []);
      });
      for (const kind of ["data", "blob"] as const) {
        await t.step(`in a worker of a ${kind}: module`, async () => {
          const code = inWorker(refused.map(([, expression]) => expression), kind);
          assert.deepEqual(wrong(JSON.parse((await runCell(kernel, code)).text)), []);
        });
      }
      await t.step("static imports of a cell and of a worker", async () => {
        const code = `import leak from "${file}.txt" with { type: "text" };`;
        assert.match((await runCell(kernel, `${code} leak`)).text, /Cannot read/);
        const { text } = await runCell(kernel, inWorker(["leak"], "blob", code));
        assert.match(text, /Cannot read/);
        assert.doesNotMatch(text, /LEAK/);
      });
      await t.step("node:worker_threads", async () => {
        const { text } = await runCell(
          kernel,
          `await new Promise(async (resolve) => {
            const { Worker } = await import("node:worker_threads");
            const code = 'require("node:fs").readFileSync("${outside}/secret.txt", "utf8")';
            new Worker(code, { eval: true }).on("error", (error) => resolve(String(error)));
          })`,
        );
        assert.match(text, /Cannot read/);
      });
      await t.step("nothing was left outside", () => {
        const names = [...Deno.readDirSync(outside)].map(({ name }) => name).sort();
        assert.deepEqual(names, ["secret.cjs", "secret.json", "secret.ts", "secret.txt"]);
        assert.equal(Deno.readTextFileSync(`${runs}/own.txt`), "own");
      });
      await t.step("runs are written and read, by relative path too", async () => {
        const relative = `../runs/${runs.split("/").at(-1)}/new.txt`;
        const { text } = await runCell(
          kernel,
          `await Deno.writeTextFile("${relative}", "kept"); await Deno.readTextFile("${runs}/new.txt")`,
        );
        assert.match(text, /kept/);
      });
      await t.step("the plain answer, and mod.ts with its packages", async () => {
        const { text } = await runCell(
          kernel,
          `import { notebook, notebookPolicy } from "../mod.ts";
           console.log(notebook()); console.log(notebookPolicy())`,
        );
        assert.match(text, /kernel SPADE \(policy\): notebookPolicy\(\) says/);
        assert.match(text, /network +the engine, http:\/\/127\.0\.0\.1:\d+; no names/);
        assert.match(text, /enforced by .*and Linux \(Landlock/);
      });
      await t.step("the engine and the sandbox answer", async () => {
        const engine =
          `await (await fetch(Deno.env.get("SPADE_ENGINE") + "/api/v1/healthz")).text()`;
        assert.match((await runCell(kernel, engine)).text, /ok/);
        const { text } = await runCell(
          kernel,
          `import { connectSandbox } from "../mod.ts";
           const sandbox = await connectSandbox(Deno.env.get("SPADE_HOST"));
           const source = await Deno.readTextFile("../data/heldout/dev/" + [...Deno.readDirSync("../data/heldout/dev")]
             .map(({ name }) => name).filter((name) => name.endsWith(".py")).sort()[0]);
           const started = await sandbox.start(source, { maxTurns: 4 });
           const seen = await started.value.reset(1); await started.value[Symbol.asyncDispose](); seen.kind`,
        );
        assert.match(text, /ok/);
      });
      await t.step("the log has what was asked and answered", () => {
        const entries = logOf(kernel.pid).trim().split("\n").map((line) => JSON.parse(line));
        const denied = entries.filter(({ decision }) => decision === "deny");
        assert.ok(
          denied.some(({ kind, value }) => kind === "read" && value === `${outside}/secret.txt`),
        );
        assert.ok(denied.some(({ kind, value }) => kind === "run" && value === python));
        assert.ok(entries.some(({ decision, kind }) => decision === "allow" && kind === "net"));
        assert.ok(entries.every(({ time }) => !Number.isNaN(Date.parse(time))));
      });
    } finally {
      await kernel[Symbol.asyncDispose]();
    }
    await t.step("launcher, kernel, engine and sandbox host are gone", async () => {
      assert.ok(below.length >= 3);
      assert.ok(await becomes(() => ![kernel.pid, ...below].some(isAlive)));
    });
  },
});

Deno.test({
  name: "a cell that takes the connection to the broker for a socket of its own ends the kernel",
  ignore,
  async fn() {
    for (const take of ["new net.Socket({ fd: 3 })", "new net.Server().listen({ fd: 3 })"]) {
      await using kernel = await startKernel("spade-policy", { env: withoutEngine() });
      const own = processesOf(kernel.pid).find(isKernel)!;
      // whoever can write here can answer Deno's next question beforehand
      assert.match(Deno.readLinkSync(`/proc/${own}/fd/3`), /^socket:/);
      const { status } = await runCell(
        kernel,
        `const net = await import("node:net");
         const mine = ${take};
         mine.write?.('{"v":1,"pid":1,"id":9,"datetime":"now","permission":"env","value":"FORGED"}\\n');
         await new Promise((resolve) => setTimeout(resolve, 500));`,
      );
      assert.equal(status, "dead");
      assert.doesNotMatch(logOf(kernel.pid), /FORGED/);
    }
  },
});

for (
  const [name, kill] of [
    [
      "the kernel is killed",
      (_launcher: number, own: number) => Deno.kill(own, "SIGKILL"),
    ],
    ["the launcher is asked to end", (launcher: number) => Deno.kill(launcher, "SIGTERM")],
    ["the launcher is killed", (launcher: number) => Deno.kill(launcher, "SIGKILL")],
  ] as const
) {
  Deno.test({
    name: `nothing is left when ${name}`,
    ignore,
    async fn() {
      await using kernel = await startKernel("spade-policy", { env: withoutEngine() });
      const below = processesOf(kernel.pid);
      const own = below.find(isKernel)!;
      kill(kernel.pid, own);
      assert.ok(await becomes(() => ![kernel.pid, ...below].some(isAlive)), "a process is left");
    },
  });
}
