/** Which plays an update trained. @module */
import { readColumns, type Store } from "../store/mod.ts";

/**
 * The advantage of each play that the batches of these rollouts hold, by its id. A play that is missing trained nothing:
 * it was hinted, failed, masked, or of a group without a batch.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Store } from "../store/mod.ts";
 *
 * using store = Store.memory();
 * const sequences = [{ unit: "r0/e/plain/0", role: "agent" as const, advantage: 0.5, start: 0, length: 2 }];
 * store.transaction(() => store.insert("batch", [{ id: "b", rollout: 0, units: 1, agents: 1, designers: 0, scale: 1,
 *   sequences, ids: [1, 2], logps: [0, -0.1], mask: [0, 1] }]));
 * assert.deepEqual(trainedPlays(store, [0]), new Map([["r0/e/plain/0", 0.5]]));
 * ```
 */
export function trainedPlays(store: Store, rollouts: readonly number[]): Map<string, number> {
  const [{ values }] = readColumns(store, "batch", ["sequences"], { rollout: rollouts });
  const sequences = (values as { unit: string; role: string; advantage: number }[][]).flat();
  return new Map(
    sequences.filter(({ role }) => role === "agent").map((
      { unit, advantage },
    ) => [unit, advantage]),
  );
}
