/**
 * `deno task inspect`: a run's environments, or one of them with both arms' transcripts.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { Store } from "../store/mod.ts";
import { inspectRun } from "./inspect.ts";
import type { Invocation } from "./main.ts";
import type { Command } from "./options.ts";
import { findRun, root } from "./files.ts";

export const inspectCommand: Command = {
  name: "inspect",
  does: "look at a run's environments",
  arguments: ["RUN", "ENV?"],
  options: { html: { type: "boolean" } },
  help: `deno task inspect RUN [ENV] [--html]

Lists the environments of runs/RUN, or shows the one whose id starts with ENV: source, document,
hint, gate verdicts, and the transcripts of both arms.

  --html   write a self-contained page into the run folder instead`,
};

export function inspectEnvironment({ values, positionals }: Invocation): Promise<number> {
  const [run, environment] = positionals;
  const dir = findRun(run);
  using store = Store.open(dir, { readonly: true });
  const html = values.html === true;
  const width = Deno.stdout.isTerminal() ? Deno.consoleSize().columns : 120;
  const text = inspectRun(store, { environment, html, width, name: path.basename(dir) });
  if (!html) {
    console.log(text);
    return Promise.resolve(0);
  }
  const file = path.join(dir, environment ? `inspect-${environment}.html` : "inspect.html");
  fs.writeFileSync(file, text);
  console.log(path.relative(root, file));
  return Promise.resolve(0);
}
