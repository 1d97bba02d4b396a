/** `deno task train`; see lib/cli/train.ts. */
import { runCommand } from "../lib/cli/main.ts";
import { trainCommand, trainRun } from "../lib/cli/train.ts";

await runCommand(trainCommand, trainRun);
