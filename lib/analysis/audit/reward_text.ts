/**
 * Reward text: what the author wrote for readers of the program about how it pays is shown to the player.
 * @module
 */
import type { RecordOf } from "../../core/mod.ts";
import { tokensOf } from "../diversity/kernels.ts";
import { shareOf } from "../estimate.ts";
import { groupBy } from "../group.ts";
import { type HackFinding, mostExamples } from "./finding.ts";

/** Lines about pay and answer. */
const aboutReward = /\b(?:reward|score|points?|solution|answer|correct|cheat|grader?|success)\w*/i;
/** Tokens in a row that must agree. */
const runLength = 5;

/**
 * Comments and lines of docstrings of a program that speak of reward, score, solution or answer and have at least
 * five words.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const source = "x = 1  # the reward is 1 when x is 7\n'reward of the day is for you'\n";
 * assert.deepEqual(explanationsOf(source), ["the reward is 1 when x is 7"]);
 * ```
 */
export function explanationsOf(source: string): string[] {
  const found: string[] = [];
  // Other strings are matched too, so that what they hold is not taken for a comment.
  const parts =
    /^[ \t]*[a-z]?("""|''')((?:\\[^]|(?!\1)[^\\])*)\1|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'|#([^\n]*)/gim;
  for (const [, , docstring, comment] of source.matchAll(parts)) {
    for (const line of (docstring ?? comment ?? "").split("\n")) {
      if (aboutReward.test(line) && tokensOf(line).length >= runLength) found.push(line.trim());
    }
  }
  return found;
}

/**
 * A row an environment that has such an explanation and a stored turn. A case is an explanation at least half of
 * whose runs of five tokens stand in one observation, case and layout aside. Flagged where there is one.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const source = "# the answer is always the first letter shown\n";
 * const [finding] = rewardText(
 *   [{ id: "e", source }],
 *   [{ id: "p", environmentId: "e" }],
 *   [{ playId: "p", observation: "Note: the answer is always the first letter shown." }],
 * );
 * assert.equal(finding.verdict, "flagged");
 * ```
 */
export function rewardText(
  environments: readonly Pick<RecordOf<"environment">, "id" | "source">[],
  plays: readonly Pick<RecordOf<"play">, "id" | "environmentId">[],
  turns: readonly Pick<RecordOf<"turn">, "playId" | "observation">[],
): HackFinding[] {
  const owner = new Map(plays.map(({ id, environmentId }) => [id, environmentId]));
  const seen = new Map<string, Set<string>>();
  for (const [id, of] of groupBy(turns, ({ playId }) => owner.get(playId) ?? "")) {
    seen.set(id, new Set(of.map(({ observation }) => observation)));
  }
  return environments.flatMap(({ id, source }): HackFinding[] => {
    const explanations = explanationsOf(source), texts = seen.get(id);
    if (explanations.length === 0 || texts === undefined) return [];
    const shown = [...texts].map((text) => ({ text, runs: new Set(runsOf(text)) }));
    const leaks = explanations.flatMap((explanation) => {
      const runs = runsOf(explanation);
      const where = shown.find((one) =>
        runs.filter((run) => one.runs.has(run)).length >= runs.length / 2
      );
      return where ? [`"${explanation}" in "${where.text.slice(0, 200)}"`] : [];
    });
    return [{
      check: "reward text",
      environmentId: id,
      cases: shareOf(leaks.length, explanations.length),
      verdict: leaks.length > 0 ? "flagged" : "clean",
      examples: leaks.slice(0, mostExamples),
    }];
  });
}

function runsOf(text: string): string[] {
  const tokens = tokensOf(text.toLowerCase());
  return tokens.slice(runLength - 1).map((_, i) => tokens.slice(i, i + runLength).join(" "));
}
