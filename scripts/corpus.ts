/** `deno task corpus`; see lib/cli/corpus.ts. */
import { corpusCommand, showCorpus } from "../lib/cli/corpus.ts";
import { runCommand } from "../lib/cli/main.ts";

await runCommand(corpusCommand, showCorpus);
