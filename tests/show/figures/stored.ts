/** The stored pictures by name: imported, as unit tests may not read. */
import ablation from "../pictures/ablation.svg" with { type: "text" };
import collapse from "../pictures/collapse.svg" with { type: "text" };
import comparison from "../pictures/comparison.svg" with { type: "text" };
import complexity from "../pictures/complexity.svg" with { type: "text" };
import contamination from "../pictures/contamination.svg" with { type: "text" };
import cost from "../pictures/cost.svg" with { type: "text" };
import diversity from "../pictures/diversity.svg" with { type: "text" };
import funnel from "../pictures/funnel.svg" with { type: "text" };
import funnelNarrow from "../pictures/funnel_narrow.svg" with { type: "text" };
import groupHealth from "../pictures/group_health.svg" with { type: "text" };
import hacks from "../pictures/hacks.svg" with { type: "text" };
import hintEffect from "../pictures/hint_effect.svg" with { type: "text" };
import hintEffectNarrow from "../pictures/hint_effect_narrow.svg" with { type: "text" };
import lengths from "../pictures/lengths.svg" with { type: "text" };
import lineage from "../pictures/lineage.svg" with { type: "text" };
import lineageNarrow from "../pictures/lineage_narrow.svg" with { type: "text" };
import novelty from "../pictures/novelty.svg" with { type: "text" };
import regretBySkill from "../pictures/regret_by_skill.svg" with { type: "text" };
import staleness from "../pictures/staleness.svg" with { type: "text" };
import training from "../pictures/training.svg" with { type: "text" };

/** By the names of `stored()`. */
export const storedPictures: Record<string, string> = {
  ablation,
  collapse,
  comparison,
  complexity,
  contamination,
  cost,
  diversity,
  funnel,
  funnel_narrow: funnelNarrow,
  group_health: groupHealth,
  hacks,
  hint_effect: hintEffect,
  hint_effect_narrow: hintEffectNarrow,
  lengths,
  lineage,
  lineage_narrow: lineageNarrow,
  novelty,
  regret_by_skill: regretBySkill,
  staleness,
  training,
};
