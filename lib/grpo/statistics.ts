/**
 * How far the trainer's log-probabilities are from the sampler's, over trained tokens: the check before every update.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";

/** Statistics of one batch or sequence; the fields of the table `update`. */
export interface LogpDifference {
  /** Trained tokens. */
  tokens: number;
  /** Mean |p0 - q|. */
  meanDifference: number;
  /** Share of tokens with exp(p0 - q) above the cap of 2. */
  clippedShare: number;
  /** Largest raw exp(p0 - q), limited to the largest finite number. */
  maxRatio: number;
  /** Tokens with q = 0 exactly. */
  zeroLogps: number;
  /** Of those, the ones the trainer does not call certain (p0 < -.01): a server filled in zeros. */
  filledLogps: number;
}

/** Statistics of a batch, with the sequence that is furthest off. */
export interface BatchStatistics extends LogpDifference {
  sequences: (LogpDifference & { unit: string; index: number })[];
}

/** Limits of {@link assertStatistics}; a sequence or the batch beyond one of them is refused. */
export interface StatisticsLimits {
  /** Of the whole batch. @default 0.25 */
  meanDifference?: number;
  /** Of one sequence, where a single bad turn would drown in the mean. @default 1 */
  sequenceDifference?: number;
  /** Of the whole batch. @default 0.1 */
  clippedShare?: number;
  /** Share of filled zeros in one sequence. @default 0.05 */
  filledShare?: number;
  /** @default Infinity: shown, not refused, since the weight is clipped at 2 */
  maxRatio?: number;
}

/** Statistics of a batch given p0, one array a sequence (L - 1 numbers each, as {@link weighBatch} checks). */
export function measureBatch(
  batch: RecordOf<"batch">,
  p0: readonly (readonly number[])[],
): BatchStatistics {
  const places = new Map<string, number>();
  const sequences = batch.sequences.map(({ unit, start }, i) => {
    const index = places.get(unit) ?? 0;
    places.set(unit, index + 1);
    return { unit, index, ...measureSequence(batch, start, p0[i]) };
  });
  const tokens = sequences.reduce((sum, item) => sum + item.tokens, 0);
  const total = (pick: (item: LogpDifference) => number) =>
    sequences.reduce((sum, item) => sum + pick(item), 0);
  const share = (sum: number) => tokens === 0 ? 0 : sum / tokens;
  return {
    tokens,
    meanDifference: share(total((item) => item.meanDifference * item.tokens)),
    clippedShare: share(total((item) => item.clippedShare * item.tokens)),
    maxRatio: sequences.reduce((max, item) => Math.max(max, item.maxRatio), 0),
    zeroLogps: total((item) => item.zeroLogps),
    filledLogps: total((item) => item.filledLogps),
    sequences,
  };
}

/**
 * Refuses a batch whose sampler and trainer disagree: training on it would be training on something else.
 *
 * @throws {RangeError} naming the worst unit and its sequence (its turn, where there is one a turn).
 */
export function assertStatistics(
  statistics: BatchStatistics,
  limits: StatisticsLimits = {},
): void {
  const { meanDifference = 0.25, sequenceDifference = 1, clippedShare = 0.1 } = limits;
  const { filledShare = 0.05, maxRatio = Infinity } = limits;
  type Named = BatchStatistics["sequences"][number];
  const refuse = (name: string, value: number, limit: number, key: (item: Named) => number) => {
    if (value <= limit) return;
    const worst = statistics.sequences.reduce((a, b) => key(b) > key(a) ? b : a);
    throw new RangeError(
      `Cannot train on the batch: ${name} is ${value.toPrecision(3)}, must be at most ${limit}; ` +
        `worst is unit ${worst.unit} sequence ${worst.index} with ${key(worst).toPrecision(3)}`,
    );
  };
  const filled = (item: Named) => item.tokens === 0 ? 0 : item.filledLogps / item.tokens;
  const largest = (key: (item: Named) => number) =>
    statistics.sequences.reduce((max, item) => Math.max(max, key(item)), 0);
  refuse("share of zero-filled log-probabilities", largest(filled), filledShare, filled);
  const difference = (item: Named) => item.meanDifference;
  refuse("mean |p0 - q|", statistics.meanDifference, meanDifference, difference);
  refuse("mean |p0 - q| of a sequence", largest(difference), sequenceDifference, difference);
  const clipped = (item: Named) => item.clippedShare;
  refuse("share of clipped weights", statistics.clippedShare, clippedShare, clipped);
  refuse("largest ratio", statistics.maxRatio, maxRatio, (item) => item.maxRatio);
}

function measureSequence(
  batch: RecordOf<"batch">,
  start: number,
  p0: readonly number[],
): LogpDifference {
  let tokens = 0, difference = 0, clipped = 0, maxRatio = 0, zeroLogps = 0, filledLogps = 0;
  p0.forEach((logp, t) => {
    if (batch.mask[start + t + 1] === 0) return;
    const q = batch.logps[start + t + 1];
    const ratio = Math.min(Math.exp(logp - q), Number.MAX_VALUE);
    tokens++;
    difference += Math.abs(logp - q);
    if (ratio > 2) clipped++;
    maxRatio = Math.max(maxRatio, ratio);
    if (q === 0) {
      zeroLogps++;
      if (logp < -0.01) filledLogps++;
    }
  });
  return {
    tokens,
    meanDifference: tokens === 0 ? 0 : difference / tokens,
    clippedShare: tokens === 0 ? 0 : clipped / tokens,
    ...{ maxRatio, zeroLogps, filledLogps },
  };
}
