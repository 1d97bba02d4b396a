/** `deno task notebooks`; see lib/cli/jupyter/notebooks.ts. */
import { notebooks, notebooksCommand } from "../lib/cli/jupyter/notebooks.ts";
import { runCommand } from "../lib/cli/main.ts";

await runCommand(
  notebooksCommand,
  (invocation) => notebooks(invocation, { terminal: Deno.stdout.isTerminal() }),
);
