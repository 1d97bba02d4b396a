/**
 * The notebook's stop button, for whatever of ours runs: one signal that every long function listens to beside its caller's.
 * @module
 */

let current = new AbortController();

/** Aborts at the next interrupt; ask anew for each piece of work. */
export function interruptSignal(): AbortSignal {
  return current.signal;
}

/**
 * Stops all that runs now; what begins later is not concerned.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const running = interruptSignal();
 * interruptAll();
 * assert.equal(running.reason.name, "AbortError");
 * assert.equal(interruptSignal().aborted, false);
 * ```
 */
export function interruptAll(): void {
  const interrupted = current;
  current = new AbortController();
  interrupted.abort(new DOMException("interrupted", "AbortError"));
}
