/**
 * A few at a time, in an order of their own. What shares the processor finishes together, at the very end; one after the
 * other the first are done early, and what follows them need not wait for the last.
 * @module
 */

interface Waiting {
  place: number;
  go: () => void;
}

/** So many at a time, lower places first. */
export class Turnstile {
  #free: number;
  #waiting: Waiting[] = [];

  /** `width` at a time. */
  constructor(width: number) {
    this.#free = width;
  }

  /** Runs `work` when there is room and nobody of a lower `place` waits. */
  async pass<T>(place: number, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else {
      await new Promise<void>((go) => {
        const later = this.#waiting.findIndex((other) => other.place > place);
        this.#waiting.splice(later < 0 ? this.#waiting.length : later, 0, { place, go });
      });
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next.go();
      else this.#free += 1;
    }
  }
}
