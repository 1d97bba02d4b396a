/**
 * `deno task tables`: a run's tables, listed, shown or written to files.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import {
  exportRun,
  frameColumns,
  isPacked,
  openFolder,
  readTable,
  type TableFormat,
  tableFormats,
} from "../analysis/mod.ts";
import { type TableName, UsageError } from "../core/mod.ts";
import { formatCount, formatLarge, tableRows, textTable } from "../show/mod.ts";
import { type Store, tables } from "../store/mod.ts";
import { findRun, root } from "./files.ts";
import type { Invocation } from "./main.ts";
import { type Command, textValue, type Values } from "./options.ts";

export const tablesCommand: Command = {
  name: "tables",
  does: "list a run's tables, show one, or export them",
  arguments: ["RUN"],
  options: {
    table: { type: "string" },
    out: { type: "string" },
    format: { type: "string" },
    tokens: { type: "boolean" },
  },
  help: `deno task tables RUN [--table NAME] [--out DIR [--format FORMAT] [--tokens]]

Lists the tables of runs/RUN with their rows and columns. The run may be in work.

  --table NAME      one table only: its columns and first rows, or the one to write
  --out DIR         write a file a table into DIR, which lies in runs/
  --format FORMAT   ${tableFormats.join(", ")} (default: parquet)
  --tokens          write token ids and log-probabilities too`,
};

export function listTables({ values, positionals }: Invocation): Promise<number> {
  const table = tableOf(values.table);
  const out = textValue(values.out);
  const format = formatOf(values);
  if (out === undefined && (format !== undefined || values.tokens === true)) {
    throw new UsageError("Cannot write tables: --out is missing, must name a folder in runs/");
  }
  using store = openFolder(findRun(positionals[0]));
  if (out !== undefined) {
    const options = { format, tokens: values.tokens === true, tables: table && [table] };
    console.log(exportTo(store, path.resolve(out), options));
  } else {
    const width = Deno.stdout.isTerminal() ? Deno.consoleSize().columns : 120;
    console.log(table === undefined ? listText(store, width) : tableText(store, table, width));
  }
  return Promise.resolve(0);
}

function tableOf(value: Values[string]): TableName | undefined {
  const name = textValue(value);
  if (name === undefined || name in tables) return name as TableName | undefined;
  throw new UsageError(
    `Cannot show table "${name}": a run has ${Object.keys(tables).join(", ")}`,
  );
}

function formatOf(values: Values): TableFormat | undefined {
  const name = textValue(values.format);
  const found = tableFormats.find((format) => format === name);
  if (name === undefined || found !== undefined) return found;
  throw new UsageError(`Cannot use --format ${name}: must be one of ${tableFormats.join(", ")}`);
}

function listText(store: Store, width: number): string {
  const rows = (Object.keys(tables) as TableName[]).map((table) => [
    table,
    formatCount(store.count(table)),
    frameColumns(table).map((column) => isPacked(column) ? `(${column.name})` : column.name)
      .join(", "),
  ]);
  return textTable(["table", "#rows", "columns; (read and written on request)"], rows, { width })
    .trimEnd();
}

function tableText(store: Store, table: TableName, width: number): string {
  const kinds = frameColumns(table).map(({ name, kind, nullable }) => [
    name,
    nullable ? `${kind} or null` : kind,
  ]);
  return `${textTable(["column", "kind"], kinds)}\n${
    tableRows(readTable(store, table), { width }).text
  }`;
}

function exportTo(store: Store, folder: string, options: Parameters<typeof exportRun>[2]): string {
  const runs = path.join(root, "runs");
  if (path.relative(runs, folder).startsWith("..")) {
    throw new UsageError(`Cannot write to ${folder}: this task writes below ${runs} only`);
  }
  if (fs.existsSync(folder) && !fs.statSync(folder).isDirectory()) {
    throw new UsageError(`Cannot write to ${folder}: it is a file, must be a folder`);
  }
  const rows = exportRun(store, folder, options).map(({ file, rows, bytes }) => [
    path.relative(root, file),
    formatCount(rows),
    formatLarge(bytes),
  ]);
  return textTable(["file", "#rows", "#bytes"], rows).trimEnd();
}
