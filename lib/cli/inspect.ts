/**
 * `inspect RUN [ENV]`: lists the environments of a run or shows one, as text and as self-contained pages.
 * @module
 */
import {
  type EnvironmentDetail,
  environmentDetail,
  findEnvironment,
  listTables,
  loadEnvironment,
  loadRun,
  type TableReader,
  trainedPlays,
} from "../analysis/mod.ts";
import type { RecordOf, TableName } from "../core/mod.ts";
import {
  inspectHtml,
  type InspectHtmlOptions,
  inspectListHtml,
  inspectListText,
  inspectText,
} from "../show/mod.ts";
import type { Store } from "../store/mod.ts";
import { runTokenizer } from "./run_tokenizer.ts";

/** What is shown, and how. */
export interface InspectOptions {
  /** First digits of an environment's id; without it the list. */
  environment?: string;
  /** Characters in a line of text. @default 120 */
  width?: number;
  /** Pairs of plays shown in full as text. @default 1 */
  plays?: number;
}

/**
 * The text to print.
 *
 * @throws UsageError when no environment, or more than one, has such an id.
 */
export function inspectRun(store: TableReader, options: InspectOptions = {}): string {
  const { environment: prefix, width = 120, plays } = options;
  if (prefix === undefined) return inspectListText(loadRun(store, listTables), { width });
  const { id } = findEnvironment(loadRun(store, ["environment"]), prefix);
  return inspectText(environmentDetail(loadEnvironment(store, id), id), { width, plays });
}

/** A page and the name of its file. */
export interface Page {
  /** Beside the other pages of the run. */
  file: string;
  /** The document. */
  html: string;
}

/** What pages link to and are called. */
export interface PagesOptions {
  /** Name of the run's folder, for titles. */
  name: string;
  /** Ids of environments whose pages are there, or will be. */
  written: Iterable<string>;
  /** Whether the list's page is there, or will be. @default false */
  listed?: boolean;
}

/** The file of the list's page. */
export const listFile = "index.html";

/** The file of an environment's page. */
export function pageFile(environmentId: string): string {
  return `${environmentId.slice(0, 16)}.html`;
}

const addressesOf = (ids: Iterable<string>) => new Map([...ids].map((id) => [id, pageFile(id)]));

/** The page that lists a run's environments, linked to the pages that are there. */
export function listPage(store: TableReader, { name, written }: PagesOptions): Page {
  const pages = addressesOf(written);
  return {
    file: listFile,
    html: inspectListHtml(loadRun(store, listTables), { name, pages }),
  };
}

/** Everything about an environment, with what of it was trained. */
export function fullDetail(
  store: Store,
  id: string,
  reader: TableReader = store,
): EnvironmentDetail {
  const tables = loadEnvironment(reader, id);
  const rollouts = [...new Set(tables.play.map(({ rollout }) => rollout))];
  return { ...environmentDetail(tables, id), trained: trainedPlays(store, rollouts) };
}

/** The pages of these environments, made as they are asked for. */
export function* environmentPages(
  store: Store,
  ids: Iterable<string>,
  { written, listed, replays }:
    & Omit<PagesOptions, "name">
    & Partial<Pick<InspectHtmlOptions, "replays">>,
): Generator<Page> {
  const reader = recent(store), pages = addressesOf(written);
  const text = runTokenizer(store.all("run")[0]);
  for (const id of ids) {
    const detail = fullDetail(store, id, reader);
    const list = listed === true ? listFile : undefined;
    const html = inspectHtml(detail, { ...text, pages, replays, list });
    yield { file: pageFile(id), html };
  }
}

/** The same reader, which keeps the turns of the last rollouts: their environments follow one another. */
function recent(store: TableReader): TableReader {
  const kept = new Map<number, RecordOf<"turn">[]>();
  return {
    all<K extends TableName>(table: K, query?: { where?: Partial<RecordOf<K>> }): RecordOf<K>[] {
      const { rollout, ...others } = (query?.where ?? {}) as { rollout?: number };
      if (table !== "turn" || rollout === undefined || Object.keys(others).length > 0) {
        return store.all(table, query);
      }
      const turns = kept.get(rollout) ?? store.all("turn", { where: { rollout } });
      kept.set(rollout, turns);
      if (kept.size > 4) kept.delete(kept.keys().next().value!);
      return turns as RecordOf<K>[];
    },
  };
}
