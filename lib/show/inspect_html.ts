/**
 * The inspector's page of one environment: everything that is stored about it, on a page that opens from disk.
 * @module
 */
import type { EnvironmentDetail } from "../analysis/mod.ts";
import { showInvisible } from "./escape.ts";
import { codeStyle, pythonHtml } from "./highlight.ts";
import { environmentFigure } from "./inspect_figure.ts";
import { linkHtml } from "./inspect_list_html.ts";
import { playsHtml, type PlaysOptions } from "./inspect_plays.ts";
import {
  detailFacts,
  evidenceText,
  prefixLength,
  regretHeadings,
  regretRows,
} from "./inspect_rows.ts";
import { inspectScript } from "./inspect_script.ts";
import { cut, preHtml } from "./limit.ts";
import {
  type Content,
  contentsHtml,
  factsHtml,
  figureHtml,
  html,
  markup,
  pageHtml,
  paragraphHtml,
  sectionHtml,
  tableHtml,
} from "./page.ts";
import { stepsStyle } from "./steps.ts";
import { tokensStyle } from "./tokens_style.ts";

/** Of an environment's page. */
export interface InspectHtmlOptions extends Omit<PlaysOptions, "bytes"> {
  /** Addresses of other environments' pages by id: parents are linked to theirs. @default none */
  pages?: ReadonlyMap<string, string>;
  /** Address of the list of all environments. @default none */
  list?: string;
  /** Bytes of the page, about; what does not fit is counted with ⚠. @default 4,500,000 */
  bytes?: number;
}

/** Characters of source and document that are shown; a longer program is refused by the sandbox. */
const longest = 200_000;

/**
 * One environment: facts, win rates and regret, hint, verdicts with evidence, source, document, both arms turn by turn
 * as text and as tokens. `noTokenizer` says why there are no tokens.
 *
 * ```ts ignore check
 * import { environmentDetail, inspectHtml, loadEnvironment, openFolder } from "@spade/spade";
 *
 * using store = openFolder("runs/nano");
 * const [{ id }] = store.all("environment");
 * const page = inspectHtml(environmentDetail(loadEnvironment(store, id), id));
 * Deno.writeTextFileSync("environment.html", page);
 * ```
 */
export function inspectHtml(detail: EnvironmentDetail, options: InspectHtmlOptions = {}): string {
  const { environment, hint } = detail;
  const { bytes = 4_500_000, list } = options;
  const title = `${environment.className || "Environment"} ${
    environment.id.slice(0, prefixLength)
  }`;
  const source = cut(environment.source, longest);
  const sections: Content[] = [
    list === undefined ? "" : paragraphHtml(html(
      `<a href="${list}">all environments of the run</a>`,
    )),
    paragraphHtml(showInvisible(environment.description.slice(0, 4000)), "muted"),
    factsHtml(facts(detail, options)),
    contentsHtml([
      "Win rate and regret",
      "Hint",
      "Gates",
      "Source",
      ...(detail.document ? ["Document"] : []),
      "Plays, both arms side by side",
    ]),
    results(detail),
    sectionHtml(
      "Hint",
      hint
        ? preHtml(hint)
        : paragraphHtml(`No hint (${showInvisible(detail.hintReason || "none was written")}).`),
    ),
    gates(detail),
    sectionHtml("Source", pythonHtml(source.shown), html(source.note)),
    document(detail),
  ];
  const before = sections.reduce((sum, part) => sum + markup(part).length, 20_000);
  sections.push(playsHtml(detail, { ...options, bytes: Math.max(0, bytes - before) }));
  return pageHtml(title, sections, {
    style: codeStyle + stepsStyle + tokensStyle + factsStyle,
    script: inspectScript,
  });
}

/** The id is long. */
const factsStyle = `
.facts>div:first-child{grid-column:1/-1}
.facts>div:first-child dd{font:400 .86em/1.5 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
`;

function facts(detail: EnvironmentDetail, { pages }: InspectHtmlOptions) {
  const { parents } = detail.environment;
  const links = parents.map((id) => {
    const page = pages?.get(id), text = id.slice(0, prefixLength);
    return markup(page === undefined ? text : linkHtml(page, text));
  });
  return detailFacts(detail).map((fact): { name: string; value: Content } =>
    fact.name === "parents" && links.length > 0
      ? { name: fact.name, value: html(links.join(", ")) }
      : fact
  );
}

function results(detail: EnvironmentDetail): Content {
  const heading = "Win rate and regret";
  if (detail.pairs.length === 0) return sectionHtml(heading, paragraphHtml("Never played."));
  const { plain, hinted } = detail.summary;
  return sectionHtml(
    heading,
    plain.scored + hinted.scored > 0
      ? figureHtml((width) => environmentFigure(detail, { width }))
      : paragraphHtml("No play has a score."),
    detail.regrets.length > 0
      ? tableHtml(regretHeadings, regretRows(detail), {
        caption:
          "Regret is hinted minus plain mean return over pairs of one seed, and again shrunk by " +
          "its error. A noise floor is what its clipped signal shows on average at zero true regret.",
      })
      : paragraphHtml("Its regret was not measured."),
  );
}

function gates({ gates }: EnvironmentDetail): Content {
  const signs = { pass: "✓\u00a0passed", refuse: "✗\u00a0refused", skipped: "−\u00a0skipped" };
  const verdicts = gates.map((g) => [
    g.gate,
    signs[g.verdict],
    showInvisible([g.reason, evidenceText(g.evidence)].filter((x) => x !== "").join("; "))
      .slice(0, 4000),
  ]);
  return sectionHtml(
    "Gates",
    verdicts.length > 0
      ? tableHtml(["gate", "verdict", "reason and evidence"], verdicts, { className: "long" })
      : paragraphHtml("Not judged."),
  );
}

function document({ document }: EnvironmentDetail): Content {
  if (document === undefined) return "";
  return sectionHtml(
    "Document",
    paragraphHtml(showInvisible(`${document.origin}, ${document.licence}`), "muted"),
    preHtml(document.text, { most: longest }),
  );
}
