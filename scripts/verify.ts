/** `deno task verify`; see lib/cli/verify.ts. */
import { runCommand } from "../lib/cli/main.ts";
import { verifyCommand, verifyRun } from "../lib/cli/verify.ts";

await runCommand(verifyCommand, verifyRun);
