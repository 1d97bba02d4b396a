/**
 * How far programs are from what the designer was shown, and from all that came before.
 * @module
 */
import { type Outcome, scored, skipped } from "../../core/mod.ts";
import type { Ancestor } from "../lineage.ts";
import { entryAt, type Symmetric } from "./symmetric.ts";

/** Distances of one program. */
export interface Novelty {
  /** The program. */
  environmentId: string;
  /** Rollout that accepted it. */
  rollout: number;
  /** Its skill. */
  skill: string;
  /** Seeds of the memory the designer was shown. */
  seeds: number;
  /** 1 − similarity to the nearest seed shown; skipped where none was, or none of them is among the programs given. */
  fromSeeds: Outcome;
  /** Id of that seed. */
  nearestSeed?: string;
  /** 1 − similarity to the nearest program accepted before; skipped for the first. */
  fromEarlier: Outcome;
  /** Id of that program. */
  nearestEarlier?: string;
}

/**
 * A row a program, in the order given; `kernel` is over the programs' sources, in the same order.
 * Throws {@link RangeError} where the kernel has another size.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { tokenKernel } from "./kernels.ts";
 * const accepted = [
 *   { rollout: 0, skill: "s", environment: { id: "a", parents: [] } },
 *   { rollout: 2, skill: "s", environment: { id: "b", parents: ["a"] } },
 * ];
 * const copied = noveltyOf(accepted, tokenKernel().matrix(["return a", "return a"]))[1];
 * assert.deepEqual([copied.fromSeeds, copied.nearestSeed], [{ kind: "scored", value: 0 }, "a"]);
 * ```
 */
export function noveltyOf(accepted: readonly Ancestor[], kernel: Symmetric): Novelty[] {
  if (kernel.size !== accepted.length) {
    throw new RangeError(
      `Cannot tell novelty: the kernel has ${kernel.size} rows, must have ${accepted.length}`,
    );
  }
  const place = new Map(accepted.map(({ environment }, i) => [environment.id, i]));
  return accepted.map(({ environment, rollout, skill }, i) => {
    const seeds = [...new Set(environment.parents)];
    const known = seeds.flatMap((id) => place.get(id) ?? []);
    const seed = nearest(kernel, i, known);
    const earlier = nearest(kernel, i, accepted.slice(0, i).keys());
    return {
      environmentId: environment.id,
      rollout,
      skill,
      seeds: seeds.length,
      fromSeeds: seed ? seed.distance : skipped(seeds.length > 0 ? "seeds unknown" : "no seeds"),
      nearestSeed: seed && accepted[seed.at].environment.id,
      fromEarlier: earlier ? earlier.distance : skipped("the first"),
      nearestEarlier: earlier && accepted[earlier.at].environment.id,
    };
  });
}

function nearest(
  kernel: Symmetric,
  i: number,
  others: Iterable<number>,
): { at: number; distance: Outcome } | undefined {
  let at = -1, most = -Infinity;
  for (const other of others) {
    const similarity = entryAt(kernel, i, other);
    if (similarity > most) [at, most] = [other, similarity];
  }
  // Rounding may take the similarity of equals a hair over 1.
  return at < 0 ? undefined : { at, distance: scored(Math.max(0, 1 - most)) };
}
