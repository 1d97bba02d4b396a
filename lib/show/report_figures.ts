/**
 * The figures of a run's report by section; one that has nothing to show is left out, but for those of the first
 * section.
 * @module
 */
import {
  acceptedInOrder,
  bandOf,
  collapseRuns,
  complexityByRollout,
  diversityByEpoch,
  epochLength,
  lineageOf,
  type LongTables,
  noveltyOf,
  type RunTables,
  subsampleCurve,
  tokenKernel,
  turnLengths,
  vendiInterval,
} from "../analysis/mod.ts";
import {
  bandFigure,
  collapseFigure,
  complexityFigure,
  costFigure,
  diversityFigure,
  funnelFigure,
  groupHealthFigure,
  hackFigure,
  hintEffectFigure,
  learningFigure,
  lengthsFigure,
  lineageFigure,
  noveltyFigure,
  regretBySkillFigure,
  regretFigure,
  stalenessFigure,
} from "./figures/mod.ts";
import { type Content, figureHtml, sectionHtml } from "./page.ts";
import { shrunkOf } from "./report_rows.ts";

/** Programs whose similarities a report computes: two seconds for so many. */
const mostCompared = 600;

/** Learning, win rates and regret. */
export function mainFigures(tables: RunTables): Content[] {
  const run = tables.run[0], shrunk = shrunkOf(tables), skills = skillsOf(tables);
  return [
    figureHtml((width) => learningFigure(tables.evaluation, { set: "dev", width })),
    figureHtml((width) =>
      bandFigure(tables.play, { width, band: bandOf(run), every: epochLength(run) })
    ),
    figureHtml((width) => regretFigure(tables.regret, { width, shrunk })),
    ...where(
      tables.regret.length > 0 && skills.size > 0,
      () => figureHtml((width) => regretBySkillFigure(tables.regret, skills, { width })),
    ),
  ];
}

/** Acceptance, and what the accepted programs are like. */
export function designerFigures(tables: RunTables): Content[] {
  const accepted = acceptedInOrder(tables);
  const maxTurns = Number(tables.run[0]?.config.maxTurns ?? 1);
  const complexity = complexityByRollout(accepted, tables.play, { maxTurns });
  return [
    ...where(
      tables.gate.length > 0,
      () => figureHtml((width) => funnelFigure(tables.gate, { width })),
    ),
    ...where(
      complexity.length > 0,
      () => figureHtml((width) => complexityFigure(complexity, { width })),
    ),
  ];
}

/** Groups, hint, lengths, and the sampler against the trainer. */
export function groupFigures(tables: RunTables, long?: LongTables): Content[] {
  const skills = skillsOf(tables), turns = turnLengths(tables.play);
  const isHinted = tables.play.some(({ arm }) => arm === "hinted");
  return [
    ...where(
      tables.play.length > 0,
      () => figureHtml((width) => groupHealthFigure(tables.play, long?.advantages, { width })),
    ),
    ...where(
      isHinted,
      () => figureHtml((width) => hintEffectFigure(tables.play, skills, { width })),
    ),
    ...where(
      turns.length > 0,
      () => figureHtml((width) => lengthsFigure({ turns, tokens: long?.tokens ?? [] }, { width })),
    ),
    ...where(
      tables.update.length > 0,
      () => figureHtml((width) => stalenessFigure(tables, { width })),
    ),
  ];
}

/** A section of its own, where programs were accepted or audited. */
export function diversityFigures(tables: RunTables, long?: LongTables): Content[] {
  const all = acceptedInOrder(tables), accepted = all.slice(-mostCompared);
  const findings = long?.findings ?? [];
  if (all.length === 0 && findings.length === 0) return [];
  const kernel = tokenKernel(), matrix = kernel.matrix(accepted.map((a) => a.environment.source));
  const lineage = lineageOf(all);
  const documents = new Map(
    all.flatMap(({ environment: { id, documentId } }) =>
      documentId === null ? [] : [[id, documentId] as const]
    ),
  );
  const diversity = {
    epochs: diversityByEpoch(accepted, matrix, { every: epochLength(tables.run[0]) }),
    curve: subsampleCurve(matrix, { draws: 10 }),
    interval: vendiInterval(matrix, { draws: 100 }),
  };
  const runs = collapseRuns(matrix), novelty = noveltyOf(accepted, matrix);
  const omitted = all.length - accepted.length, options = { kernel: kernel.name, omitted };
  return [sectionHtml(
    "Diversity, lineage and audits",
    ...where(
      all.length > 0,
      () => figureHtml((width) => diversityFigure(diversity, { ...options, width })),
    ),
    ...where(
      all.length > 0,
      () => figureHtml((width) => collapseFigure(runs, { n: accepted.length, omitted, width })),
    ),
    ...where(
      all.length > 1,
      () => figureHtml((width) => noveltyFigure(novelty, { ...options, width })),
    ),
    ...where(
      lineage.some(({ parents }) => parents.length > 0),
      () => figureHtml((width) => lineageFigure(lineage, { documents, width })),
    ),
    ...where(findings.length > 0, () => figureHtml((width) => hackFigure(findings, { width }))),
  )];
}

/** What it cost. */
export function costFigures(tables: RunTables): Content[] {
  return where(
    tables.ledger.length > 0,
    () => figureHtml((width) => costFigure(tables, { width })),
  );
}

function skillsOf(tables: RunTables): Map<string, string> {
  return new Map(tables.environment.map(({ id, skill }) => [id, skill]));
}

function where(is: boolean, draw: () => Content): Content[] {
  return is ? [draw()] : [];
}
