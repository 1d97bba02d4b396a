/** `deno task gate`; see lib/cli/gate.ts. */
import { runCommand } from "../lib/cli/main.ts";
import { gateCommand, gateFile } from "../lib/cli/gate.ts";

await runCommand(gateCommand, gateFile);
