/** What the designer is shown of the memory, and what fills a short set. @module */
import type { MemoryLine, Random } from "../core/mod.ts";
import { type MemoryRecord, sortByAge } from "./records.ts";

/** Success rates worth repeating; at the frontier of the agent. */
export const FRONTIER = { low: 0.15, high: 0.85 } as const;

/** Seeds and at most one negative, all of one skill. */
export interface Picked {
  /** To vary: at the agent's frontier, most regret first drawn from. */
  seeds: MemoryRecord[];
  /** To avoid; null where none is too easy or too hard. */
  negative: MemoryRecord | null;
}

/**
 * Whether a record's success rate lies in [.15, .85].
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const record = {
 *   ...{ id: "a", rollout: 0, skill: "Optimization", source: "", description: "AEnv", order: 0 },
 *   ...{ winRate: 0.5, successRate: 0.5, regret: 0.1, low: null, high: null, plays: 8 },
 *   ...{ hint: null, documentId: null, parents: [] },
 * };
 * assert.equal(isFrontier(record), true);
 * assert.equal(isFrontier({ ...record, successRate: 0.9 }), false);
 * ```
 */
export function isFrontier(record: MemoryRecord): boolean {
  return record.successRate >= FRONTIER.low && record.successRate <= FRONTIER.high;
}

/**
 * `easy` above .9, `hard` below .1, else nothing to warn of.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const record = {
 *   ...{ id: "a", rollout: 0, skill: "Optimization", source: "", description: "AEnv", order: 0 },
 *   ...{ winRate: 1, successRate: 1, regret: 0, low: null, high: null, plays: 8 },
 *   ...{ hint: null, documentId: null, parents: [] },
 * };
 * assert.equal(negativeVerdict(record), "easy");
 * ```
 */
export function negativeVerdict(record: MemoryRecord): "easy" | "hard" | undefined {
  return record.successRate > 0.9 ? "easy" : record.successRate < 0.1 ? "hard" : undefined;
}

/**
 * Draws, for one skill, up to 2 seeds among the top 10 by regret of its frontier records, and up to 1 negative. A
 * missing regret ranks below every measured one, ties by age, newest first. The generator is the caller's, seeded and
 * saved; it moves by the same records in the same way whatever order they come in.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { Random } from "../core/mod.ts";
 * const records = [0.5, 0.6, 1].map((successRate, order) => ({
 *   ...{ id: String(order), rollout: 0, skill: "Optimization", source: "", description: "AEnv" },
 *   ...{ winRate: successRate, successRate, regret: 0.1, low: null, high: null, plays: 8 },
 *   ...{ hint: null, documentId: null, parents: [], order },
 * }));
 * const { seeds, negative } = pickMemory(records, "Optimization", new Random(0));
 * assert.deepEqual(seeds.map(({ id }) => id).sort(), ["0", "1"]);
 * assert.equal(negative?.id, "2");
 * ```
 */
export function pickMemory(
  records: readonly MemoryRecord[],
  skill: string,
  random: Random,
  options: { seeds?: number; top?: number; negatives?: 0 | 1 } = {},
): Picked {
  const { seeds = 2, top = 10, negatives = 1 } = options;
  const own = sortByAge(records).reverse().filter((record) => record.skill === skill);
  const best = own.filter(isFrontier).sort((a, b) => rank(b) - rank(a) || b.order - a.order);
  const drawn = random.shuffle(best.slice(0, top)).slice(0, seeds);
  const bad = own.filter((record) => negativeVerdict(record) !== undefined);
  const negative = negatives > 0 && bad.length > 0 ? bad[random.integer(bad.length)] : null;
  return { seeds: drawn, negative };
}

/**
 * Lines for the designer's prompt: seeds with their code, the negative with its description only [D3]. Code beyond
 * `snippet` characters is cut at a line's end.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const record = {
 *   ...{ id: "a", rollout: 0, skill: "Optimization", source: "class AEnv: ...\n", order: 0 },
 *   ...{ winRate: 1, successRate: 1, regret: null, low: null, high: null, plays: 8 },
 *   ...{ description: "AEnv", hint: null, documentId: null, parents: [] },
 * };
 * // of a negative the designer sees one line, not the code it might repeat
 * const [line] = memoryLines({ seeds: [], negative: record });
 * assert.deepEqual([line.verdict, line.source, line.description], ["easy", "", "AEnv"]);
 * ```
 */
export function memoryLines(picked: Picked, options: { snippet?: number } = {}): MemoryLine[] {
  const { snippet = 2000 } = options;
  const line = (record: MemoryRecord, verdict: MemoryLine["verdict"]): MemoryLine => ({
    verdict,
    source: verdict === "good" ? cutLines(record.source, snippet) : "",
    description: record.description,
    successRate: record.successRate,
    ...(record.regret === null ? {} : { regret: record.regret }),
  });
  const lines = picked.seeds.map((record) => line(record, "good"));
  const verdict = picked.negative ? negativeVerdict(picked.negative) : undefined;
  if (picked.negative && verdict) lines.push(line(picked.negative, verdict));
  return lines;
}

/**
 * Records that may fill an empty or short set: on the frontier, newest first.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const records = [0.5, 0.5, 1].map((successRate, order) => ({
 *   ...{ id: String(order), rollout: 0, skill: "Optimization", source: "", description: "AEnv" },
 *   ...{ winRate: successRate, successRate, regret: 0.1, low: null, high: null, plays: 8 },
 *   ...{ hint: null, documentId: null, parents: [], order },
 * }));
 * assert.deepEqual(fillCandidates(records).map(({ id }) => id), ["1", "0"]);
 * ```
 */
export function fillCandidates(
  records: readonly MemoryRecord[],
  options: { skills?: readonly string[]; exclude?: readonly string[] } = {},
): MemoryRecord[] {
  const { skills, exclude = [] } = options;
  return sortByAge(records).reverse().filter((record) =>
    isFrontier(record) && !exclude.includes(record.id) &&
    (skills === undefined || skills.includes(record.skill))
  );
}

function rank(record: MemoryRecord): number {
  return record.regret ?? -Number.MAX_VALUE;
}

function cutLines(source: string, limit: number): string {
  if (source.length <= limit) return source;
  const end = source.lastIndexOf("\n", limit - 1);
  return source.slice(0, end < 0 ? limit : end + 1);
}
