/**
 * Four faults of Deno's notebook kernel (seen in 2.8.2 to 2.9.6), made harmless from inside:
 *
 * - it says that a cell has ended before the cell's output has left, and front ends then drop that output or show it under
 *   the next cell: here a cell's end waits a little, the longer the more it printed;
 * - an exception in a timer or an event handler freezes it for good: here it is printed;
 * - a rejected promise that nobody awaits is silent: here it is printed;
 * - nothing ends a cell that awaits: here an interrupt (see `lib/kernel/interrupt.ts`) stops what of ours runs.
 *
 * It cannot help a cell that throws: what such a cell printed just before may be lost in front ends that do not wait.
 * @module
 */
import v8 from "node:v8";
import vm from "node:vm";
import { interruptAll } from "./interrupt.ts";

/** The parts of the kernel and of its globals that the guard changes. */
export interface Guarded {
  /** The kernel's inner object; its last act in a cell is `broadcastResult`. */
  inner: Record<string, unknown>;
  /** `Deno.jupyter`. */
  outer: Record<string, unknown>;
  /** The console. */
  printer: Record<string, unknown>;
  /** Where uncaught errors arrive. */
  events: Pick<EventTarget, "addEventListener">;
  /** Waits so many milliseconds. */
  wait: (ms: number) => Promise<unknown>;
  /** Has `listener` called at each such signal. */
  onSignal: (signal: "SIGINT" | "SIGUSR2", listener: () => void) => void;
  /** Collects garbage. */
  collect: () => void;
}

type Call = (...values: unknown[]) => unknown;

const QUIET_MS = 2;
const FIRST_MS = 50;
const EACH_MS = 0.6;
const PRINTING = ["log", "info", "debug", "warn", "error", "table", "dir"];
const INTERRUPTED = "Interrupted: work of this toolkit was asked to stop. " +
  "Whatever else the cell awaits goes on until it ends or the kernel is restarted.";
const installed: unique symbol = Symbol.for("spade.guard") as never;

/**
 * Installs the guard, once for each kernel.
 *
 * @returns whether it is in place; false: this kernel has not the parts that it needs.
 */
export function installGuard(parts: Guarded): boolean {
  const { inner, outer, printer, events, wait, onSignal, collect } = parts;
  if (installed in inner) return true;
  const end = inner.broadcastResult;
  if (typeof end !== "function") return false;
  let said = 0;
  const count = (owner: Record<string, unknown>, name: string) => {
    const original = owner[name];
    if (typeof original !== "function") return;
    owner[name] = (...values: unknown[]) => {
      said += 1;
      return (original as Call).apply(owner, values);
    };
  };
  for (const name of PRINTING) count(printer, name);
  for (const name of ["broadcast", "display"]) count(outer, name);
  inner.broadcastResult = async (...values: unknown[]) => {
    await (end as Call).apply(inner, values);
    const ms = said === 0 ? QUIET_MS : FIRST_MS + said * EACH_MS;
    said = 0;
    await wait(ms);
  };
  const print = (...values: unknown[]) => (printer.error as Call)(...values);
  events.addEventListener("error", (event) => {
    event.preventDefault();
    print("Uncaught, outside of any cell:", (event as ErrorEvent).error);
  });
  events.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    print("Rejected, and nobody awaits it:", (event as PromiseRejectionEvent).reason);
  });
  // a cell that was cut in two ends when its promise is collected
  onSignal("SIGUSR2", collect);
  onSignal("SIGINT", () => {
    print(INTERRUPTED);
    interruptAll();
  });
  Object.defineProperty(inner, installed, { value: true });
  return true;
}

/** The parts of this process's kernel; undefined: it is none, or one of another make. */
export function ownKernel(): Guarded | undefined {
  try {
    // outside of a kernel the getter throws
    const deno = Deno as unknown as Record<string | symbol, Record<string, unknown>>;
    const outer = deno.jupyter;
    const inner = deno[(Deno as unknown as { internal: symbol }).internal]?.jupyter;
    if (outer === undefined || typeof inner !== "object" || inner === null) return undefined;
    return {
      inner: inner as Record<string, unknown>,
      outer,
      printer: globalThis["console"] as unknown as Record<string, unknown>,
      events: globalThis,
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      onSignal: (signal, listener) => Deno.addSignalListener(signal, listener),
      collect() {
        v8.setFlagsFromString("--expose-gc");
        vm.runInNewContext("gc()");
      },
    };
  } catch {
    return undefined;
  }
}
