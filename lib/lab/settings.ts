/** What the surroundings say: environment variables and the time, asked for where they may be. @module */
import { interruptSignal } from "./interrupt.ts";

/** A variable of the process; undefined where it is not set or may not be read. */
export function setting(
  name: "SPADE_ENGINE" | "SPADE_HOST" | "SPADE_SHORT" | "SPADE_POLICY",
): string | undefined {
  try {
    return Deno.env.get(name) || undefined;
  } catch {
    return undefined;
  }
}

/** Seconds since the process started. */
export function seconds(): number {
  return performance.now() / 1000;
}

/** Aborts with the caller's signal, if there is one, and with the notebook's stop button. */
export function signalOr(signal: AbortSignal | undefined): AbortSignal {
  const interrupt = interruptSignal();
  return signal === undefined ? interrupt : AbortSignal.any([signal, interrupt]);
}
