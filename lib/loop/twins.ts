/**
 * Who is a twin of whom: the order (attempt, slot). Nobody waits for a later place in that order, so nobody waits in
 * a circle.
 * @module
 */
export class Twins {
  #trees: PromiseWithResolvers<string | null>[][];
  constructor(attempts: number, slots: number) {
    this.#trees = Array.from(
      { length: attempts },
      () => Array.from({ length: slots }, () => Promise.withResolvers<string | null>()),
    );
  }

  /** Says what `slot` wrote at `attempt`; null when it takes no part. */
  tell(attempt: number, slot: number, tree: string | null): void {
    this.#trees[attempt][slot].resolve(tree);
  }

  /** No part in this attempt, where it was not told yet, and all later ones. */
  leave(attempt: number, slot: number): void {
    for (let a = attempt; a < this.#trees.length; a++) this.tell(a, slot, null);
  }

  /** What the slot would have written is unknown: whoever asks for it gets `error`, not a verdict. */
  fail(attempt: number, slot: number, error: unknown): void {
    for (let a = attempt; a < this.#trees.length; a++) {
      const { promise, reject } = this.#trees[a][slot];
      promise.catch(() => {}); // perhaps nobody asks
      reject(error);
    }
  }

  async isTwin(attempt: number, slot: number, tree: string): Promise<boolean> {
    const before = this.#trees.slice(0, attempt).flat().concat(
      this.#trees[attempt].slice(0, slot),
    );
    const trees = await Promise.all(before.map(({ promise }) => promise));
    return trees.includes(tree);
  }
}
