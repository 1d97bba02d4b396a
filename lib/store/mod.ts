/**
 * The run folder: one SQLite file, its chain, copies and manifest. Schema and rules: README.md.
 * @module
 */
export { type RunRecord, Store } from "./store.ts";
export type { Query, Where } from "./query.ts";
export { countLengths, type LengthCount } from "./count_lengths.ts";
export { type ColumnValues, readColumns, readTogether } from "./read_columns.ts";
export type { ChainHead } from "./chain.ts";
export { type ChainDifference, type ChainReport, verifyChain } from "./verify.ts";
export { compareRuns, type RunDifference, uncompared } from "./compare.ts";
export { checkpointCopy } from "./checkpoint.ts";
export { type Copy, describedCopy, listCopies } from "./copies.ts";
export { restoreFromCopy } from "./restore.ts";
export { CorruptRunError } from "./corrupt.ts";
export { type Loss, lossText } from "./progress.ts";
export {
  type Amendment,
  appendAmendment,
  type Difference,
  differencesOf,
  type Manifest,
  manifest,
  readManifest,
} from "./manifest.ts";
export { type Column, type ColumnKind, type Table, tables } from "./columns.ts";
export { schemaFingerprint } from "./schema.ts";
export { currentVersion as schemaVersion } from "./migrate.ts";
export { type Meanings, meanings } from "./meanings.ts";
