/**
 * All tables of a run as files.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { type TableName, UsageError } from "../../core/mod.ts";
import { readTogether, type Store, tables } from "../../store/mod.ts";
import { frameColumns } from "./columns.ts";
import { type ExportedTable, exportTable, type TableFormat, tableFormats } from "./export_table.ts";
import { readTable } from "./read_table.ts";

/** What of a run is written, and how. */
export interface ExportRunOptions {
  /** Form of the files. @default "parquet" */
  format?: TableFormat;
  /** Tables to write, by the name of their records. @default all */
  tables?: readonly TableName[];
  /** Token ids and log-probabilities too: many times as large. @default false */
  tokens?: boolean;
}

/**
 * Writes one file a table into `folder`, named after the table's records (`play.parquet`), all of one state of the run.
 *
 * ```ts ignore
 * import { exportRun, openFolder } from "@spade/spade";
 *
 * using store = openFolder("runs/nano");
 * for (const { file, rows } of exportRun(store, "tables", { format: "csv" })) console.log(file, rows);
 * ```
 *
 * @throws UsageError when a table or the format is unknown
 */
export function exportRun(
  store: Store,
  folder: string,
  options: ExportRunOptions = {},
): ({ table: TableName } & ExportedTable)[] {
  const { format = "parquet", tokens = false } = options;
  const names = options.tables ?? Object.keys(tables) as TableName[];
  assertOneOf("table", names, Object.keys(tables));
  assertOneOf("format", [format], tableFormats);
  fs.mkdirSync(folder, { recursive: true });
  return readTogether(store, () =>
    names.map((table) => {
      const columns = tokens ? frameColumns(table).map(({ name }) => name) : undefined;
      const read = readTable(store, table, { columns: columns as never });
      return { table, ...exportTable(read, path.join(folder, `${table}.${format}`)) };
    }));
}

function assertOneOf(what: string, names: readonly string[], known: readonly string[]): void {
  const wrong = names.find((name) => !known.includes(name));
  if (wrong === undefined) return;
  throw new UsageError(
    `Cannot export ${what} "${wrong}": there is no such ${what}, must be one of ${
      known.join(", ")
    }`,
  );
}
