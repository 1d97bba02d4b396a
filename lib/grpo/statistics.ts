/**
 * How far the trainer's log-probabilities are from the sampler's, over trained tokens: the check before every update.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";

/** Statistics of one batch, sequence or turn; the fields of the table `update`. */
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

/** A turn: a run of trained tokens, numbered through over the unit's sequences; a designer reply is turn 0. */
export interface TurnDifference extends LogpDifference {
  /** Play or reply it belongs to. */
  unit: string;
  /** Its number there, from 0. */
  turn: number;
}

/** Statistics of a batch, with those of each of its sequences and turns. */
export interface BatchStatistics extends LogpDifference {
  /** By sequence, in the order of the batch; `index` counts within the unit. */
  sequences: (LogpDifference & { unit: string; index: number; turns: TurnDifference[] })[];
}

/** Limits of {@link assertStatistics}; a turn, a sequence or the batch beyond one of them is refused. */
export interface StatisticsLimits {
  /** Of the whole batch. @default 0.25 */
  meanDifference?: number;
  /** Of one sequence, and of one turn of at least 8 tokens: a single bad turn would drown in the mean. @default 1 */
  sequenceDifference?: number;
  /** Of the whole batch. @default 0.1 */
  clippedShare?: number;
  /** Share of filled zeros in one sequence; in one turn of at least 8 tokens, half of them. @default 0.05 */
  filledShare?: number;
  /** Largest exp(p0 - q) of one token. @default Infinity: shown, not refused, since the weight is clipped at 2 */
  maxRatio?: number;
}

/**
 * Statistics of a batch given p0, one array a sequence (L - 1 numbers each, as {@link weighBatch} checks).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { createBatch } from "./batch.ts";
 * const sequences = [{ ids: [5, 6, 7], logps: [0, -1, -1], mask: [0, 1, 1] }];
 * const units = [{ id: "a", role: "agent", advantage: 1, sequences }] as const;
 * const batch = createBatch(units, { id: "u0", rollout: 0, scale: 1 });
 * const { tokens, meanDifference } = measureBatch(batch, [[-1, -1.5]]);
 * assert.deepEqual([tokens, meanDifference], [2, 0.25]);
 * ```
 */
export function measureBatch(
  batch: RecordOf<"batch">,
  p0: readonly (readonly number[])[],
): BatchStatistics {
  const places = new Map<string, { index: number; turn: number }>();
  const sequences = batch.sequences.map(({ unit, start }, i) => {
    const { index, turn } = places.get(unit) ?? { index: 0, turn: 0 };
    const turns = runsOf(batch, start, p0[i].length).map(([from, to], run) => ({
      unit,
      turn: turn + run,
      ...measureRun(batch, start, p0[i], from, to),
    }));
    places.set(unit, { index: index + 1, turn: turn + turns.length });
    return { unit, index, turns, ...sumOf(turns) };
  });
  return { ...sumOf(sequences), sequences };
}

/** Statistics of several runs together. */
function sumOf(parts: readonly LogpDifference[]): LogpDifference {
  const total = (pick: (item: LogpDifference) => number) =>
    parts.reduce((sum, item) => sum + pick(item), 0);
  const tokens = total((item) => item.tokens);
  const share = (sum: number) => tokens === 0 ? 0 : sum / tokens;
  return {
    tokens,
    meanDifference: share(total((item) => item.meanDifference * item.tokens)),
    clippedShare: share(total((item) => item.clippedShare * item.tokens)),
    maxRatio: parts.reduce((max, item) => Math.max(max, item.maxRatio), 0),
    zeroLogps: total((item) => item.zeroLogps),
    filledLogps: total((item) => item.filledLogps),
  };
}

/** Runs of trained positions of one sequence, as [first, end) of its targets. */
function runsOf(batch: RecordOf<"batch">, start: number, targets: number): [number, number][] {
  const runs: [number, number][] = [];
  for (let t = 0; t < targets; t++) {
    if (batch.mask[start + t + 1] === 0) continue;
    if (t > 0 && batch.mask[start + t] === 1) runs.at(-1)![1] = t + 1;
    else runs.push([t, t + 1]);
  }
  return runs;
}

/** A turn of fewer tokens is judged with its sequence only: single tokens may be far off, by rounding. */
const LONG_TURN = 8;

/**
 * Refuses a batch whose sampler and trainer disagree: training on it would be training on something else.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { createBatch } from "./batch.ts";
 * const sequences = [{ ids: [5, 6], logps: [0, -1], mask: [0, 1] }];
 * const units = [{ id: "a", role: "agent", advantage: 1, sequences }] as const;
 * const batch = createBatch(units, { id: "u0", rollout: 0, scale: 1 });
 * assertStatistics(measureBatch(batch, [[-1.01]]));
 * assert.throws(() => assertStatistics(measureBatch(batch, [[-3]])), /worst is unit a turn 0/);
 * ```
 *
 * @throws {RangeError} naming the worst turn: its unit (a play or a reply) and its number there.
 */
export function assertStatistics(
  statistics: BatchStatistics,
  limits: StatisticsLimits = {},
): void {
  const { meanDifference = 0.25, sequenceDifference = 1, clippedShare = 0.1 } = limits;
  const { filledShare = 0.05, maxRatio = Infinity } = limits;
  type Key = (item: LogpDifference) => number;
  const { sequences } = statistics;
  const turns = sequences.flatMap((item) => item.turns);
  const long = turns.filter(({ tokens }) => tokens >= LONG_TURN);
  const worstOf = <T extends LogpDifference>(items: readonly T[], key: Key) =>
    items.reduce<T | undefined>((a, b) => a === undefined || key(b) > key(a) ? b : a, undefined);
  const refuse = (name: string, value: number, limit: number, key: Key, among = turns) => {
    if (value <= limit) return;
    const { unit, turn, ...worst } = worstOf(among, key)!;
    throw new RangeError(
      `Cannot train on the batch: ${name} is ${value.toPrecision(3)}, must be at most ${limit}; ` +
        `worst is unit ${unit} turn ${turn} with ${key(worst).toPrecision(3)}`,
    );
  };
  /** Refuses the worst of the long turns, then the worst sequence, by its worst turn. */
  const refuseOne = (name: string, key: Key, limit: { turn: number; sequence: number }) => {
    const turn = worstOf(long, key), sequence = worstOf(sequences, key);
    if (turn) refuse(`${name} of a turn`, key(turn), limit.turn, key, long);
    if (sequence) {
      refuse(`${name} of a sequence`, key(sequence), limit.sequence, key, sequence.turns);
    }
  };
  const difference: Key = (item) => item.meanDifference;
  const clipped: Key = (item) => item.clippedShare;
  const filled: Key = ({ tokens, filledLogps }) => tokens === 0 ? 0 : filledLogps / tokens;
  const share = { turn: 0.5, sequence: filledShare };
  refuseOne("share of zero-filled log-probabilities", filled, share);
  refuse("mean |p0 - q|", difference(statistics), meanDifference, difference);
  const apart = { turn: sequenceDifference, sequence: sequenceDifference };
  refuseOne("mean |p0 - q|", difference, apart);
  refuse("share of clipped weights", clipped(statistics), clippedShare, clipped);
  refuse("largest ratio", statistics.maxRatio, maxRatio, (item) => item.maxRatio);
}

/** Statistics of the trained positions [from, to) of one sequence. */
function measureRun(
  batch: RecordOf<"batch">,
  start: number,
  p0: readonly number[],
  from: number,
  to: number,
): LogpDifference {
  const tokens = to - from;
  let difference = 0, clipped = 0, maxRatio = 0, zeroLogps = 0, filledLogps = 0;
  for (let t = from; t < to; t++) {
    const q = batch.logps[start + t + 1];
    const ratio = Math.min(Math.exp(p0[t] - q), Number.MAX_VALUE);
    difference += Math.abs(p0[t] - q);
    if (ratio > 2) clipped++;
    maxRatio = Math.max(maxRatio, ratio);
    if (q === 0) {
      zeroLogps++;
      if (p0[t] < -0.01) filledLogps++;
    }
  }
  return {
    tokens,
    meanDifference: difference / tokens,
    clippedShare: clipped / tokens,
    ...{ maxRatio, zeroLogps, filledLogps },
  };
}
