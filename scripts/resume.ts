/** `deno task resume`; see lib/cli/train.ts. */
import { runCommand } from "../lib/cli/main.ts";
import { resumeCommand, resumeRun } from "../lib/cli/train.ts";

await runCommand(resumeCommand, resumeRun);
