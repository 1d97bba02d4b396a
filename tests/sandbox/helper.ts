/** Shared by the sandbox tests: which Python, short programs, what is alive. */
import assert from "node:assert/strict";
import { type LocalSandbox, type SandboxOptions, startSandbox } from "../../lib/sandbox/mod.ts";
import type { Failure, Result } from "../../lib/core/outcome.ts";
import type { EnvironmentProcess, Sandbox, StartOptions } from "../../lib/core/ports.ts";

/** SPADE_SANDBOX_PYTHON, else the one `deno task setup` makes, else python3. */
export const python: string = Deno.env.get("SPADE_SANDBOX_PYTHON") ?? setUp() ?? "python3";

function setUp(): string | undefined {
  const path = new URL("../../.spade/sandbox/bin/python", import.meta.url).pathname;
  try {
    Deno.statSync(path);
    return path;
  } catch {
    return undefined;
  }
}

export function sandboxOf(options: Partial<SandboxOptions> = {}): Promise<LocalSandbox> {
  return startSandbox({ python, poolSize: 4, ...options });
}

/** A program from the bodies of its methods. */
export function programOf(
  parts: { head?: string; init?: string; reset?: string; step?: string; extra?: string } = {},
): string {
  const body = (text: string) => text.split("\n").map((line) => `        ${line}`).join("\n");
  return `${parts.head ?? ""}
class TestEnv:
    def __init__(self):
${body(parts.init ?? "pass")}
    def reset(self, seed=None):
${body(parts.reset ?? 'return "start", {}')}
    def step(self, action):
${body(parts.step ?? 'return "next", 0.0, False, False, {}')}
${parts.extra ?? ""}`;
}

/** Runs `work` with a process that has been reset. */
export async function withProcess<T>(
  sandbox: Sandbox,
  source: string,
  work: (process: EnvironmentProcess) => Promise<T>,
  options?: StartOptions,
): Promise<T> {
  await using process = value(await sandbox.start(source, options));
  value(await process.reset(1));
  return await work(process);
}

/** The first failure on the way start, reset, step. */
export async function failureOf(
  sandbox: Sandbox,
  source: string,
  options?: StartOptions,
): Promise<Failure> {
  const started = await sandbox.start(source, options);
  if (started.kind !== "ok") return started;
  await using process = started.value;
  const reset = await process.reset(1);
  if (reset.kind !== "ok") return reset;
  const stepped = await process.step("go");
  assert.notEqual(stepped.kind, "ok", `expected a failure, got ${JSON.stringify(stepped)}`);
  return stepped as Failure;
}

export function value<T>(result: Result<T>): T {
  if (result.kind !== "ok") throw new Error(`${result.blame} ${result.reason}: ${result.detail}`);
  return result.value;
}

const OBSERVE = `
import os, sys, json
top = int(sys.argv[1]); me = os.getpid(); parents = {}; states = {}; command = {}
for name in os.listdir("/proc"):
    if name.isdigit():
        try: text = open("/proc/%s/stat" % name).read()
        except OSError: continue
        fields = text[text.rindex(")") + 2:].split()
        parents[int(name)] = int(fields[1]); states[int(name)] = fields[0]
def below(pid):
    while pid and pid != top: pid = parents.get(pid)
    return pid == top
pids = [p for p in parents if p != top and p != me and below(p)]
print(json.dumps({"pids": pids, "zombies": [p for p in pids if states[p] == "Z"],
  "files": len(os.listdir("/proc/%d/fd" % top)), "parents": {str(p): parents[p] for p in pids}}))
`;

export interface Alive {
  pids: number[];
  zombies: number[];
  files: number;
  parents: Record<string, number>;
}

/** Processes below this one and its open files, seen by a Python (/proc needs --allow-all in Deno). */
export async function alive(): Promise<Alive> {
  const output = await new Deno.Command(python, {
    args: ["-I", "-c", OBSERVE, String(Deno.pid)],
    clearEnv: true,
  }).output();
  return JSON.parse(new TextDecoder().decode(output.stdout));
}

/** Sends SIGKILL to a process that Deno did not start itself. */
export async function killHard(pid: number): Promise<void> {
  await new Deno.Command(python, {
    args: ["-I", "-c", `import os; os.kill(${pid}, 9)`],
    clearEnv: true,
  }).output();
}

/** Runs a line of Python outside every wall; its stdout. */
export async function outside(code: string, ...args: string[]): Promise<string> {
  const output = await new Deno.Command(python, {
    args: ["-I", "-c", code, ...args],
    clearEnv: true,
  })
    .output();
  return new TextDecoder().decode(output.stdout).trim();
}

export async function eventually(
  what: string,
  test: () => Promise<boolean>,
  deadlineMs = 3000,
): Promise<void> {
  for (let waited = 0; waited < deadlineMs; waited += 50) {
    if (await test()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`not within ${deadlineMs} ms: ${what}`);
}

/** What a program of Deno's with just these permissions prints that starts a sandbox: its level, or the error. */
export async function levelWith(options: string, ...permissions: string[]): Promise<string> {
  const code = `
import { startSandbox } from "${new URL("../../lib/sandbox/mod.ts", import.meta.url)}";
await using sandbox = await startSandbox(${options});
console.log(sandbox.level);`;
  const config = new URL("../../deno.json", import.meta.url).pathname;
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
}
