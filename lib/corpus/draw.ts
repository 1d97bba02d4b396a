/**
 * Drawing documents: seeded, without replacement until a pool is exhausted, then a new seeded pass [D23]. The cursor
 * is a plain object kept with every checkpoint, so that a resumed run sees no document twice.
 * @module
 */
import { Random, seedOf } from "../core/mod.ts";
import type { CorpusDocument } from "./document.ts";

/** Where one pool stands. */
export interface PoolCursor {
  /** Passes begun before this one. */
  pass: number;
  /** Documents drawn in this pass. */
  position: number;
  /** Documents in the pool: another number is another corpus. */
  size: number;
}

/** Where a run stands in its corpus; JSON as it is. */
export interface CorpusCursor {
  /** Seeds the order of every pass. */
  seed: number;
  /** By skill; the empty name is the one pool of a corpus without skills. */
  pools: Record<string, PoolCursor>;
  /** Documents drawn so far. */
  drawn: number;
  /** Of those, draws of a second or later pass: their share is in the report. */
  repeated: number;
}

/** Documents by pool, each in order of id. */
export type Corpus = Readonly<Record<string, readonly CorpusDocument[]>>;

/**
 * Pools of documents: by skill where lines carry one; documents without a skill make the pool "".
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseJsonl } from "./parse.ts";
 * const { documents } = parseJsonl('{"text":"tides","skill":"Optimization"}\n{"text":"cells"}');
 * assert.deepEqual(Object.keys(createCorpus(documents)).sort(), ["", "Optimization"]);
 * ```
 */
export function createCorpus(documents: readonly CorpusDocument[]): Corpus {
  const pools: Record<string, CorpusDocument[]> = {};
  for (const document of documents) (pools[document.skill] ??= []).push(document);
  for (const pool of Object.values(pools)) pool.sort((a, b) => a.id < b.id ? -1 : 1);
  return pools;
}

/**
 * A cursor at the start.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(createCursor(7), { seed: 7, pools: {}, drawn: 0, repeated: 0 });
 * ```
 */
export function createCursor(seed: number): CorpusCursor {
  return { seed, pools: {}, drawn: 0, repeated: 0 };
}

/** Pool that serves a skill: its own, else the pool without a skill; undefined when neither has a document. */
export function poolOf(corpus: Corpus, skill: string): string | undefined {
  return [skill, ""].find((name) => Object.hasOwn(corpus, name) && corpus[name].length > 0);
}

/**
 * One document for each of `skills`, in order, and the cursor after them. The result depends on the corpus as a set,
 * the seed and the draws before, on nothing else.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseJsonl } from "./parse.ts";
 * const corpus = createCorpus(parseJsonl('{"text":"tides"}\n{"text":"cells"}').documents);
 * const skills = ["Optimization", "Optimization", "Optimization"];
 * const { documents, cursor } = drawDocuments(corpus, createCursor(0), skills);
 * // no document comes twice before all have come
 * assert.notEqual(documents[0].id, documents[1].id);
 * assert.deepEqual([cursor.drawn, cursor.repeated], [3, 1]);
 * ```
 *
 * @throws {RangeError} when no pool serves a skill, or the cursor belongs to another corpus.
 */
export function drawDocuments(
  corpus: Corpus,
  cursor: CorpusCursor,
  skills: readonly string[],
): { documents: CorpusDocument[]; cursor: CorpusCursor } {
  const next: CorpusCursor = { ...cursor, pools: { ...cursor.pools } };
  const orders = new Map<string, readonly CorpusDocument[]>();
  const documents = skills.map((skill) => {
    const name = poolOf(corpus, skill);
    if (name === undefined) {
      throw new RangeError(
        `Cannot draw a document: the corpus has none for skill ${skill}, only for ${
          Object.keys(corpus).sort().join(", ") || "nothing"
        }`,
      );
    }
    const state = advance(next.pools[name], name, corpus[name].length);
    const key = JSON.stringify([name, state.pass]);
    const order = orders.get(key) ??
      new Random(seedOf(cursor.seed, "corpus", name, state.pass)).shuffle(corpus[name]);
    orders.set(key, order);
    next.pools[name] = { ...state, position: state.position + 1 };
    next.drawn++;
    if (state.pass > 0) next.repeated++;
    return order[state.position];
  });
  return { documents, cursor: next };
}

/** The pool's state with a document left to draw. */
function advance(state: PoolCursor | undefined, name: string, size: number): PoolCursor {
  if (state === undefined) return { pass: 0, position: 0, size };
  if (state.size !== size) {
    throw new RangeError(
      `Cannot continue the corpus: pool "${name}" has ${size} documents, must have ${state.size}`,
    );
  }
  return state.position < size ? state : { pass: state.pass + 1, position: 0, size };
}
