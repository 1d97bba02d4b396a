/** `deno task report`; see lib/cli/report.ts. */
import { runCommand } from "../lib/cli/main.ts";
import { reportCommand, reportRun } from "../lib/cli/report.ts";

await runCommand(reportCommand, reportRun);
