/** Tables and statistics of a run: pure functions over arrays of records. @module */
export * from "./advantages.ts";
export * from "./attempts.ts";
export * from "./audit/mod.ts";
export * from "./band.ts";
export * from "./between.ts";
export * from "./complexity.ts";
export * from "./cost.ts";
export * from "./diversity/mod.ts";
export * from "./environments.ts";
export * from "./estimate.ts";
export * from "./facts.ts";
export {
  type FrameColumn,
  type FrameColumnInfo,
  frameColumns,
  isPacked,
  type OutcomeColumn,
} from "./frames/columns.ts";
export { exportRun, type ExportRunOptions } from "./frames/export_run.ts";
export {
  type ExportedTable,
  exportTable,
  type TableFormat,
  tableFormats,
} from "./frames/export_table.ts";
export { type ColumnLike, kindOf } from "./frames/kinds.ts";
export { type LongTables, readLongTables, readRows } from "./frames/read_long.ts";
export { readTable, type TableOptions } from "./frames/read_table.ts";
export { openFolder, runFolders, type RunSummary, summariseRun } from "./frames/run_folder.ts";
export * from "./group.ts";
export * from "./hint_effect.ts";
export * from "./learning.ts";
export * from "./lengths.ts";
export * from "./lineage.ts";
export * from "./regret.ts";
export * from "./shrunk.ts";
export * from "./spread.ts";
export * from "./staleness.ts";
export * from "./tables.ts";
export { trainedPlays } from "./trained.ts";
export * from "./unit_cost.ts";
export * from "./validity.ts";
