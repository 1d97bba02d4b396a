/** Gates over the rows of a pool, in the sandbox; nothing of a pool runs anywhere else. @module */
import type { Sandbox } from "../../core/mod.ts";
import {
  checkProgram,
  type EnvironmentKind,
  type GateCache,
  type GateReport,
  gateRules,
} from "../../gates/mod.ts";
import type { PoolRow } from "../../pool/mod.ts";

export interface GateRowsOptions {
  sandbox: Sandbox;
  maxTurns: number;
  /** What every program must fit; else each its own kind, where it states one. */
  kind?: EnvironmentKind;
  signal: AbortSignal;
  /** Holds what is judged already, and gets the rest. */
  cache: GateCache;
  /** Called with each new report, before duplicates are looked for. */
  onReport: (report: GateReport) => void;
  /** Programs judged at a time. @default 4 */
  concurrency?: number;
}

/** A row and what the gates said. */
export interface GatedRow {
  row: PoolRow;
  report: GateReport;
}

/**
 * Reports in the order of the rows. A program whose syntax tree an earlier accepted one has is refused as its
 * duplicate, whatever was judged first.
 */
export async function gateRows(
  rows: readonly PoolRow[],
  options: GateRowsOptions,
): Promise<GatedRow[]> {
  const { sandbox, maxTurns, signal, cache, onReport, concurrency = 4 } = options;
  const optionsOf = (row: PoolRow) => {
    const kind = options.kind ?? row.kind;
    return { sandbox, maxTurns, signal, cache, ...(kind && gateRules(kind)) };
  };
  const missing = rows.filter(({ id }) => !cache.has(id));
  let next = 0;
  const work = async () => {
    for (let row = missing[next++]; row !== undefined; row = missing[next++]) {
      onReport(await checkProgram(row.source, optionsOf(row)));
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
  const broken = workers.find((worker) => worker.status === "rejected");
  if (broken) throw broken.reason;
  const trees = new Set<string>();
  const gated: GatedRow[] = [];
  for (const row of rows) {
    const known = (tree: string) => trees.has(tree);
    const report = await checkProgram(row.source, { ...optionsOf(row), known });
    if (report.accepted && report.parsed) trees.add(report.parsed.treeHash);
    gated.push({ row, report });
  }
  return gated;
}
