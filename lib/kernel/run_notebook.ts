/**
 * A notebook from top to bottom on a kernel.
 * @module
 */
import type { Cell, Notebook } from "./notebook.ts";
import { hasTag, sourceOf, stripped } from "./notebook.ts";
import { type Output, OutputCollector } from "./outputs.ts";
import type { Kernel } from "./process.ts";

const ABORT_MS = 300;

/** How to run a notebook. */
export interface RunNotebookOptions {
  /** Milliseconds a cell may take; then it is interrupted, and the kernel killed where that does not help. @default 120_000 */
  timeoutMs?: number;
  /** Stops after the running cell, which is interrupted. */
  signal?: AbortSignal;
  /** Says what is wrong with a cell's syntax, since the kernel is mute about it; undefined: nothing. */
  syntaxError?: (code: string) => Promise<string | undefined>;
  /** Called before each code cell: its place among all cells and how many there are. */
  onCell?: (index: number, count: number) => void;
}

/** The cell a run ended at. */
export interface CellFailure {
  /** Its place among all cells, from 0. */
  index: number;
  /** Its text. */
  source: string;
  /** Kind of the error. */
  name: string;
  /** What went wrong. */
  message: string;
  /** Where, as the kernel says it. */
  traceback: string[];
}

/**
 * Runs all code cells in order and returns the notebook with its outputs; ends at the first cell that fails, unless the
 * cell is tagged `raises-exception`. Such a cell that does *not* fail is a failure too.
 */
export async function runNotebook(
  notebook: Notebook,
  kernel: Pick<Kernel, "execute" | "words">,
  options: RunNotebookOptions = {},
): Promise<{ notebook: Notebook; failure?: CellFailure }> {
  const { timeoutMs = 120_000, signal, syntaxError, onCell } = options;
  const run = stripped(notebook);
  const collector = new OutputCollector();
  for (const [index, cell] of run.cells.entries()) {
    const source = sourceOf(cell);
    if (cell.cell_type !== "code" || source.trim() === "") continue;
    signal?.throwIfAborted();
    onCell?.(index, run.cells.length);
    const result = await kernel.execute(source, { timeoutMs, signal });
    // a terminal's Ctrl-C ends the kernel, too, and its end may be seen before our own signal
    if (result.status === "dead" && signal !== undefined) await aborted(signal);
    cell.execution_count = result.executionCount;
    cell.outputs = collector.collect(result.messages);
    signal?.throwIfAborted();
    let error = cell.outputs.find((output) => output.output_type === "error");
    if (error === undefined && result.status !== "ok") {
      error = result.timedOut
        ? failed("Timeout", `the cell did not end in ${timeoutMs / 1000} s and was interrupted`)
        : result.status === "dead"
        ? failed("DeadKernel", kernel.words().trim() || "the kernel ended")
        : failed("SyntaxError", await syntaxError?.(source) ?? "the kernel says nothing more");
      cell.outputs.push(error);
    }
    const failure = judged(cell, error, { index, source });
    if (failure !== undefined || result.status === "dead") return { notebook: run, failure };
  }
  return { notebook: run };
}

async function aborted(signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ABORT_MS);
    signal.addEventListener("abort", () => resolve());
  });
  clearTimeout(timer);
}

type ErrorOutput = Extract<Output, { output_type: "error" }>;

function failed(ename: string, evalue: string): ErrorOutput {
  return { output_type: "error", ename, evalue, traceback: [`${ename}: ${evalue}`] };
}

function judged(
  cell: Cell,
  error: ErrorOutput | undefined,
  at: { index: number; source: string },
): CellFailure | undefined {
  const wanted = hasTag(cell, "raises-exception");
  if (error === undefined) {
    if (!wanted) return undefined;
    const message = "it is tagged raises-exception but raised none";
    return { ...at, name: "NoException", message, traceback: [] };
  }
  if (wanted && error.ename !== "DeadKernel" && error.ename !== "Timeout") return undefined;
  return { ...at, name: error.ename, message: error.evalue, traceback: error.traceback };
}
