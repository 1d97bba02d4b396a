/** Every figure of lib/show/figures from one set of data. */
import * as show from "../../../lib/show/mod.ts";
import { storedReports } from "../../../lib/show/report_rows.ts";
import { analysed, type FigureData } from "./data.ts";

/** By the name of its stored picture. */
export function draw(data: FigureData, width?: number): Record<string, () => show.Figure> {
  const { tables, skills, pairs } = data, of = analysed(data);
  return {
    ablation: () => show.ablationFigure(data, { width }),
    collapse: () => show.collapseFigure(data.parents.length > 0 ? of.collapse : [], { width }),
    comparison: () => show.comparisonFigure(pairs, { names: ["all of it", "half of it"], width }),
    complexity: () => show.complexityFigure(of.complexity, { width }),
    contamination: () => show.contaminationFigure(data.contamination, { width }),
    cost: () => show.costFigure(tables, { width }),
    diversity: () => show.diversityFigure(of.diversity, { kernel: of.kernel, width }),
    funnel: () => show.funnelFigure(tables.gate, { width }),
    group_health: () => show.groupHealthFigure(tables.play, of.advantages, { width }),
    hacks: () => show.hackFigure(data.findings, { width }),
    hint_effect: () => show.hintEffectFigure(tables.play, skills, { width }),
    lengths: () => show.lengthsFigure(of, { width }),
    lineage: () => show.lineageFigure(of.lineage, { width }),
    novelty: () => show.noveltyFigure(of.novelty, { kernel: of.kernel, width }),
    regret_by_skill: () => show.regretBySkillFigure(tables.regret, skills, { width }),
    staleness: () => show.stalenessFigure(tables, { width }),
    training: () => show.trainingFigure(storedReports(tables), { width }),
  };
}

/** Pictures to store: all at the usual width, some for a phone. */
export function stored(data: FigureData): Record<string, () => show.Figure> {
  const narrow = draw(data, 360);
  return {
    ...draw(data),
    funnel_narrow: narrow.funnel,
    hint_effect_narrow: narrow.hint_effect,
    lineage_narrow: narrow.lineage,
  };
}
