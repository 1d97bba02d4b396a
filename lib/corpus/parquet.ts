/**
 * Corpora as Parquet, read by hyparquet (npm, no dependencies). Pages may be uncompressed or in Snappy (hyparquet's
 * own), gzip, Zstandard or Brotli (node:zlib). Only the columns that a document has are decoded, so a column of any
 * other kind, or one that is null everywhere, cannot disturb it.
 * @module
 */
import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from "hyparquet";
import { compressors } from "../core/mod.ts";
import { assertRejects, type CorpusDocument, type ParsedCorpus, type Reject } from "./document.ts";
import { documentOf, finish, type ParseOptions } from "./parse.ts";

const columnNames = ["orig_doc", "text", "skill", "licence", "license", "origin"];

/**
 * Documents of a Parquet file: one a row, the columns as {@link parseJsonl} has them; null counts as absent. Rows
 * without text are skipped and reported with their number, from 1.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { parquetWriteBuffer } from "hyparquet-writer";
 * const columnData = [{ name: "text", data: ["Tides", "Cells"] }];
 * const file = new Uint8Array(parquetWriteBuffer({ columnData }));
 * const { documents } = await parseParquet(file, { name: "notes" });
 * assert.deepEqual(documents.map(({ origin }) => origin), ["notes:1", "notes:2"]);
 * ```
 *
 * @throws {SyntaxError} when it is not Parquet, has no column `orig_doc` or `text`, or more than `limit` of the rows
 * have no text, naming the first.
 */
export async function parseParquet(
  bytes: Uint8Array,
  options: ParseOptions = {},
): Promise<ParsedCorpus> {
  const { name = "corpus" } = options;
  const rows = await readRows(new Uint8Array(bytes).buffer, name);
  const documents: CorpusDocument[] = [], rejects: Reject[] = [];
  rows.forEach((row, i) => {
    const result = documentOf(row, `${name}:${i + 1}`, options);
    if (typeof result === "string") rejects.push({ line: i + 1, name, reason: result });
    else documents.push(result);
  });
  assertRejects(rejects, rows.length, { ...options, name });
  return finish(documents, rejects);
}

async function readRows(file: ArrayBuffer, name: string): Promise<Record<string, unknown>[]> {
  try {
    const metadata = await parquetMetadataAsync(file);
    const found = parquetSchema(metadata).children.map(({ element }) => element.name);
    const columns = columnNames.filter((column) => found.includes(column));
    if (!columns.includes("orig_doc") && !columns.includes("text")) {
      throw new SyntaxError(`it has the columns ${found.join(", ")}, must have orig_doc or text`);
    }
    return await parquetReadObjects({ file, metadata, columns, compressors });
  } catch (cause) {
    throw new SyntaxError(`Cannot read corpus ${name}: ${(cause as Error).message}`, { cause });
  }
}
