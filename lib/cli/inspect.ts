/**
 * `inspect RUN [ENV]`: lists the environments of a run or shows one, as text or as a self-contained page.
 * @module
 */
import {
  environmentDetail,
  findEnvironment,
  listTables,
  loadEnvironment,
  loadRun,
  type TableReader,
} from "../analysis/mod.ts";
import { inspectHtml, inspectListHtml, inspectListText, inspectText } from "../show/mod.ts";

export interface InspectOptions {
  /** First digits of an environment's id; without it the list. */
  environment?: string;
  /** Name of the run's folder, for the title. */
  name?: string;
  /** As an HTML page. @default false */
  html?: boolean;
  /** Characters in a line of text. @default 120 */
  width?: number;
  /** Pairs of plays shown in full as text. @default 1 */
  plays?: number;
}

/**
 * The text or page to print or write.
 *
 * @throws UsageError when no environment, or more than one, has such an id.
 */
export function inspectRun(store: TableReader, options: InspectOptions = {}): string {
  const { environment: prefix, name, html = false, width = 120, plays } = options;
  if (prefix === undefined) {
    const tables = loadRun(store, listTables);
    return html ? inspectListHtml(tables, { name }) : inspectListText(tables, { width });
  }
  const { id } = findEnvironment(loadRun(store, ["environment"]), prefix);
  const detail = environmentDetail(loadEnvironment(store, id), id);
  return html ? inspectHtml(detail) : inspectText(detail, { width, plays });
}
