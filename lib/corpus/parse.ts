/** Corpora as text: JSONL and a folder of text files; Parquet is in `parquet.ts`. @module */
import { objectOfLine } from "../core/mod.ts";
import {
  assertRejects,
  type CorpusDocument,
  createDocument,
  dropDuplicates,
  type ParsedCorpus,
  type Reject,
} from "./document.ts";

/** How a corpus is read. */
export interface ParseOptions {
  /** Name shown in errors and origins, e.g. the file's. @default "corpus" */
  name?: string;
  /** Licence of documents that do not state theirs. @default "unknown" */
  licence?: string;
  /** Largest share of malformed lines or files. @default 0.01 */
  limit?: number;
}

/**
 * Documents of JSONL: one object a line, text in `orig_doc`, else `text`; `skill`, `licence` (or `license`) and
 * `origin` where present; null counts as absent. Blank lines are no lines. Malformed lines are skipped and reported
 * with their number.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { documents } = parseJsonl('{"text":"tides","skill":"Causal Inference"}\n');
 * assert.equal(documents[0].skill, "Causal Inference");
 * assert.equal(documents[0].origin, "corpus:1");
 * ```
 *
 * @throws {SyntaxError} when more than `limit` of the lines are malformed, naming the first.
 */
export function parseJsonl(content: string, options: ParseOptions = {}): ParsedCorpus {
  const { name = "corpus" } = options;
  const documents: CorpusDocument[] = [], rejects: Reject[] = [];
  let total = 0;
  content.replace(/^\uFEFF/, "").split("\n").forEach((line, i) => {
    if (line.trim() === "") return;
    total++;
    const result = parseLine(line, `${name}:${i + 1}`, options);
    if (typeof result === "string") rejects.push({ line: i + 1, name, reason: result });
    else documents.push(result);
  });
  assertRejects(rejects, total, { ...options, name });
  return finish(documents, rejects);
}

/**
 * Documents of text files, one each, in order of path whatever order they come in; origin is the path. Empty files
 * are rejects.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const files = [{ path: "b.txt", text: "Cells" }, { path: "a.txt", text: "Tides" }];
 * const { documents } = parseFolder(files, { licence: "CC0-1.0" });
 * assert.deepEqual(documents.map(({ origin }) => origin), ["a.txt", "b.txt"]);
 * ```
 *
 * @throws {SyntaxError} when more than `limit` of the files are empty.
 */
export function parseFolder(
  files: readonly { path: string; text: string }[],
  options: ParseOptions = {},
): ParsedCorpus {
  const { licence = "unknown", name = "corpus" } = options;
  const documents: CorpusDocument[] = [], rejects: Reject[] = [];
  for (const { path, text } of [...files].sort((a, b) => a.path < b.path ? -1 : 1)) {
    const clean = normalize(text);
    if (clean.trim() === "") rejects.push({ line: 0, name: path, reason: "file is empty" });
    else documents.push(createDocument({ text: clean, skill: "", origin: path, licence }));
  }
  assertRejects(rejects, files.length, { ...options, name });
  return finish(documents, rejects);
}

/** The corpus of documents read in order. */
export function finish(documents: CorpusDocument[], rejects: Reject[]): ParsedCorpus {
  const kept = dropDuplicates(documents);
  return { documents: kept, rejects, duplicates: documents.length - kept.length };
}

/** The document of a line, or why there is none. */
function parseLine(line: string, place: string, options: ParseOptions): CorpusDocument | string {
  const fields = objectOfLine(line);
  return typeof fields === "string" ? fields : documentOf(fields, place, options);
}

/** The document of a line's or row's fields, or why there is none; `place` is its origin unless it has its own. */
export function documentOf(
  fields: Record<string, unknown>,
  place: string,
  options: ParseOptions,
): CorpusDocument | string {
  const text = fields.orig_doc ?? fields.text;
  if (typeof text !== "string") return "no text in orig_doc or text";
  const clean = normalize(text);
  if (clean.trim() === "") return "text is empty";
  const optional = {
    skill: fields.skill ?? "",
    origin: fields.origin ?? place,
    licence: fields.licence ?? fields.license ?? options.licence ?? "unknown",
  };
  for (const [key, entry] of Object.entries(optional)) {
    if (typeof entry !== "string") return `${key} is not text`;
  }
  return createDocument({ text: clean, ...optional as Record<keyof typeof optional, string> });
}

/** One kind of line break, and no half characters: the text as it will be hashed and stored. */
function normalize(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n").toWellFormed();
}
