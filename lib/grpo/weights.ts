/**
 * SPADE's GRPO update as `cross_entropy` weights (engines.md section 5). With q the sampler's and p0 the trainer's
 * log-probability before the step, the first optimiser step has r = exp(p - p0) = 1, so
 * dL/dp_t = -(m_t / (U·M_u)) · clamp(exp(p0 - q), 0, 2) · A, and the weight of position t is its negative. U is the
 * number of units of both roles in the whole step, M_u the trained tokens of unit u over all its sequences.
 *
 * With a reference policy ref, each trained token adds β·k3 with k3 = exp(ref - p) - (ref - p) - 1, whose slope at the
 * first step is β(1 - exp(ref - p0)).
 *
 * Guarantees: exact for one optimiser step. Not: several steps on one batch (that is `ppo`), entropy, full KL.
 * @module
 */
import type { Datum, RecordOf } from "../core/mod.ts";
import { dataOf } from "./batch.ts";
import { type BatchStatistics, measureBatch } from "./statistics.ts";

/** Largest importance weight exp(p0 - q). */
export const RATIO_CAP = 2;

/** What goes to the engine, and what the report shows. */
export interface WeightedBatch {
  /** One a sequence of the batch, with `weights` = -dL/dlogp. */
  data: Datum[];
  /** How far trainer and sampler are apart; see {@link assertStatistics}. */
  statistics: BatchStatistics;
  /** L of section 9 at r = 1, and its parts by role: they add up. */
  loss: number;
  /** Part of the agent's units. */
  agentLoss: number;
  /** Part of the designer's units. */
  designerLoss: number;
  /** Mean over units of the mean k3 of their trained tokens, nats; null without a reference. */
  kl: number | null;
}

/** The pull towards a reference policy. */
export interface KlTerm {
  /** β of section 9. */
  coefficient: number;
  /** The reference's log-probabilities, shaped as `p0`. */
  reference: readonly (readonly number[])[];
}

/**
 * Weights of a batch given the trainer's log-probabilities `p0` of the targets of {@link dataOf}: one array a
 * sequence, L - 1 numbers each.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { createBatch } from "./batch.ts";
 * const sequences = [{ ids: [5, 6, 7], logps: [0, 0, -1], mask: [0, 0, 1] }];
 * const units = [{ id: "a", role: "agent", advantage: 0.5, sequences }] as const;
 * const batch = createBatch(units, { id: "u0", rollout: 0, scale: 1 });
 * // where sampler and trainer agree, the only trained token weighs A / (U·M_u)
 * const { data, loss } = weighBatch(batch, [[-0.2, -1]]);
 * assert.deepEqual([data[0].weights, loss], [[0, 0.5], -0.5]);
 * ```
 *
 * @throws {TypeError} when lengths differ.
 * @throws {RangeError} when a log-probability is not finite, or a unit trains no token.
 */
export function weighBatch(
  batch: RecordOf<"batch">,
  p0: readonly (readonly number[])[],
  kl?: KlTerm,
): WeightedBatch {
  assertLogps(batch, p0);
  if (kl) assertLogps(batch, kl.reference);
  const tokens = trainedTokens(batch);
  const loss = { agent: 0, designer: 0 };
  let divergence = 0;
  const data = dataOf(batch).map((datum, i): Datum => {
    const { unit, role, advantage, start } = batch.sequences[i];
    const share = 1 / (batch.units * tokens.get(unit)!);
    const weights = p0[i].map((logp, t) => {
      if (batch.mask[start + t + 1] === 0) return 0;
      const ratio = Math.exp(logp - batch.logps[start + t + 1]);
      const weight = Math.min(ratio, RATIO_CAP) * advantage * share;
      loss[role] -= weight;
      if (!kl) return weight;
      const apart = kl.reference[i][t] - logp;
      const k3 = Math.expm1(apart) - apart;
      divergence += k3 * share;
      loss[role] += kl.coefficient * k3 * share;
      return weight + kl.coefficient * Math.expm1(apart) * share;
    });
    return { ...datum, weights };
  });
  return {
    data,
    statistics: measureBatch(batch, p0),
    loss: loss.agent + loss.designer,
    agentLoss: loss.agent,
    designerLoss: loss.designer,
    kl: kl ? divergence : null,
  };
}

/** M_u of each unit. */
export function trainedTokens(batch: RecordOf<"batch">): Map<string, number> {
  const tokens = new Map<string, number>();
  for (const { unit, start, length } of batch.sequences) {
    let count = tokens.get(unit) ?? 0;
    for (let t = start + 1; t < start + length; t++) count += batch.mask[t];
    tokens.set(unit, count);
  }
  for (const [unit, count] of tokens) {
    if (count === 0) {
      throw new RangeError(`Cannot train unit ${unit}: no token is trained, must be at least one`);
    }
  }
  if (tokens.size !== batch.units) {
    throw new TypeError(
      `Cannot weigh batch ${batch.id}: it has sequences of ${tokens.size} units, must be ${batch.units}`,
    );
  }
  return tokens;
}

function assertLogps(batch: RecordOf<"batch">, p0: readonly (readonly number[])[]): void {
  if (p0.length !== batch.sequences.length) {
    throw new TypeError(
      `Cannot weigh batch ${batch.id}: ${p0.length} arrays of log-probabilities, must be ${batch.sequences.length}`,
    );
  }
  batch.sequences.forEach(({ unit, length }, i) => {
    if (p0[i].length !== length - 1) {
      throw new TypeError(
        `Cannot weigh unit ${unit}, sequence ${i} of the batch: ${
          p0[i].length
        } log-probabilities, must be ${length - 1}`,
      );
    }
    const bad = p0[i].findIndex((logp) => !Number.isFinite(logp));
    if (bad >= 0) {
      throw new RangeError(
        `Cannot weigh unit ${unit}, sequence ${i} of the batch: log-probability ${bad} is ${
          p0[i][bad]
        }, must be finite`,
      );
    }
  });
}
