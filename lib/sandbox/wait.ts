/**
 * Waiting with a limit: back-pressure and deadlines.
 * @module
 */

/** At most `size` holders at a time; the others wait in order of arrival. */
export class Semaphore {
  #free: number;
  #waiting: (() => void)[] = [];

  /** Throws RangeError unless `size` is a positive integer. */
  constructor(readonly size: number) {
    if (!(Number.isInteger(size) && size > 0)) {
      throw new RangeError(`Cannot make a semaphore: size is ${size}, must be a positive integer`);
    }
    this.#free = size;
  }

  /** How many hold a place. */
  get inUse(): number {
    return this.size - this.#free;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when it is this caller's turn; returns what gives the place back (once). */
  async acquire(deadlineMs: number, signal?: AbortSignal): Promise<() => void> {
    if (this.#free > 0) {
      this.#free -= 1;
    } else {
      let turn = () => {};
      const mine = new Promise<void>((resolve) => this.#waiting.push(turn = resolve));
      try {
        await within(mine, deadlineMs, "a free place in the sandbox", signal);
      } catch (error) {
        const index = this.#waiting.indexOf(turn);
        if (index >= 0) this.#waiting.splice(index, 1);
        else this.#release();
        throw error;
      }
    }
    let held = true;
    return () => {
      if (held) this.#release();
      held = false;
    };
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

/** A wait that took too long. */
export class DeadlineError extends Error {
  /** "DeadlineError". */
  override name = "DeadlineError";
}

/** `promise`, or a DeadlineError after `deadlineMs`, or the signal's reason. */
export function within<T>(
  promise: Promise<T>,
  deadlineMs: number,
  what: string,
  signal?: AbortSignal,
): Promise<T> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(
      () => done(() => reject(new DeadlineError(`Waited ${deadlineMs} ms for ${what}`))),
      deadlineMs,
    );
    const abort = () => done(() => reject(signal!.reason));
    signal?.addEventListener("abort", abort);
    const done = (settle: () => void) => {
      settle();
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    promise.then((value) => done(() => resolve(value)), (error) => done(() => reject(error)));
  });
}
