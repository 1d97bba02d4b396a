/** The list of a run's environments as a page. @module */
import { environmentSummaries, type EnvironmentSummary, type RunTables } from "../analysis/mod.ts";
import { escapeHtml } from "./escape.ts";
import { formatCount } from "./format.ts";
import { listHeadings, listRow } from "./inspect_rows.ts";
import {
  type Content,
  detailsHtml,
  html,
  pageHtml,
  paragraphHtml,
  sectionHtml,
  tableHtml,
} from "./page.ts";

/** Of the list's page. */
export interface InspectListOptions {
  /** The run's. @default its record's id */
  name?: string;
  /** Addresses of environments' pages by id; those without one are not linked. @default none */
  pages?: ReadonlyMap<string, string>;
}

/**
 * All environments of a run, accepted first.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { emptyTables } from "../analysis/mod.ts";
 * assert.match(inspectListHtml(emptyTables(), { name: "first" }), /Environments of run first/);
 * ```
 */
export function inspectListHtml(tables: RunTables, options: InspectListOptions = {}): string {
  const all = environmentSummaries(tables);
  const accepted = all.filter((e) => e.refusedBy === undefined);
  const refused = all.filter((e) => e.refusedBy !== undefined);
  const { name = tables.run[0]?.id ?? "", pages = new Map() } = options;
  const how = pages.size >= all.length && pages.size > 0
    ? ""
    : " <code>deno task inspect RUN ID</code> shows one; a few digits of the id are enough.";
  const row = (e: EnvironmentSummary): Content[] => {
    const [id, ...rest] = nameFirst(listRow(e)), page = pages.get(e.environmentId);
    const name = page === undefined ? html(`<code>${escapeHtml(id)}</code>`) : linkHtml(page, id);
    return [name, ...rest];
  };
  const table = (of: readonly EnvironmentSummary[]) =>
    tableHtml(nameFirst(listHeadings), of.map(row), { className: "list" });
  return pageHtml(`Environments of run ${name}`, [
    paragraphHtml(html(
      `${formatCount(all.length)} programs: ${formatCount(accepted.length)} accepted, ` +
        `${formatCount(refused.length)} refused.${how}`,
    )),
    sectionHtml("Accepted", accepted.length > 0 ? table(accepted) : paragraphHtml("None.")),
    refused.length > 0
      ? detailsHtml(
        `refused (${formatCount(refused.length)})`,
        table(refused),
      )
      : "",
  ], { style: listStyle });
}

/** The class beside the id: narrow pages show the first columns only. */
function nameFirst<T>(row: readonly T[]): T[] {
  const at = listHeadings.indexOf("class");
  return [row[0], row[at], ...row.slice(1, at), ...row.slice(at + 1)];
}

const listStyle = `
main{max-width:1240px}
.list th,.list td{white-space:nowrap}
.list td{max-width:22em;overflow:hidden;text-overflow:ellipsis}
`;

/** A link to a page beside this one. */
export function linkHtml(address: string, text: string): Content {
  return html(`<a href="${escapeHtml(encodeURI(address))}"><code>${escapeHtml(text)}</code></a>`);
}
