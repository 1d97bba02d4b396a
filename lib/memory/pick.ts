/** What the designer is shown of the memory, and what fills a short set. @module */
import type { MemoryLine, Random } from "../core/mod.ts";
import { type MemoryRecord, sortByAge } from "./records.ts";

/** Success rates worth repeating; at the frontier of the agent. */
export const FRONTIER = { low: 0.15, high: 0.85 } as const;

/** Seeds and at most one negative, all of one skill. */
export interface Picked {
  seeds: MemoryRecord[];
  negative: MemoryRecord | null;
}

/** Whether a record's success rate lies in [.15, .85]. */
export function isFrontier(record: MemoryRecord): boolean {
  return record.successRate >= FRONTIER.low && record.successRate <= FRONTIER.high;
}

/** `easy` above .9, `hard` below .1, else nothing to warn of. */
export function negativeVerdict(record: MemoryRecord): "easy" | "hard" | undefined {
  return record.successRate > 0.9 ? "easy" : record.successRate < 0.1 ? "hard" : undefined;
}

/**
 * Draws, for one skill, up to 2 seeds among the top 10 by regret of its frontier records, and up to 1 negative. A
 * missing regret ranks below every measured one, ties by age, newest first. The generator is the caller's, seeded and
 * saved; it moves by the same records in the same way whatever order they come in.
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

/** Records that may fill an empty or short set: on the frontier, newest first. */
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
