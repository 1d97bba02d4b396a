/** Figures of a run and of its analyses. @module */
export { ablationFigure, type SeedMean, type StudyArm } from "./ablation.ts";
export { bandFigure, type BandFigureOptions } from "./band.ts";
export { collapseFigure, type CollapseFigureOptions } from "./collapse.ts";
export { type ComparedRuns, comparisonFigure, type ComparisonFigureOptions } from "./comparison.ts";
export { complexityFigure } from "./complexity.ts";
export { contaminationFigure } from "./contamination.ts";
export { costFigure } from "./cost.ts";
export { type DiversityData, diversityFigure, type DiversityFigureOptions } from "./diversity.ts";
export {
  type Explorer,
  type ExplorerOptions,
  type ExplorerPoint,
  regretExplorer,
} from "./explorer.ts";
export { funnelFigure } from "./funnel.ts";
export { groupHealthFigure } from "./group_health.ts";
export { hackFigure } from "./hacks.ts";
export { hintEffectFigure } from "./hint_effect.ts";
export { learningFigure } from "./learning.ts";
export { lengthsFigure } from "./lengths.ts";
export { lineageFigure, type LineageFigureOptions } from "./lineage.ts";
export { noveltyFigure } from "./novelty.ts";
export type { FigureOptions } from "./parts.ts";
export { regretBySkillFigure } from "./regret_by_skill.ts";
export { regretFigure } from "./regret.ts";
export { stalenessFigure } from "./staleness.ts";
export { trainingFigure } from "./training.ts";
export { vegaLiteType, type VegaSpec, vegaSvg } from "./vega.ts";
