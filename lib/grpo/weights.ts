/**
 * SPADE's GRPO update as `cross_entropy` weights (engines.md section 5). With q the sampler's and p0 the trainer's
 * log-probability before the step, the first optimiser step has r = exp(p - p0) = 1, so
 * dL/dp_t = -(m_t / (U·M_u)) · clamp(exp(p0 - q), 0, 2) · A, and the weight of position t is its negative. U is the
 * number of units of both roles in the whole step, M_u the trained tokens of unit u over all its sequences.
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
  statistics: BatchStatistics;
  /** L of section 9 at r = 1, and its parts by role: they add up. */
  loss: number;
  agentLoss: number;
  designerLoss: number;
}

/**
 * Weights of a batch given the trainer's log-probabilities `p0` of the targets of {@link dataOf}: one array a
 * sequence, L - 1 numbers each.
 *
 * @throws {TypeError} when lengths differ.
 * @throws {RangeError} when a log-probability is not finite, or a unit trains no token.
 */
export function weighBatch(
  batch: RecordOf<"batch">,
  p0: readonly (readonly number[])[],
): WeightedBatch {
  assertLogps(batch, p0);
  const tokens = trainedTokens(batch);
  const loss = { agent: 0, designer: 0 };
  const data = dataOf(batch).map((datum, i): Datum => {
    const { unit, role, advantage, start } = batch.sequences[i];
    const scale = advantage / (batch.units * tokens.get(unit)!);
    const weights = p0[i].map((logp, t) => {
      if (batch.mask[start + t + 1] === 0) return 0;
      const ratio = Math.exp(logp - batch.logps[start + t + 1]);
      const weight = Math.min(ratio, RATIO_CAP) * scale;
      loss[role] -= weight;
      return weight;
    });
    return { ...datum, weights };
  });
  return {
    data,
    statistics: measureBatch(batch, p0),
    loss: loss.agent + loss.designer,
    agentLoss: loss.agent,
    designerLoss: loss.designer,
  };
}

/** M_u of each unit. */
function trainedTokens(batch: RecordOf<"batch">): Map<string, number> {
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
