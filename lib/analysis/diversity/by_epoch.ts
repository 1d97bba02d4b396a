/**
 * Diversity as a run goes on: by epoch and by skill.
 * @module
 */
import { groupBy } from "../group.ts";
import { collapseRuns } from "./near.ts";
import type { Accepted } from "./sequence.ts";
import { submatrix, type Symmetric } from "./symmetric.ts";
import { spectrumOf, vendiOf } from "./vendi.ts";

/** Diversity of the programs accepted in one epoch, of one skill or of all. */
export interface EpochDiversity {
  /** First rollout of the epoch; undefined: of the whole run. */
  epoch?: number;
  /** Undefined: all skills together. */
  skill?: string;
  /** Programs. */
  n: number;
  /** Vendi scores of order 1, 2 and ∞. */
  shannon: number;
  /** Order 2. */
  collision: number;
  /** Order ∞. */
  dominance: number;
  /** Score of order 1 over n: comparable only at equal n; see `subsampleCurve`. */
  share: number;
  /** Length of the longest run of near-identical programs. */
  longestRun: number;
}

/**
 * Rows for each epoch and the whole run, each for every skill and for all of them. `kernel` is over the programs
 * given, in their order; it is computed once and cut. `every`: rollouts of an epoch.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { tokenKernel } from "./kernels.ts";
 * const programs = ["return a + b", "return a + b", "while x: pass"];
 * const accepted = [0, 0, 1].map((rollout) => ({ rollout, skill: "Optimization" }));
 * const rows = diversityByEpoch(accepted, tokenKernel().matrix(programs));
 * const [first] = rows.filter(({ epoch, skill }) => epoch === 0 && skill === undefined);
 * assert.ok(Math.abs(first.shannon - 1) < 1e-9, "two equal programs count as one");
 * assert.deepEqual([first.n, first.longestRun], [2, 2]);
 * ```
 */
export function diversityByEpoch(
  accepted: readonly Pick<Accepted, "rollout" | "skill">[],
  kernel: Symmetric,
  options: { every?: number; threshold?: number } = {},
): EpochDiversity[] {
  const { every = 1, threshold } = options;
  const all = accepted.map((_, i) => i);
  const epochs = groupBy(all, (i) => accepted[i].rollout - accepted[i].rollout % every);
  const parts: [number | undefined, number[]][] = [...epochs, [undefined, all]];
  return parts.flatMap(([epoch, of]) => {
    const skills = [...groupBy(of, (i) => accepted[i].skill)]
      .sort(([a], [b]) => a < b ? -1 : 1);
    const groups: [string | undefined, number[]][] = [[undefined, of], ...skills];
    return groups.filter(([, indices]) => indices.length > 0).map(([skill, indices]) => {
      const own = submatrix(kernel, indices), spectrum = spectrumOf(own);
      const shannon = vendiOf(spectrum, 1);
      return {
        epoch,
        skill,
        n: indices.length,
        shannon,
        collision: vendiOf(spectrum, 2),
        dominance: vendiOf(spectrum, Infinity),
        share: shannon / indices.length,
        longestRun: collapseRuns(own, { threshold, least: 1 })[0].length,
      };
    });
  });
}
