/**
 * A run as one self-contained HTML page.
 * @module
 */
import {
  acceptanceFunnel,
  headerFacts,
  type LongTables,
  riseByFamily,
  type RunTables,
} from "../analysis/mod.ts";
import { formatCount, formatSeconds, missing } from "./format.ts";
import {
  type Content,
  detailsHtml,
  factsHtml,
  html,
  markup,
  pageHtml,
  paragraphHtml,
  sectionHtml,
  tableHtml,
} from "./page.ts";
import {
  costFigures,
  designerFigures,
  diversityFigures,
  groupFigures,
  mainFigures,
} from "./report_figures.ts";
import {
  costHeadings,
  costRows,
  healthRows,
  heldoutHeadings,
  heldoutRises,
  heldoutRows,
  rolloutHeadings,
  rolloutRows,
  storedReports,
  validityRows,
} from "./report_rows.ts";

/** What a report needs beside the tables. */
export interface ReportOptions {
  /** The folder's. @default the run's id */
  name?: string;
  /** Of {@linkcode readLongTables}; without it some figures are missing. */
  long?: LongTables;
}

/**
 * The report of a run; tables that are empty leave a sentence that says so.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { emptyTables } from "../analysis/mod.ts";
 * assert.match(reportHtml(emptyTables()), /No held-out evaluation is stored/);
 * ```
 */
export function reportHtml(tables: RunTables, options: ReportOptions = {}): string {
  const run = tables.run[0];
  const { name = run?.id ?? "without a record", long } = options;
  const reports = storedReports(tables);
  const seconds = reports.reduce((sum, r) => sum + r.seconds, 0);
  const facts = [
    ...headerFacts(run),
    { name: "rollouts done", value: `${reports.length} of ${run?.config.rollouts ?? missing}` },
    { name: "self-play time", value: formatSeconds(seconds) },
  ];
  return pageHtml(`SPADE run ${name}`, [
    factsHtml(facts),
    warnings(tables),
    heldout(tables),
    sectionHtml("Figures", ...mainFigures(tables)),
    designer(tables),
    sectionHtml(
      "Groups and regret",
      tableHtml(["plain groups and regret", "value"], healthRows(tables)),
      ...groupFigures(tables, long),
    ),
    ...diversityFigures(tables, long),
    sectionHtml(
      "Costs",
      tables.ledger.length > 0
        ? tableHtml(costHeadings, costRows(tables))
        : paragraphHtml("No costs are stored."),
      paragraphHtml(
        "Stages overlap: a time may cover several of them, and sums may exceed the clock.",
        "muted",
      ),
      ...costFigures(tables),
    ),
    sectionHtml(
      "Rollouts",
      reports.length > 0
        ? tableHtml(rolloutHeadings, rolloutRows(tables), { className: "tall" })
        : paragraphHtml("No rollout is complete."),
      paragraphHtml(
        "Regret is hinted minus plain mean return. The noise floor belongs to its clipped signal, " +
          "regret/0.15 cut to 0–1: what the signal shows on average at zero true regret.",
        "muted",
      ),
    ),
    limits(tables),
    sectionHtml(
      "Everything that was set",
      detailsHtml("manifest and options", json({ config: run?.config, manifest: run?.manifest })),
    ),
  ]);
}

function warnings(tables: RunTables): Content {
  const rows = tables.event.filter((e) => e.kind === "warning");
  if (rows.length === 0) return "";
  const items = rows.slice(0, 50).map((e) => `<li>${markup(e.message)}</li>`).join("");
  const more = rows.length > 50 ? `<li>… and ${rows.length - 50} more</li>` : "";
  return detailsHtml(
    html(`<span class="warn">⚠ ${formatCount(rows.length)} warnings</span>`),
    html(`<ul>${items}${more}</ul>`),
  );
}

function heldout(tables: RunTables): Content {
  const rises = heldoutRises(tables);
  if (rises.length === 0) {
    return sectionHtml(
      "Held-out performance",
      paragraphHtml("Base and later weights were not both evaluated; there is no rise to show."),
    );
  }
  const families = [
    ...riseByFamily(tables.evaluation, { set: "test" }),
    ...riseByFamily(tables.evaluation, { set: "dev" }),
  ];
  const caption = "Mean return (a win pays 1) with 95 % interval: cluster bootstrap over " +
    "environments, seeded; rise over pairs of the same environment and play";
  return sectionHtml(
    "Held-out performance, starting against final weights",
    tableHtml(heldoutHeadings, heldoutRows(rises), { caption }),
    detailsHtml(
      `by family (${families.length} rows)`,
      tableHtml(heldoutHeadings, heldoutRows(families)),
    ),
  );
}

function designer(tables: RunTables): Content {
  const funnel = acceptanceFunnel(tables.gate).map((step) => [
    step.gate,
    formatCount(step.entered),
    formatCount(step.passed),
    formatCount(step.refused),
    formatCount(step.skipped),
    step.reasons.slice(0, 3).map((r) => `${r.count} × ${r.reason}`).join("; ") +
    (step.reasons.length > 3 ? `; ${step.reasons.length - 3} other reasons` : ""),
  ]);
  return sectionHtml(
    "Designer: do its programs run, are they accepted",
    tableHtml(["rate", "share", "95 % interval (Wilson)"], validityRows(tables)),
    funnel.length > 0
      ? tableHtml(["gate", "#entered", "#passed", "#refused", "#skipped", "why refused"], funnel, {
        caption: "Acceptance funnel: a program goes on until a gate refuses it",
        className: "long",
      })
      : paragraphHtml("No gate verdicts are stored."),
    ...designerFigures(tables),
  );
}

function limits(tables: RunTables): Content {
  const seed = tables.run[0]?.seed ?? missing;
  return sectionHtml(
    "What this does not prove",
    paragraphHtml(
      `This is one run with one seed (${seed}). The intervals are about other environments of ` +
        "the same kind, not about other training seeds: whether training rises in general takes " +
        "several seeds. A rise over the starting weights does not say that self-play caused it; " +
        "that takes the controls beside it (rewards shuffled within groups, the same seconds of " +
        "continued pre-training). The development set was used for choices, so its numbers flatter; " +
        "the test set is touched once, at the end.",
    ),
    paragraphHtml(
      "Win rates in training are measured on environments that change with every epoch and that " +
        "the model writes itself: they are no measure of skill. A positive regret signal is partly " +
        "noise (see its floor). Gates find faults they look for; an accepted program may still be " +
        "won without doing what its text asks. Nothing here carries over to other models or sizes.",
    ),
  );
}

function json(value: unknown): Content {
  return html(`<pre class="wrap">${markup(JSON.stringify(value, undefined, 2) ?? "")}</pre>`);
}
