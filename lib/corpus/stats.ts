/** What a corpus holds, in numbers. @module */
import type { ParsedCorpus } from "./document.ts";

/** Order statistics of lengths; all 0 without a document. */
export interface Lengths {
  /** Shortest. */
  least: number;
  /** First quartile, median and third quartile. */
  quartiles: [number, number, number];
  /** Longest. */
  most: number;
  /** Sum. */
  total: number;
}

/** Documents with lengths between `from` and `to`, both inside. */
export interface LengthBin {
  /** Shortest in the bin. */
  from: number;
  /** Longest in the bin. */
  to: number;
  /** Documents. */
  count: number;
}

/** Counts of a corpus. Words are what stands between white space. */
export interface CorpusStats {
  /** Documents kept. */
  documents: number;
  /** Left out because an earlier document has the same text. */
  duplicates: number;
  /** Documents that differ from an earlier one only in case, punctuation or spaces; they are kept. */
  nearDuplicates: number;
  /** Lines or files that gave no document. */
  rejects: number;
  /** Documents by licence and by skill, most first; the empty skill is "none". */
  licences: [string, number][];
  /** As `licences`. */
  skills: [string, number][];
  /** Lengths in words. */
  words: Lengths;
  /** Lengths in UTF-16 units. */
  characters: Lengths;
  /** By words, at most 12 bins of one width. */
  histogram: LengthBin[];
}

/**
 * Numbers of a parsed corpus.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseJsonl } from "./parse.ts";
 * const parsed = parseJsonl('{"text":"the tides"}\n{"text":"The tides!"}\n{"text":"cells"}');
 * const { documents, nearDuplicates, words } = corpusStats(parsed);
 * assert.deepEqual([documents, nearDuplicates, words.total], [3, 1, 5]);
 * ```
 */
export function corpusStats({ documents, rejects, duplicates }: ParsedCorpus): CorpusStats {
  const words = documents.map(({ text }) => text.match(/\S+/g)?.length ?? 0);
  const folded = documents.map(({ text }) =>
    text.toLowerCase().replace(/[\p{P}\s]+/gu, " ").trim()
  );
  return {
    documents: documents.length,
    duplicates,
    nearDuplicates: folded.length - new Set(folded).size,
    rejects: rejects.length,
    licences: countBy(documents.map(({ licence }) => licence)),
    skills: countBy(documents.map(({ skill }) => skill || "none")),
    words: lengthsOf(words),
    characters: lengthsOf(documents.map(({ text }) => text.length)),
    histogram: histogramOf(words),
  };
}

function countBy(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function lengthsOf(values: readonly number[]): Lengths {
  if (values.length === 0) return { least: 0, quartiles: [0, 0, 0], most: 0, total: 0 };
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))];
  return {
    least: sorted[0],
    quartiles: [at(0.25), at(0.5), at(0.75)],
    most: sorted[sorted.length - 1],
    total: sorted.reduce((sum, value) => sum + value, 0),
  };
}

/** At most 12 bins of a round width (1, 2 or 5 times a power of ten), from the one with the least to that of the most. */
function histogramOf(words: readonly number[]): LengthBin[] {
  if (words.length === 0) return [];
  const { least, most } = lengthsOf(words);
  let width = 1;
  for (let i = 0; Math.floor(most / width) - Math.floor(least / width) >= 12; i++) {
    width = [1, 2, 5][(i + 1) % 3] * 10 ** Math.floor((i + 1) / 3);
  }
  const first = Math.floor(least / width), last = Math.floor(most / width);
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const from = (first + i) * width, to = from + width - 1;
    return { from, to, count: words.filter((n) => n >= from && n <= to).length };
  });
}
