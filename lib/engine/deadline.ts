/**
 * Deadlines and cancellation: one signal out of several reasons to stop, with a timer that is always cleared.
 * @module
 */
import { EngineError } from "../core/mod.ts";

/** Runs `work` with a signal that aborts at the deadline or with any of `signals`; its reason is what is thrown. */
export async function limited<T>(
  action: string,
  deadlineMs: number,
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    const message = `Cannot ${action}: no answer within ${deadlineMs} ms`;
    controller.abort(new EngineError(message, { retryable: true }));
  }, deadlineMs);
  // AbortSignal.any would leave a trace of every call on signals that live as long as a run
  const given = signals.filter((signal) => signal !== undefined).map((signal) => {
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
    return () => signal.removeEventListener("abort", abort);
  });
  const { signal } = controller;
  try {
    signal.throwIfAborted();
    return await Promise.race([work(signal), aborted(signal)]);
  } catch (error) {
    // fetch throws its own error on abort; callers branch on the reason
    if (signal.aborted) throw signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    for (const forget of given) forget();
    controller.abort();
  }
}

/** Rejects with the signal's reason; never resolves. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Waits, or throws the signal's reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await Promise.race([
      new Promise<void>((resolve) => timer = setTimeout(resolve, ms)),
      aborted(signal),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
