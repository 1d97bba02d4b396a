/**
 * The launcher of `SPADE (policy)`: sandbox host and engine first, then Deno's kernel behind two walls.
 *
 * It guarantees: the kernel holds no run grant, since what runs programs was started before it and is reached by socket;
 * every access is decided by the written policy and logged where the kernel cannot write; all that was started here ends
 * with the kernel, with this process however it ends, and with the process that started it.
 *
 * The walls: Deno's permission broker (`lib/kernel/broker.ts`) gives reasons; Landlock and a filter of system calls
 * (`sandbox/notebook_wall.py`) hold where Deno asks nobody (require(), npm downloads, the Cache API). A machine without
 * Landlock has the first one only, and the notebook says so.
 * @module
 */
import * as path from "node:path";
import { z } from "zod";
import { UsageError } from "../../core/mod.ts";
import { EmbeddedEngine } from "../../engine/mod.ts";
import {
  type AuditEntry,
  decide,
  type Policy,
  realPathFrom,
  serveBroker,
} from "../../kernel/mod.ts";
import { launchSandbox } from "../../sandbox/mod.ts";
import { pythonOf, root } from "../files.ts";
import { requirePython } from "../open_model.ts";
import { openAudit, socketPath, workFolder } from "./kernel_files.ts";
import { denoDir, factsOf, makeFolders, POLICY_FILE, readPolicy, rulesOf } from "./rules.ts";
import { denoKernel, openConnections, runKernel } from "./run_kernel.ts";

const probed = z.object({ landlock: z.number(), filter: z.boolean() });

const NOISE = "Permission broker is an experimental feature";

/** Runs the kernel of a connection file to its end; returns its exit code. */
export async function policyKernel(
  file: string,
  options: { signal: AbortSignal; env: (name: string) => string | undefined },
): Promise<number> {
  const { signal, env } = options;
  const policyFile = env("SPADE_POLICY_FILE") ?? POLICY_FILE;
  const policy = readPolicy(policyFile);
  makeFolders(policy);
  await using stack = new AsyncDisposableStack();
  const work = stack.use(workFolder());
  const connections = await openConnections(file, work.path);
  const { inner: connection, file: connectionFile } = connections;
  const [host, socket] = ["host", "broker"].map((name) => socketPath(work.path, `${name}.sock`));
  const [, engine, wall] = await Promise.all([
    launchSandbox({ path: host, python: requirePython("sandbox") })
      .then((sandbox) => stack.use(sandbox)),
    openEngine(policy, signal, (engine) => stack.use(engine)),
    probeWall(),
    fetchPackages(),
  ]);
  const audit = stack.use(openAudit());
  const cache = denoDir(env);
  const rules = rulesOf(policy, {
    ...{ connectionFile, connection, cache, host, engine, file: policyFile },
  });
  const facts = factsOf(policy, {
    ...{ file: policyFile, engine, landlock: wall.landlock, audit: audit.name },
  });
  // with the filter the kernel stays in its first folder; without it nobody knows what a relative path means
  const cwd = wall.filter ? Deno.cwd() : undefined;
  stack.use(serveBroker({
    path: socket,
    decide: (access) => decide(access, rules, (name) => realPathFrom(name, cwd)),
    audit: (entry: AuditEntry) => audit.write(entry),
  }));
  const walled = {
    read: rules.read,
    write: rules.write,
    connect: rules.connect.map((address) => Number(new URL(`http://${address}`).port || 80)),
    bind: rules.listen.map((address) => Number(address.split(":")[1])),
    parent: Deno.pid,
  };
  const kernel = denoKernel(connectionFile);
  const script = path.join(root, "sandbox", "notebook_wall.py");
  const [program, ...args] = wall.filter
    ? [pythonOf("sandbox"), "-s", "-B", script, JSON.stringify(walled), ...kernel]
    : kernel;
  const short = env("SPADE_SHORT");
  const command = new Deno.Command(program, {
    args,
    clearEnv: true,
    env: {
      PATH: "/usr/bin:/bin",
      NO_COLOR: "1",
      DENO_DIR: cache,
      DENO_NO_UPDATE_CHECK: "1",
      DENO_WEBGPU_BACKEND: "none",
      DENO_PERMISSION_BROKER_PATH: socket,
      SPADE_HOST: host,
      ...(engine === null ? {} : { SPADE_ENGINE: engine }),
      ...(short === undefined ? {} : { SPADE_SHORT: short }),
      SPADE_POLICY: JSON.stringify(facts),
    },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  });
  let told = Promise.resolve();
  const code = await runKernel(command, connections, {
    signal,
    onStart: ({ stderr }) => told = tell(stderr),
  });
  await told;
  return code;
}

/** The address of the policy's engine, started where it says so; null: none. */
async function openEngine(
  { engine }: Policy,
  signal: AbortSignal,
  keep: (engine: EmbeddedEngine) => void,
): Promise<string | null> {
  if (typeof engine === "string") return engine === "none" ? null : engine;
  const state = path.join(root, ".spade", "lab-engine");
  await Deno.mkdir(state, { recursive: true });
  const started = await EmbeddedEngine.start({
    python: requirePython("engine"),
    model: path.resolve(root, engine.model),
    script: path.join(root, "scripts", "engine", "server.py"),
    state,
    signal,
  });
  keep(started);
  return started.url;
}

/** The kernel downloads nothing: the packages of deno.json are fetched before it starts, if they are not there. */
async function fetchPackages(): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet", "--frozen"],
    cwd: root,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) await Deno.stderr.write(stderr); // what is there can still be imported
}

/** What the second wall would consist of here. */
async function probeWall(): Promise<z.infer<typeof probed>> {
  if (Deno.build.os !== "linux") return { landlock: 0, filter: false };
  const script = path.join(root, "sandbox", "notebook_wall.py");
  const { code, stdout, stderr } = await new Deno.Command(requirePython("sandbox"), {
    args: ["-s", "-B", script, "--probe"],
    clearEnv: true,
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  if (code !== 0) throw new UsageError(`Cannot look for Landlock: ${text(stderr).slice(-500)}`);
  return probed.parse(JSON.parse(text(stdout)));
}

/** Passes on what the kernel says on its error output. */
async function tell(stream: ReadableStream<Uint8Array>): Promise<void> {
  const encoder = new TextEncoder();
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    if (!text.includes(NOISE)) await Deno.stderr.write(encoder.encode(text));
  }
}
