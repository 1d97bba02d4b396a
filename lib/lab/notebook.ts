/**
 * The first cell of a notebook, and the answer to what a notebook may touch.
 * @module
 */
import { fileURLToPath } from "node:url";
import { policyText, readFacts } from "../kernel/mod.ts";
import { display, type Displayable } from "../show/mod.ts";
import { installGuard, ownKernel } from "./guard.ts";
import { kernel } from "./outlet.ts";
import { setting } from "./settings.ts";

/**
 * Belongs in a notebook's first cell: keeps Deno's kernel from losing output, from freezing on an exception in a timer and
 * from hiding rejected promises. What it returns says which kernel this is and where runs go. Safe to call again, and in a
 * script, where it changes nothing.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(Deno.inspect(notebook()), /^SPADE.*Deno \d/);
 * ```
 */
export function notebook(): Displayable {
  const parts = ownKernel();
  const guarded = parts !== undefined && installGuard(parts);
  const lines = [`SPADE${version()} on Deno ${Deno.version.deno}, ${kernelName()}`];
  if (kernel() !== undefined && !guarded) {
    lines.push("This kernel is one that notebook() does not know: output may be lost");
  }
  lines.push(`Runs: ${root}runs, figures: ${root}runs/figures`);
  return display({ text: lines.join("\n") });
}

/**
 * What this notebook may read, write, reach and run, and what enforces it; `notebook()` names the kernel.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // a script has what it was started with
 * assert.match(Deno.inspect(notebookPolicy()), /no notebook kernel/);
 * ```
 */
export function notebookPolicy(): Displayable {
  return display({ text: policyWords() });
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const ordinary = "it may do all that you may: read, write, connect and run";

function policyWords(): string {
  const facts = readFacts(setting("SPADE_POLICY") ?? "");
  if (facts !== undefined) return policyText(facts);
  if (kernel() === undefined) {
    return "This is no notebook kernel: a script has the permissions it was started with";
  }
  return `This is the kernel SPADE: ${ordinary}.\n` +
    "SPADE (policy) is the kernel that a written policy holds; `deno task lab --policy` prints it";
}

function kernelName(): string {
  if (setting("SPADE_POLICY") !== undefined) {
    return "kernel SPADE (policy): notebookPolicy() says what it may touch";
  }
  return kernel() === undefined ? "no notebook kernel" : `kernel SPADE: ${ordinary}`;
}

/** " 0.1.0", or nothing where deno.json may not be read. */
function version(): string {
  try {
    return ` ${JSON.parse(Deno.readTextFileSync(`${root}deno.json`)).version}`;
  } catch {
    return "";
  }
}
