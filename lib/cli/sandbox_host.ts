/**
 * `deno task sandbox-host`: the sandbox in a process of its own, for clients that connect over a Unix socket.
 * @module
 */
import { serveSandbox, startSandbox } from "../sandbox/mod.ts";
import type { Invocation } from "./main.ts";
import { type Command, numberValue } from "./options.ts";
import { isolationValue, packagesValue } from "./sandbox_options.ts";

export const sandboxHostCommand: Command = {
  name: "sandbox-host",
  does: "run programs for other processes, behind the wall",
  options: {
    "min-isolation": { type: "string" },
    "sandbox-packages": { type: "string" },
    concurrency: { type: "string" },
    "until-eof": { type: "boolean" },
  },
  help: `deno task sandbox-host [options]

Listens at .spade/host.sock, or where SPADE_HOST says, for clients such as notebooks
(connectSandbox(path)); each connection is one play. Ctrl-C ends it and all plays.

  --min-isolation LEVEL refuse to run below this sandbox level (default: landlock+seccomp)
  --sandbox-packages A,B
                        modules of the sandbox's Python that programs may import, too
  --concurrency N       plays at a time (default: 64)
  --until-eof           end with standard input, too`,
};

/** Serves until it is stopped. `path` is the socket's, `python` the one that may be run. */
export async function sandboxHost(
  { values, signal }: Invocation,
  { path, python }: { path: string; python: string },
): Promise<number> {
  await using sandbox = await startSandbox({
    python,
    minIsolation: isolationValue(values),
    packages: packagesValue(values),
    concurrency: numberValue("concurrency", values.concurrency),
  });
  await using host = await serveSandbox(sandbox, path);
  console.log(`sandbox level: ${sandbox.level}; listening at ${host.path}`);
  const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  const ended = [stopped, host.finished];
  if (values["until-eof"] === true) ended.push(Deno.stdin.readable.pipeTo(new WritableStream()));
  await Promise.race(ended);
  return 0;
}
