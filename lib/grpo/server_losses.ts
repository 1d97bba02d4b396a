/**
 * The same gradient by losses that servers apply themselves (engines.md section 5). With U units and M_u trained tokens of
 * unit u, all factors of spade.md section 9 that do not depend on the policy go into the advantages:
 *
 * - `importance_sampling`, one pass: logps = q, advantages = m·A / (U·M_u). Its ratio exp(p - q) is not truncated at 2.
 * - `ppo`, for steps after a first one: logps = p0, advantages = m·clamp(exp(p0 - q), 0, 2)·A / (U·M_u), between
 *   {@link PPO_CLIPS}. At p = p0 its gradient is that of the two-pass form.
 *
 * Losses of servers are sums: U and M_u are those of the whole batch, however it is cut.
 * @module
 */
import type { Datum, RecordOf } from "../core/mod.ts";
import { dataOf } from "./batch.ts";
import { RATIO_CAP, trainedTokens } from "./weights.ts";

/** Bounds of the ratio in `ppo`: 1 - .2 and 1 + .28 (spade.md section 9). */
export const PPO_CLIPS = { clip_low_threshold: 0.8, clip_high_threshold: 1.28 } as const;

/**
 * Data of `importance_sampling`, one a sequence.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { createBatch } from "./batch.ts";
 * const sequences = [{ ids: [5, 6, 7], logps: [0, -1, -2], mask: [0, 1, 1] }];
 * const units = [{ id: "a", role: "agent", advantage: 3, sequences }] as const;
 * const [datum] = importanceData(createBatch(units, { id: "u0", rollout: 0, scale: 1 }));
 * // A / (U·M_u): advantage 3 over one unit of two trained tokens
 * assert.deepEqual([datum.logps, datum.advantages], [[-1, -2], [1.5, 1.5]]);
 * ```
 */
export function importanceData(batch: RecordOf<"batch">): Datum[] {
  return withAdvantages(batch, (q) => ({ logp: q, factor: 1 }));
}

/**
 * Data of `ppo`, given the trainer's log-probabilities before the first step, shaped as {@link dataOf}.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { createBatch } from "./batch.ts";
 * const sequences = [{ ids: [5, 6], logps: [0, -1], mask: [0, 1] }];
 * const units = [{ id: "a", role: "agent", advantage: 3, sequences }] as const;
 * const batch = createBatch(units, { id: "u0", rollout: 0, scale: 1 });
 * // the trainer finds the token e times as probable as the sampler did: the weight is cut at 2
 * const [datum] = ppoData(batch, [[0]]);
 * assert.deepEqual([datum.logps, datum.advantages], [[0], [6]]);
 * ```
 */
export function ppoData(
  batch: RecordOf<"batch">,
  p0: readonly (readonly number[])[],
): Datum[] {
  return withAdvantages(batch, (q, i, t) => ({
    logp: p0[i][t],
    factor: Math.min(Math.exp(p0[i][t] - q), RATIO_CAP),
  }));
}

function withAdvantages(
  batch: RecordOf<"batch">,
  of: (q: number, sequence: number, t: number) => { logp: number; factor: number },
): Datum[] {
  const tokens = trainedTokens(batch);
  return dataOf(batch).map((datum, i) => {
    const { unit, advantage, start } = batch.sequences[i];
    const share = advantage / (batch.units * tokens.get(unit)!);
    const terms = datum.target.map((_, t) =>
      batch.mask[start + t + 1] === 0
        ? { logp: 0, factor: 0 }
        : of(batch.logps[start + t + 1], i, t)
    );
    return {
      ...datum,
      logps: terms.map(({ logp }) => logp),
      advantages: terms.map(({ factor }) => factor === 0 ? 0 : factor * share),
    };
  });
}
