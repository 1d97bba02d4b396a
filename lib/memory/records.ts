/**
 * The memory of past environments: the newest 200, re-scored on every later play (spade.md section 11). Pure
 * functions: records in, new records out.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";

/** One remembered environment: a row of the table `memory`. */
export type MemoryRecord = RecordOf<"memory">;

/** Plays of a remembered environment, made after its last score. */
export interface Evidence {
  /** Scored plain returns, in [-1, 1]. */
  returns: readonly number[];
  /** Successes among them. */
  successes: number;
  /** A new regret, where the hinted arm was played again; else the old one stays. */
  regret?: { value: number; low: number | null; high: number | null };
}

/**
 * Memory with one more record, oldest out first. An environment met again takes its new record and becomes the newest.
 * `order` counts up and is never used twice.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const entry = {
 *   ...{ id: "a", rollout: 0, skill: "Optimization", source: "", description: "AEnv" },
 *   ...{ winRate: 0.5, successRate: 0.5, regret: 0.1, low: null, high: null, plays: 8 },
 *   ...{ hint: null, documentId: null, parents: [] },
 * };
 * const { records } = addMemory([], entry);
 * const { records: kept, dropped } = addMemory(records, { ...entry, id: "b" }, { limit: 1 });
 * assert.deepEqual([kept[0].id, dropped[0].id], ["b", "a"]);
 * ```
 */
export function addMemory(
  records: readonly MemoryRecord[],
  entry: Omit<MemoryRecord, "order">,
  options: { limit?: number } = {},
): { records: MemoryRecord[]; dropped: MemoryRecord[] } {
  assertShare("success rate", entry.successRate);
  const others = sortByAge(records.filter((record) => record.id !== entry.id));
  const order = records.reduce((max, record) => Math.max(max, record.order), -1) + 1;
  const all = [...others, { ...entry, order }];
  const from = Math.max(0, all.length - (options.limit ?? 200));
  return { records: all.slice(from), dropped: all.slice(0, from) };
}

/**
 * Memory after later plays of one environment [D21]. Old plays count fully up to `keep`, then as `keep`: the policy
 * moves, so a rate must be able to come back into the band it left. Unknown ids and empty evidence change nothing.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const record = {
 *   ...{ id: "a", rollout: 0, skill: "Optimization", source: "", description: "AEnv", order: 0 },
 *   ...{ winRate: 0, successRate: 0, regret: 0.1, low: null, high: null, plays: 8 },
 *   ...{ hint: null, documentId: null, parents: [] },
 * };
 * // the policy has learnt it: 8 wins beside 8 old losses
 * const [now] = rescoreMemory([record], "a", { returns: Array(8).fill(1), successes: 8 });
 * assert.deepEqual([now.successRate, now.plays], [0.5, 16]);
 * ```
 *
 * @throws {RangeError} when the evidence contradicts itself.
 */
export function rescoreMemory(
  records: readonly MemoryRecord[],
  id: string,
  evidence: Evidence,
  options: { keep?: number } = {},
): MemoryRecord[] {
  const { returns, successes, regret } = evidence, plays = returns.length;
  if (!(successes >= 0 && successes <= plays) || !returns.every(Number.isFinite)) {
    throw new RangeError(
      `Cannot rescore ${id}: ${successes} successes of ${plays} finite returns`,
    );
  }
  return records.map((record) => {
    if (record.id !== id) return record;
    const old = Math.min(record.plays, options.keep ?? 32), all = old + plays;
    const sum = returns.reduce((total, value) => total + value, 0);
    return {
      ...record,
      ...(plays === 0 ? {} : {
        winRate: (record.winRate * old + sum) / all,
        successRate: Math.min(1, (record.successRate * old + successes) / all),
        plays: record.plays + plays,
      }),
      ...(regret ? { regret: regret.value, low: regret.low, high: regret.high } : {}),
    };
  });
}

/** Records from the oldest to the newest. */
export function sortByAge(records: readonly MemoryRecord[]): MemoryRecord[] {
  return [...records].sort((a, b) => a.order - b.order);
}

function assertShare(name: string, value: number): void {
  if (!(value >= 0 && value <= 1)) {
    throw new RangeError(`Cannot remember: ${name} is ${value}, must be in [0, 1]`);
  }
}
