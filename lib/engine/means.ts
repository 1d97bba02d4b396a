/**
 * A loss that is a sum, for a server that averages. SkyRL's JAX backend divides each datum's loss by the sum of its weights,
 * or by 1e-9 where that sum is not positive, and the gradient of a step by its number of data: weights that carry an
 * advantage lose their size, and a datum of negative sum outweighs all others. What it calls `cispo` holds the ratio out of
 * the gradient; between clips of 1 and 1 that ratio is 1, which leaves the advantages as weights, and the weights at 1.
 * @module
 */
import type { Datum } from "../core/mod.ts";

/**
 * What such a server must be sent so that the gradient of one call and one step is that of the summed cross-entropy.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const [one] = summed([{ input: [4, 5], target: [5, 6], weights: [0, -0.25] }]);
 * assert.deepEqual(one.advantages, [0, -0.5]);
 * ```
 */
export function summed(data: readonly Datum[]): Datum[] {
  return data.map(({ input, target, weights = input.map(() => 1) }) => {
    const divided = input.length * data.length;
    return {
      input,
      target,
      logps: input.map(() => 0),
      advantages: weights.map((weight) => weight * divided),
    };
  });
}

/** Config of the loss `cispo` that goes with {@link summed}. */
export const SUMMED = { clip_low_threshold: 1, clip_high_threshold: 1 } as const;

/** The summed loss, which such a server does not say. */
export function crossEntropy(
  data: readonly Datum[],
  logps: readonly (readonly number[])[],
): number {
  let sum = 0;
  data.forEach(({ weights }, i) =>
    logps[i].forEach((logp, t) => {
      const weight = weights?.[t] ?? 1;
      if (weight !== 0) sum -= weight * logp;
    })
  );
  return sum;
}
