/** `deno task sandbox-host`; see lib/cli/sandbox_host.ts. */
import { runCommand } from "../lib/cli/main.ts";
import { pythonOf, root } from "../lib/cli/files.ts";
import { sandboxHost, sandboxHostCommand } from "../lib/cli/sandbox_host.ts";

await runCommand(sandboxHostCommand, (invocation) =>
  sandboxHost(invocation, {
    path: Deno.env.get("SPADE_HOST") || `${root}/.spade/host.sock`,
    python: Deno.env.get("SPADE_SANDBOX_PYTHON") || pythonOf("sandbox"),
  }));
