/** `deno task engines`; see lib/cli/engines.ts. */
import { engines, enginesCommand } from "../lib/cli/engines.ts";
import { runCommand } from "../lib/cli/main.ts";

await runCommand(enginesCommand, engines);
