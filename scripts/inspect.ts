/** `deno task inspect`; see lib/cli/inspect_command.ts. */
import { runCommand } from "../lib/cli/main.ts";
import { inspectCommand, inspectEnvironment } from "../lib/cli/inspect_command.ts";

await runCommand(inspectCommand, inspectEnvironment);
