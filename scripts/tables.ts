/** `deno task tables`; see lib/cli/tables.ts. */
import { runCommand } from "../lib/cli/main.ts";
import { listTables, tablesCommand } from "../lib/cli/tables.ts";

await runCommand(tablesCommand, listTables);
