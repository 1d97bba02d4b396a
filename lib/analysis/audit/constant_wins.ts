/**
 * Constant answers: the same actions win whatever the seed, so nothing of the observation was needed.
 * @module
 */
import type { RecordOf } from "../../core/mod.ts";
import { shareOf } from "../estimate.ts";
import { groupBy } from "../group.ts";
import { type HackFinding, mostExamples } from "./finding.ts";

/**
 * Actions of a play as one text; an action given again and again is one action.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(answerOf(["up", "up", "up"]), "up");
 * assert.equal(answerOf(["up", "left"]), "up → left");
 * ```
 */
export function answerOf(actions: readonly string[]): string {
  const isOne = actions.every((action) => action === actions[0]);
  return isOne ? actions[0] ?? "" : actions.join(" → ");
}

/** What of a turn says how it was played. */
export type Acted = Pick<RecordOf<"turn">, "playId" | "index" | "action">;

/** Actions of each play in order, by play id; turns that were not executed are left out. */
export function actionsByPlay(turns: readonly Acted[]): Map<string, string[]> {
  return new Map([...groupBy(turns, ({ playId }) => playId)].map(([playId, of]) => [
    playId,
    [...of].sort((a, b) => a.index - b.index).flatMap(({ action }) => action ?? []),
  ]));
}

/**
 * A row an environment with a win, both arms. A case is a seed won by the commonest answer, of all seeds won.
 * Flagged where that is `share` of at least `seeds` seeds and the answer lost on none; `unknown` where fewer seeds
 * were won. Good play may look like it where few answers are possible: `answersThatHold` gives the answer unread on
 * other seeds and tells. A program that says `constant = True` has one answer by right. @default seeds 4, share .9
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../../core/mod.ts";
 * const plays = [1, 2, 3, 4].map((seed) =>
 *   ({ id: `p${seed}`, environmentId: "e", seed, outcome: scored(1), success: true }));
 * const turns = plays.map(({ id }) => ({ playId: id, index: 0, action: "B" }));
 * const [finding] = constantWins(plays, turns);
 * assert.equal(finding.verdict, "flagged");
 * assert.equal(finding.examples[0], '"B" won on 4 of 4 seeds won, lost on 0');
 * ```
 */
export function constantWins(
  plays: readonly Pick<
    RecordOf<"play">,
    "id" | "environmentId" | "seed" | "outcome" | "success"
  >[],
  turns: readonly Acted[],
  options: { seeds?: number; share?: number } = {},
): HackFinding[] {
  const { seeds = 4, share = 0.9 } = options, actions = actionsByPlay(turns);
  const known = plays.filter(({ id, outcome }) => outcome.kind === "scored" && actions.has(id));
  return [...groupBy(known, ({ environmentId }) => environmentId)].flatMap(
    ([environmentId, of]): HackFinding[] => {
      const all = seedsOf(of.filter(({ success }) => success)).size;
      if (all === 0) return [];
      const answers = [...groupBy(of, ({ id }) => answerOf(actions.get(id)!))]
        .map(([answer, given]) => ({
          answer,
          won: seedsOf(given.filter(({ success }) => success)).size,
          lost: seedsOf(given.filter(({ success }) => !success)).size,
        }))
        .sort((a, b) => b.won - a.won || a.lost - b.lost || (a.answer < b.answer ? -1 : 1));
      const [best] = answers;
      const isConstant = best.won >= share * all && best.lost === 0;
      return [{
        check: "constant answer",
        environmentId,
        cases: shareOf(best.won, all),
        verdict: all < seeds ? "unknown" : isConstant ? "flagged" : "clean",
        examples: answers.filter(({ won }) => won > 0).slice(0, mostExamples)
          .map(({ answer, won, lost }) =>
            `"${answer.slice(0, 200)}" won on ${won} of ${all} seeds won, lost on ${lost}`
          ),
      }];
    },
  );
}

function seedsOf(plays: readonly { seed: number }[]): Set<number> {
  return new Set(plays.map(({ seed }) => seed));
}
