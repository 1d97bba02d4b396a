/** Documents that ground the designer. @module */
import { sha256 } from "../core/mod.ts";

/** One document; a row of the table `document` but for the rollout that draws it. */
export interface CorpusDocument {
  /** sha-256 of the text. */
  id: string;
  /** The whole text, line breaks as LF. */
  text: string;
  /** Skill the document is for; empty where the corpus does not say. */
  skill: string;
  /** Where it comes from: the line's own `origin`, else `<name>:<line>` or the file's path. */
  origin: string;
  /** Its licence; `unknown` where nobody states one. */
  licence: string;
}

/** A line or file that gave no document. */
export interface Reject {
  /** Line or row, 1-based; 0 for a whole file. */
  line: number;
  /** Name of the file. */
  name: string;
  /** What is wrong with it. */
  reason: string;
}

/** Documents in order of reading, without repetition, and what was left out. */
export interface ParsedCorpus {
  /** In order of reading. */
  documents: CorpusDocument[];
  /** What gave no document. */
  rejects: Reject[];
  /** Documents left out because an earlier one has the same text. */
  duplicates: number;
}

/**
 * A document with its id.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const fields = { text: "Tides", skill: "", origin: "by hand", licence: "CC0-1.0" };
 * assert.equal(createDocument(fields).id.length, 64);
 * ```
 */
export function createDocument(fields: Omit<CorpusDocument, "id">): CorpusDocument {
  return { id: sha256(fields.text), ...fields };
}

/** The documents with the first of each text only. */
export function dropDuplicates(documents: readonly CorpusDocument[]): CorpusDocument[] {
  const seen = new Set<string>();
  return documents.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/**
 * Refuses a corpus with too many rejects.
 *
 * @throws {SyntaxError} naming the first of them when their share is above `limit`.
 */
export function assertRejects(
  rejects: readonly Reject[],
  total: number,
  options: { limit?: number; name: string },
): void {
  const { limit = 0.01, name } = options;
  if (rejects.length <= limit * total) return;
  const first = rejects.slice(0, 5).map((reject) =>
    reject.line > 0 ? `line ${reject.line}: ${reject.reason}` : `${reject.name}: ${reject.reason}`
  );
  throw new SyntaxError(
    `Cannot read corpus ${name}: ${rejects.length} of ${total} are malformed, must be at most ` +
      `${100 * limit} %; ${first.join("; ")}`,
  );
}
