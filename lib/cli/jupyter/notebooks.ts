/**
 * `deno task notebooks`: every notebook from top to bottom on the real kernel, without a front end.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { UsageError } from "../../core/mod.ts";
import {
  isStripped,
  Kernel,
  type Notebook,
  parseNotebook,
  runNotebook,
  stripped,
  syntaxError,
  writeNotebook,
} from "../../kernel/mod.ts";
import { commitOf, root } from "../files.ts";
import type { Invocation } from "../main.ts";
import { type Command, numberValue } from "../options.ts";
import { renderNotebook } from "./render.ts";
import { kernelSpecs } from "./specs.ts";

export const notebooksCommand: Command = {
  name: "notebooks",
  does: "run the notebooks without a front end",
  arguments: Array.from({ length: 64 }, () => "NAME?"),
  options: {
    short: { type: "boolean" },
    policy: { type: "boolean" },
    render: { type: "boolean" },
    strip: { type: "boolean" },
    check: { type: "boolean" },
    timeout: { type: "string" },
  },
  help: `deno task notebooks [NAME...] [options]

Runs the notebooks of notebooks/ (all, or those whose names begin with NAME) from top to bottom,
each on a kernel of its own, and says what failed. The stored files stay as they are.

  --short     smaller numbers, as in the tests (SPADE_SHORT=1)
  --policy    on the kernel SPADE (policy)
  --render    write what came out to runs/notebooks/NAME.html, pages that open from disk
  --timeout S seconds a cell may take (default: 600)
  --strip     run nothing; remove outputs from the stored files
  --check     run nothing; fail where a stored file has outputs`,
};

const FOLDER = path.join(root, "notebooks");
const PAGES = path.join(root, "runs", "notebooks");
const CONNECTIONS = path.join(root, ".spade", "kernels");

/** A notebook's file. */
export interface NotebookFile {
  /** Without its ending. */
  name: string;
  path: string;
  notebook: Notebook;
}

/** The notebooks whose names begin with one of `names`, or all but hidden ones. */
export function findNotebooks(names: readonly string[] = []): NotebookFile[] {
  const all = fs.existsSync(FOLDER)
    ? fs.readdirSync(FOLDER).filter((name) => name.endsWith(".ipynb")).sort()
    : [];
  for (const name of names) {
    if (all.some((file) => file.startsWith(name))) continue;
    const there = all.length === 0 ? "none" : all.join(", ");
    throw new UsageError(`Cannot find notebook ${name}: notebooks/ holds ${there}`);
  }
  const isWanted = (file: string) =>
    names.length === 0 ? !file.startsWith(".") : names.some((name) => file.startsWith(name));
  return all.filter(isWanted)
    .map((file) => {
      const full = path.join(FOLDER, file);
      return {
        name: file.slice(0, -".ipynb".length),
        path: full,
        notebook: parseNotebook(fs.readFileSync(full, "utf8"), file),
      };
    });
}

/** How to run one. */
export interface RunFileOptions {
  policy?: boolean;
  short?: boolean;
  timeoutMs?: number;
  signal?: AbortSignal;
  /** The program of Deno. @default "deno" */
  deno?: string;
  onCell?: (index: number, count: number) => void;
}

/** Runs a notebook on a kernel of its own. */
export async function runFile(
  { notebook }: Pick<NotebookFile, "notebook">,
  options: RunFileOptions = {},
): ReturnType<typeof runNotebook> {
  const { policy = false, short = false, deno = "deno", ...limits } = options;
  const spec = kernelSpecs()[policy ? "spade-policy" : "spade"];
  await Deno.mkdir(CONNECTIONS, { recursive: true, mode: 0o700 });
  await using kernel = await Kernel.start({
    argv: [deno, ...spec.argv.slice(1)],
    cwd: FOLDER,
    env: { ...spec.env, SPADE_SHORT: short ? "1" : "" },
    folder: CONNECTIONS,
    readyMs: 180_000,
    signal: options.signal,
  });
  return await runNotebook(notebook, kernel, {
    ...limits,
    syntaxError: (code) => syntaxError(code, deno),
  });
}

/** Runs, renders, strips or checks notebooks. */
export async function notebooks(
  { values, positionals, signal }: Invocation,
  { terminal }: { terminal: boolean },
): Promise<number> {
  const files = findNotebooks(positionals);
  if (values.strip === true || values.check === true) return strip(files, values.strip === true);
  const seconds = numberValue("timeout", values.timeout) ?? 600;
  if (seconds === 0) throw new UsageError("Cannot use --timeout 0: must be at least 1");
  let failures = 0;
  for (const file of files) {
    const began = performance.now();
    const took = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
    const { notebook, failure } = await runFile(file, {
      policy: values.policy === true,
      short: values.short === true,
      timeoutMs: seconds * 1000,
      signal,
      onCell(index, count) {
        if (!terminal) return;
        const line = `${file.name}  cell ${index + 1} of ${count}  ${took()}`;
        Deno.stdout.writeSync(new TextEncoder().encode(`\r\x1b[K${line}`));
      },
    });
    if (terminal) Deno.stdout.writeSync(new TextEncoder().encode("\r\x1b[K"));
    const cells = notebook.cells.filter((cell) => cell.execution_count).length;
    if (failure === undefined) console.log(`${file.name}  ok  ${cells} cells  ${took()}`);
    else {
      failures += 1;
      console.log(`${file.name}  FAILED at cell ${failure.index + 1}  ${took()}`);
      console.log(indented(failure.source));
      console.log(indented(failureText(failure)));
    }
    if (values.render === true) writePage(file.name, notebook, values);
  }
  if (files.length === 0) console.log("notebooks/ holds none");
  if (values.render === true) console.log(`pages: ${path.relative(root, PAGES)}/`);
  return failures > 0 ? 1 : 0;
}

function failureText({ name, message, traceback }: {
  name: string;
  message: string;
  traceback: string[];
}): string {
  const trace = traceback.join("\n");
  return trace.includes(message) ? trace : `${name}: ${message}\n${trace}`.trim();
}

function indented(text: string): string {
  return text.trimEnd().split("\n").map((line) => `    ${line}`).join("\n");
}

function writePage(name: string, notebook: Notebook, values: Invocation["values"]): void {
  fs.mkdirSync(PAGES, { recursive: true });
  const kernel = values.policy === true ? "SPADE (policy)" : "SPADE";
  const mode = values.short === true ? ", short mode" : "";
  const day = new Date().toISOString().slice(0, 10);
  const note =
    `${name}.ipynb, run on ${day} by the kernel ${kernel}, Deno ${Deno.version.deno}${mode}, ` +
    `commit ${commitOf()?.slice(0, 12) ?? "unknown"}`;
  fs.writeFileSync(path.join(PAGES, `${name}.html`), renderNotebook(notebook, { name, note }));
}

function strip(files: readonly NotebookFile[], write: boolean): number {
  const full = files.filter(({ notebook }) => !isStripped(notebook));
  for (const { path: file, notebook, name } of full) {
    if (write) fs.writeFileSync(file, writeNotebook(stripped(notebook)));
    console.log(`${name}  ${write ? "stripped" : "has outputs: deno task notebooks --strip"}`);
  }
  if (full.length === 0) console.log(`${files.length} notebooks, none has outputs`);
  return !write && full.length > 0 ? 1 : 0;
}
