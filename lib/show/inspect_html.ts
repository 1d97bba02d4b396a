/**
 * The inspector as self-contained pages: the list of a run's environments, and one environment in full.
 * @module
 */
import {
  type EnvironmentDetail,
  environmentSummaries,
  type PlayPair,
  type RunTables,
} from "../analysis/mod.ts";
import type { RecordOf } from "../core/mod.ts";
import { escapeHtml } from "./escape.ts";
import { formatCount, formatNumber } from "./format.ts";
import { pythonHtml } from "./highlight.ts";
import {
  detailFacts,
  evidenceText,
  listHeadings,
  listRow,
  pairText,
  playText,
  regretText,
} from "./inspect_rows.ts";
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

/** All environments of a run, accepted first. */
export function inspectListHtml(tables: RunTables, options: { name?: string } = {}): string {
  const all = environmentSummaries(tables);
  const accepted = all.filter((e) => e.refusedBy === undefined);
  const refused = all.filter((e) => e.refusedBy !== undefined);
  const { name = tables.run[0]?.id ?? "" } = options;
  return pageHtml(`Environments of run ${name}`, [
    paragraphHtml(html(
      `${formatCount(all.length)} programs: ${formatCount(accepted.length)} accepted, ` +
        `${formatCount(refused.length)} refused. <code>deno task inspect RUN ID</code> shows ` +
        "one; a few digits of the id are enough.",
    )),
    sectionHtml("Accepted", tableHtml(listHeadings, accepted.map(listRow))),
    refused.length > 0
      ? detailsHtml(
        `refused (${formatCount(refused.length)})`,
        tableHtml(listHeadings, refused.map(listRow)),
      )
      : "",
  ]);
}

/** One environment: source, document, hint, verdicts with evidence, both arms side by side. */
export function inspectHtml(detail: EnvironmentDetail): string {
  const { environment, document, hint, gates } = detail;
  const id = environment.id.slice(0, 10);
  const verdicts = gates.map((g) => [
    g.gate,
    g.verdict === "refuse"
      ? "✗\u00a0refused"
      : g.verdict === "pass"
      ? "✓\u00a0passed"
      : "–\u00a0skipped",
    [g.reason, evidenceText(g.evidence)].filter((x) => x !== "").join("; "),
  ]);
  return pageHtml(`${environment.className || "Environment"} ${id}`, [
    html(`<style>${sheet}</style>`),
    paragraphHtml(environment.description, "muted"),
    factsHtml(detailFacts(detail)),
    sectionHtml("Regret", html(`<pre class="wrap">${escapeHtml(regretText(detail))}</pre>`)),
    sectionHtml(
      "Hint",
      paragraphHtml(hint ?? `No hint (${detail.hintReason || "none was written"}).`),
    ),
    sectionHtml(
      "Gates",
      verdicts.length > 0
        ? tableHtml(["gate", "verdict", "reason and evidence"], verdicts, { className: "long" })
        : paragraphHtml("Not judged in this run."),
    ),
    sectionHtml("Source", pythonHtml(environment.source)),
    document
      ? sectionHtml(
        "Document",
        paragraphHtml(`${document.origin}, ${document.licence}`, "muted"),
        html(`<pre class="wrap">${escapeHtml(document.text)}</pre>`),
      )
      : "",
    transcripts(detail),
  ]);
}

function transcripts(detail: EnvironmentDetail): Content {
  if (detail.pairs.length === 0) return sectionHtml("Plays", paragraphHtml("Never played."));
  const plays = detail.pairs.map((pair, index) =>
    detailsHtml(
      html(
        `<strong>${escapeHtml(pairText(pair))}</strong> · plain ${
          escapeHtml(playText(pair.plain))
        }` +
          ` · hinted ${escapeHtml(playText(pair.hinted))}`,
      ),
      pairHtml(pair, detail),
      index === 0,
    )
  );
  return sectionHtml(
    "Plays, both arms side by side",
    paragraphHtml("A pair has the same seed; the hinted arm sees the hint once.", "muted"),
    ...plays,
  );
}

/** Turn by turn: a row holds the same turn of both arms. */
function pairHtml(pair: PlayPair, detail: EnvironmentDetail): Content {
  const arms = [["plain", pair.plain], ["hinted", pair.hinted]] as const;
  const present = arms.filter(([, play]) => play !== undefined);
  const turns = present.map(([, play]) => detail.turns.get(play!.id) ?? []);
  const length = Math.max(...turns.map((of) => of.length));
  const cells: string[] = present.map(([arm, play]) =>
    `<div class="arm"><strong>${arm}</strong> ${escapeHtml(playText(play))}</div>`
  );
  for (let i = 0; i < length; i++) {
    for (const [k, of] of turns.entries()) cells.push(turnHtml(of[i], present[k][0]));
  }
  if (length === 0) cells.push("<p>No turns are stored or loaded.</p>");
  return html(`<div class="pair n${present.length}">${cells.join("\n")}</div>`);
}

function turnHtml(turn: RecordOf<"turn"> | undefined, arm: string): string {
  if (!turn) return '<div class="turn none"></div>';
  const cut = turn.finish === "length" ? " (cut by its token limit)" : "";
  const action = turn.action === null ? "none executed" : turn.action;
  const reward = turn.reward === null ? "none" : formatNumber(turn.reward);
  return `<div class="turn"><div class="muted">${arm}, turn ${turn.index + 1}</div>` +
    `<pre class="wrap seen">${escapeHtml(turn.observation)}</pre>` +
    `<pre class="wrap said">${escapeHtml(turn.text)}${cut}</pre>` +
    `<div>action <code>${markup(action)}</code> · reward <strong>${reward}</strong></div></div>`;
}

const sheet = `
.code{counter-reset:line;max-height:none}
.code .line::before{counter-increment:line;content:counter(line);display:inline-block;width:2.4em;margin-right:1em;
text-align:right;color:var(--spade-muted);user-select:none}
.code .k{font-weight:700;color:var(--spade-first)}.code .s{color:var(--spade-third)}
.code .c{font-style:italic;color:var(--spade-muted)}.code .n{color:var(--spade-second)}
.pair{display:grid;gap:8px 16px;margin:.5em 0 1.2em}
.pair.n2{grid-template-columns:1fr 1fr}
.arm{border-bottom:2px solid var(--spade-muted);padding-bottom:3px}
.turn{min-width:0;font-size:.93em}
.turn pre{margin:.25em 0;max-height:20em}
.turn pre.seen{background:none;border-left:3px solid var(--spade-rule);border-radius:0;padding:2px 10px}
.turn pre.said{border-left:3px solid var(--spade-first)}
@media (max-width:640px){.pair.n2{grid-template-columns:1fr}.turn.none{display:none}}
`;
