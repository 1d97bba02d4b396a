/**
 * Wins without play: an environment that pays before what it asks for can have been done.
 * @module
 */
import type { RecordOf } from "../../core/mod.ts";
import { shareOf } from "../estimate.ts";
import { groupBy } from "../group.ts";
import { type HackFinding, mostExamples } from "./finding.ts";

/**
 * Least length of `solution()` by environment, as gate `oracle` stored it; environments without one are left out.
 *
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const gates = [{ environmentId: "e0", gate: "oracle", evidence: { wins: 20, shortest: 4 } }];
 * assert.deepEqual([...shortestSolutions(gates)], [["e0", 4]]);
 * ```
 */
export function shortestSolutions(
  gates: readonly Pick<RecordOf<"gate">, "environmentId" | "gate" | "evidence">[],
): Map<string, number> {
  const shortest = new Map<string, number>();
  for (const { environmentId, gate, evidence } of gates) {
    const least = gate === "oracle" ? evidence.shortest : undefined;
    if (typeof least === "number") shortest.set(environmentId, least);
  }
  return shortest;
}

/**
 * A row an environment with a win, both arms. A case is a win in fewer turns than the shortest win there should be,
 * by `shortest`, see {@link shortestSolutions}. Without it wins in one turn are counted but
 * not judged, as one turn may be all there is. Flagged where the 95 % interval of their share lies above
 * `tolerated`, for luck can shorten a play. @default tolerated .05
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const wins = [1, 2, 3, 4].map((seed) =>
 *   ({ id: `p${seed}`, environmentId: "e", seed, success: true, turns: 1 }));
 * const [finding] = earlyWins(wins, { shortest: new Map([["e", 3]]) });
 * assert.equal(finding.verdict, "flagged");
 * assert.equal(finding.examples[0], "p1: seed 1 won in 1 turn, solution() takes 3");
 * ```
 */
export function earlyWins(
  plays: readonly Pick<
    RecordOf<"play">,
    "id" | "environmentId" | "seed" | "success" | "turns"
  >[],
  options: { shortest?: ReadonlyMap<string, number>; tolerated?: number } = {},
): HackFinding[] {
  const { shortest, tolerated = 0.05 } = options;
  const wins = plays.filter(({ success }) => success);
  return [...groupBy(wins, ({ environmentId }) => environmentId)].map(([environmentId, of]) => {
    const least = shortest?.get(environmentId);
    const early = of.filter(({ turns }) => turns < (least ?? 2));
    const cases = shareOf(early.length, of.length);
    return {
      check: "early win",
      environmentId,
      cases,
      verdict: least === undefined ? "unknown" : cases.low! > tolerated ? "flagged" : "clean",
      examples: early.slice(0, mostExamples).map(({ id, seed, turns }) =>
        `${id}: seed ${seed} won in ${turns} turn${turns === 1 ? "" : "s"}` +
        (least === undefined ? "" : `, solution() takes ${least}`)
      ),
    };
  });
}
