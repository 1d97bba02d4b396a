/**
 * Runs a command: help, known errors as text without a stack, Ctrl-C as an abort that leaves a resumable run.
 * @module
 */
import { EngineError, SandboxError, StoreError, UsageError } from "../core/mod.ts";
import { type Command, parseOptions, type Values } from "./options.ts";

/** What a command gets; it returns the exit code. */
export interface Invocation {
  values: Values;
  positionals: string[];
  signal: AbortSignal;
}

/** The abort's reason when the user asked to stop. */
const interruption = "interrupted";

function isOurs(error: unknown): error is Error {
  return error instanceof UsageError || error instanceof EngineError ||
    error instanceof SandboxError || error instanceof StoreError;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || isAbort(error.cause));
}

/** Causes of an error, one a line, outermost first. */
export function describeError(error: unknown): string {
  const lines: string[] = [];
  for (let at: unknown = error; at instanceof Error && lines.length < 5; at = at.cause) {
    if (!lines.some((line) => line.includes((at as Error).message))) lines.push(at.message);
  }
  return lines.join("\n  because: ");
}

/** Runs `command` with the process's arguments and ends the process with its code. */
export async function runCommand(
  command: Command,
  run: (invocation: Invocation) => Promise<number>,
): Promise<void> {
  const stop = new AbortController();
  let asked = 0;
  const onSignal = () => {
    asked += 1;
    if (asked > 1) Deno.exit(130);
    console.error("\nstopping: finished work is kept; press Ctrl-C again to stop at once");
    stop.abort(interruption);
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, onSignal);
  let code = 1;
  try {
    const { values, positionals } = parseOptions(command, Deno.args);
    if (values.help === true) {
      console.log(command.help);
      code = 0;
    } else {
      code = await run({ values, positionals, signal: stop.signal });
    }
  } catch (error) {
    if (stop.signal.aborted && (error === stop.signal.reason || isAbort(error))) code = 130;
    else if (isOurs(error)) console.error(`error: ${describeError(error)}`);
    else console.error(error);
  } finally {
    for (const name of ["SIGINT", "SIGTERM"] as const) Deno.removeSignalListener(name, onSignal);
  }
  Deno.exit(code);
}
