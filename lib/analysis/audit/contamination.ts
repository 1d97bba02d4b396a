/**
 * Contamination: evaluation items that stand in what a run was trained on, its corpus documents and its
 * environments.
 *
 * Three ways to meet. Runs of 13 words, case, layout and punctuation aside (Brown et al. 2020, appendix C). Lines
 * of an item that are too short for that, whole. Vectors of any embedding, where they are given: they find a
 * paraphrase, and more besides. Words and lines that many items or many sources have are the form of such texts,
 * not their content, and do not count: imports, signatures, licence notes, the frame of a family of tasks.
 * @module
 */
import { unitVectors } from "../diversity/kernels.ts";
import { type Share, shareOf } from "../estimate.ts";

/** A text by name: an evaluation item, a document, an environment's source. */
export interface NamedText {
  /** Its name in the report. */
  id: string;
  /** The whole text. */
  text: string;
}

/** How an item and a source met. */
export type ContaminationWay = "run" | "line" | "embedding";

/** One item met in one source. */
export interface Contamination {
  /** The evaluation item. */
  itemId: string;
  /** Document or environment it was met in. */
  sourceId: string;
  /** How. */
  way: ContaminationWay;
  /** Of the item's own runs, or lines: those in the source. By embedding: the cosine. */
  share: number;
  /** A run or line they have in common; empty by embedding. */
  example: string;
}

/** What counts as a meeting. */
export interface ContaminationOptions {
  /** Words of a run. @default 13 */
  words?: number;
  /** Least words of a short line; it needs 20 characters, too. @default 4 */
  lineWords?: number;
  /** Items that may share a run or line before it is taken for form. @default 2, or 2 % of all */
  commonItems?: number;
  /** The same of sources. @default 10, or 10 % of all */
  commonSources?: number;
  /** A vector for each item and source, and the least cosine that counts. */
  embedding?: {
    items: readonly ArrayLike<number>[];
    sources: readonly ArrayLike<number>[];
    threshold: number;
  };
}

/** How much of the items each way met. */
export interface ContaminationReport {
  /** Most telling first: by way, then by share. */
  found: Contamination[];
  /** Items with at least one meeting, by way and in all. */
  items: Record<ContaminationWay | "any", Share>;
  /** Runs and lines that were left out as form. */
  ignored: number;
}

/**
 * Meets of items and sources.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const item = { id: "q1", text: "How many pears has Ada left after Tuesday's market?" };
 * const source = { id: "d1", text: "Quiz.\nHow many pears has Ada left after Tuesday's market?\n" };
 * assert.equal(findContamination([item], [source]).found[0].way, "line");
 * ```
 */
export function findContamination(
  items: readonly NamedText[],
  sources: readonly NamedText[],
  options: ContaminationOptions = {},
): ContaminationReport {
  const { words = 13, lineWords = 4, embedding } = options;
  const commonItems = options.commonItems ?? Math.max(2, 0.02 * items.length);
  const commonSources = options.commonSources ?? Math.max(10, 0.1 * sources.length);
  const ways = [
    { way: "run" as const, piecesOf: (text: string) => runsOf(text, words) },
    { way: "line" as const, piecesOf: (text: string) => linesOf(text, lineWords, words) },
  ];
  let ignored = 0;
  const found = ways.flatMap(({ way, piecesOf }) => {
    const met = meet(items, sources, piecesOf, commonItems, commonSources);
    ignored += met.ignored;
    return met.found.map((one): Contamination => ({ ...one, way }));
  });
  if (embedding) found.push(...near(items, sources, embedding));
  const order = ["run", "line", "embedding"];
  found.sort((a, b) => order.indexOf(a.way) - order.indexOf(b.way) || b.share - a.share);
  const share = (way?: ContaminationWay) =>
    shareOf(
      new Set(found.filter((one) => !way || one.way === way).map(({ itemId }) => itemId)).size,
      items.length,
    );
  return {
    found,
    items: {
      run: share("run"),
      line: share("line"),
      embedding: share("embedding"),
      any: share(),
    },
    ignored,
  };
}

type Meeting = Omit<Contamination, "way">;

function meet(
  items: readonly NamedText[],
  sources: readonly NamedText[],
  piecesOf: (text: string) => Iterable<string>,
  commonItems: number,
  commonSources: number,
): { found: Meeting[]; ignored: number } {
  const holders = new Map<string, { items: number[]; sources: number[] }>();
  items.forEach(({ text }, i) => {
    for (const piece of new Set(piecesOf(text))) {
      const of = holders.get(piece) ?? { items: [], sources: [] };
      holders.set(piece, of);
      of.items.push(i);
    }
  });
  sources.forEach(({ text }, j) => {
    for (const piece of piecesOf(text)) {
      const of = holders.get(piece);
      if (of !== undefined && of.sources.at(-1) !== j) of.sources.push(j);
    }
  });
  let ignored = 0;
  const own = new Float64Array(items.length);
  const pairs = new Map<string, { i: number; j: number; count: number; example: string }>();
  for (const [piece, of] of holders) {
    if (of.items.length > commonItems || of.sources.length > commonSources) {
      ignored += 1;
      continue;
    }
    for (const i of of.items) {
      own[i] += 1;
      for (const j of of.sources) {
        const key = `${i} ${j}`, pair = pairs.get(key);
        if (pair) pair.count += 1;
        else pairs.set(key, { i, j, count: 1, example: piece });
      }
    }
  }
  const found = [...pairs.values()].map(({ i, j, count, example }) => ({
    itemId: items[i].id,
    sourceId: sources[j].id,
    share: count / own[i],
    example,
  }));
  return { found, ignored };
}

/** Letters and digits in lower case; all else parts words. */
function wordsOf(text: string): string[] {
  return text.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function* runsOf(text: string, length: number): Generator<string> {
  const words = wordsOf(text);
  for (let i = 0; i + length <= words.length; i++) yield words.slice(i, i + length).join(" ");
}

/** Whole lines of fewer words than a run has. */
function* linesOf(text: string, least: number, run: number): Generator<string> {
  for (const line of text.split("\n")) {
    const words = wordsOf(line), joined = words.join(" ");
    if (words.length >= least && words.length < run && joined.length >= 20) yield joined;
  }
}

/** Each item's nearest source, where it is near enough. */
function near(
  items: readonly NamedText[],
  sources: readonly NamedText[],
  embedding: NonNullable<ContaminationOptions["embedding"]>,
): Contamination[] {
  if (embedding.items.length !== items.length || embedding.sources.length !== sources.length) {
    throw new RangeError(
      `Cannot compare vectors: ${embedding.items.length} of items and ${embedding.sources.length} ` +
        `of sources, must be ${items.length} and ${sources.length}`,
    );
  }
  const units = unitVectors([...embedding.items, ...embedding.sources]);
  return items.flatMap(({ id }, i): Contamination[] => {
    let at = -1, most = -Infinity;
    sources.forEach((_, j) => {
      const other = units[items.length + j];
      const cosine = units[i].reduce((sum, value, k) => sum + value * other[k], 0);
      if (cosine > most) [at, most] = [j, cosine];
    });
    if (!(most >= embedding.threshold)) return [];
    return [{ itemId: id, sourceId: sources[at].id, way: "embedding", share: most, example: "" }];
  });
}
