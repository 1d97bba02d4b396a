/**
 * Who repeats whom: the order (attempt, slot). Nobody waits for a later place in that order, so nobody waits in a
 * circle, and verdicts do not depend on who arrives first.
 *
 * A twin, a program with the same syntax tree, is refused whatever became of the earlier one: the same program would
 * meet the same fate. A near-duplicate is refused only beside one that was accepted: a designer who mends what was
 * refused writes nearly the same again.
 * @module
 */
import { duplicateVerdict, type GateVerdict, nearestOf, resemblance } from "../gates/mod.ts";

/** What is compared of a program. */
export interface Written {
  /** Of the environment it would be. */
  id: string;
  /** Sha-256 of its normalised syntax tree. */
  treeHash: string;
  /** Hashes of the tree's pieces. */
  shingles: readonly number[];
}

/** What programs are compared with beside one another. */
export interface Known {
  /** Trees of earlier sets and of the held-out environments: a program with one of them is refused. */
  trees: ReadonlySet<string>;
  /** Near-duplicates: the largest share of equal shingles, and programs accepted before; null: let in. */
  similar: { threshold: number; programs: () => Promise<readonly Shingled[]> } | null;
}

/** What near-duplicates are told by. */
export type Shingled = Pick<Written, "id" | "shingles">;

interface Place {
  written: PromiseWithResolvers<Written | null>;
  accepted: PromiseWithResolvers<boolean>;
}

/** Programs of one set as they are written, compared in a fixed order. */
export class Twins {
  #places: Place[][];
  #known: Known;
  /** A place for each attempt of each slot. */
  constructor(attempts: number, slots: number, known: Known) {
    this.#known = known;
    this.#places = Array.from({ length: attempts }, () =>
      Array.from({ length: slots }, () => ({
        written: Promise.withResolvers<Written | null>(),
        accepted: Promise.withResolvers<boolean>(),
      })));
  }

  /** Says what `slot` wrote at `attempt`; null when it takes no part. */
  tell(attempt: number, slot: number, written: Written | null): void {
    this.#places[attempt][slot].written.resolve(written);
    if (written === null) this.settle(attempt, slot, false);
  }

  /** Says what became of it. */
  settle(attempt: number, slot: number, accepted: boolean): void {
    this.#places[attempt][slot].accepted.resolve(accepted);
  }

  /** No part in this attempt, where nothing else was said yet, and all later ones. */
  leave(attempt: number, slot: number): void {
    for (let a = attempt; a < this.#places.length; a++) this.tell(a, slot, null);
  }

  /** What the slot would have written is unknown: whoever asks for it gets `error`, not a verdict. */
  fail(attempt: number, slot: number, error: unknown): void {
    for (const places of this.#places.slice(attempt)) {
      for (const { promise, reject } of Object.values(places[slot])) {
        promise.catch(() => {}); // perhaps nobody asks
        reject(error);
      }
    }
  }

  /** Verdict of the gate `duplicate` on what `slot` wrote at `attempt`. */
  async judge(attempt: number, slot: number, written: Written): Promise<GateVerdict> {
    const { trees, similar } = this.#known;
    if (trees.has(written.treeHash)) return duplicateVerdict(true);
    const places = this.#places.slice(0, attempt).flat()
      .concat(this.#places[attempt].slice(0, slot));
    const earlier = await Promise.all(places.map(async (place) => ({
      place,
      other: await place.written.promise,
    })));
    if (earlier.some(({ other }) => other?.treeHash === written.treeHash)) {
      return duplicateVerdict(true);
    }
    if (similar === null) return duplicateVerdict(false);
    const { threshold, programs } = similar;
    const relatives = [...await programs()];
    for (const { place, other } of earlier) {
      // Only for a near one it is worth waiting until its other gates and its screen have spoken.
      const isNear = other && resemblance(written.shingles, other.shingles) > threshold;
      if (isNear && await place.accepted.promise) relatives.push(other);
    }
    const nearest = nearestOf(written.shingles, relatives);
    return duplicateVerdict(false, nearest && { ...nearest, threshold });
  }
}
