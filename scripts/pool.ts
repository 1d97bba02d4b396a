/** `deno task pool`; see lib/cli/pool.ts. */
import { runCommand } from "../lib/cli/main.ts";
import { poolAction, poolCommand } from "../lib/cli/pool.ts";

await runCommand(poolCommand, poolAction);
