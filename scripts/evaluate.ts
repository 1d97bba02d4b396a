/** `deno task evaluate`; see lib/cli/evaluate.ts. */
import { runCommand } from "../lib/cli/main.ts";
import { evaluateCommand, evaluateSuites } from "../lib/cli/evaluate.ts";

await runCommand(evaluateCommand, evaluateSuites);
