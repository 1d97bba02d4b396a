/** What stands in files of others: one JSON object a line, compressed pages. Each format has one reader here. @module */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";

/** The object of a line of JSONL, or why there is none. */
export function objectOfLine(line: string): Record<string, unknown> | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "not JSON";
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? value as Record<string, unknown> : "not an object";
}

/** A page never becomes larger than its header says. */
const limited = (decompress: typeof gunzipSync) => (page: Uint8Array, length: number): Uint8Array =>
  decompress(page, { maxOutputLength: Math.max(1, length) });

/** Decompressors of Parquet's pages, by node:zlib; Snappy is hyparquet's own. */
export const compressors = {
  GZIP: limited(gunzipSync),
  ZSTD: limited(zstdDecompressSync),
  BROTLI: limited(brotliDecompressSync),
};
