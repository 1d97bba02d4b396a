/**
 * Audits that play again. This room runs nothing: the caller's function does, in a sandbox and with whatever policy
 * it wants to know about.
 * @module
 */
import { type Outcome, type RecordOf, seedOf } from "../../core/mod.ts";
import { shareOf } from "../estimate.ts";
import { groupBy } from "../group.ts";
import { type Acted, actionsByPlay, answerOf } from "./constant_wins.ts";
import { type HackCheck, type HackFinding, mostExamples } from "./finding.ts";

/** One more play of a policy, in the arm of the play it repeats. */
export interface ReplayRequest {
  /** The won play it repeats. */
  play: RecordOf<"play">;
  /** Environment seed to play on. */
  seed: number;
  /** Applied to every observation before the policy sees it. */
  reword?: (observation: string) => string;
}

/** What became of it; a failed or skipped outcome is in no count. */
export interface Replayed {
  /** Return, or why there is none. */
  outcome: Outcome;
  /** Terminated with a return of 1. */
  success: boolean;
}

/** How much is played again. */
export interface RepeatOptions {
  /** Won plays repeated of each environment, lowest ids first. @default 4 */
  plays?: number;
  /** Changed seeds of each. @default 2 */
  seeds?: number;
  /** Says the same in other words; without it that check is left out. */
  reword?: (observation: string) => string;
  /** Plays at once. @default 8 */
  concurrency?: number;
  /** Ends the audit between two plays. */
  signal?: AbortSignal;
}

/**
 * Wins that vanish: repeats won plays as they were, on other seeds of the same environment, and with observations
 * reworded. A case is a changed play that is lost. Flagged where the 95 % intervals say that the changed plays are
 * won less often than the unchanged ones: the policy then knows seeds or wording, not the game. Rows `changed seed`
 * and, with `reword`, `reworded`; `unknown` where the unchanged plays are not won again often enough to tell.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../../core/mod.ts";
 * const play = (seed: number) => ({ id: `p${seed}`, rollout: 0, environmentId: "e", arm: "plain" as const,
 *   index: seed, seed, outcome: scored(1), success: true, terminated: true, truncated: false, turns: 1,
 *   versionFirst: 0, versionLast: 0, hung: false, attempts: 1 });
 * // A policy that learnt four seeds by heart wins on them and on no other.
 * const [finding] = await winsThatVanish([1, 2, 3, 4].map(play), ({ seed }) => {
 *   const success = seed <= 4;
 *   return Promise.resolve({ outcome: scored(success ? 1 : 0), success });
 * });
 * assert.equal(finding.check, "changed seed");
 * assert.equal(finding.verdict, "flagged");
 * ```
 */
export async function winsThatVanish(
  plays: readonly RecordOf<"play">[],
  replay: (request: ReplayRequest) => Promise<Replayed>,
  options: RepeatOptions = {},
): Promise<HackFinding[]> {
  const { plays: most = 4, seeds = 2, reword } = options;
  const wins = groupBy(plays.filter(({ success }) => success), (play) => play.environmentId);
  const chosen = [...wins].flatMap(([, of]) => of.sort(byId).slice(0, most));
  type Kind = "same" | HackCheck;
  const asked = chosen.flatMap((play): { kind: Kind; request: ReplayRequest }[] => [
    { kind: "same", request: { play, seed: play.seed } },
    ...Array.from({ length: seeds }, (_, i) => ({
      kind: "changed seed" as const,
      request: { play, seed: seedOf(play.seed, "changed", i) },
    })),
    ...(reword ? [{ kind: "reworded" as const, request: { play, seed: play.seed, reword } }] : []),
  ]);
  const played = await inTurn(asked, ({ request }) => replay(request), options);
  const all = asked.map(({ kind, request }, i) => ({ kind, ...request, ...played[i] }))
    .filter(({ outcome }) => outcome.kind === "scored");
  return [...groupBy(all, ({ play }) => play.environmentId)].flatMap(([environmentId, of]) => {
    const same = of.filter(({ kind }) => kind === "same");
    const kept = shareOf(same.filter(({ success }) => success).length, same.length);
    return (["changed seed", "reworded"] as const).flatMap((check): HackFinding[] => {
      const changed = of.filter(({ kind }) => kind === check);
      if (changed.length === 0) return [];
      const lost = changed.filter(({ success }) => !success);
      const cases = shareOf(lost.length, changed.length);
      const isLess = kept.low !== undefined && 1 - cases.low! < kept.low;
      return [{
        check,
        environmentId,
        cases,
        verdict: isLess ? "flagged" : (kept.low ?? 0) < 0.3 ? "unknown" : "clean",
        examples: lost.slice(0, mostExamples).map(({ play, seed }) =>
          `${play.id}: won on seed ${play.seed}, lost ${
            check === "reworded" ? "reworded" : `on seed ${seed}`
          }`
        ),
      }];
    });
  });
}

/**
 * Constant answers, tested: the actions of each environment's won plays, given unread on other seeds. A case is a
 * seed that the best of them wins. Flagged where it wins on all `seeds`. @default seeds 6
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../../core/mod.ts";
 * const plays = [{ id: "p", environmentId: "e", success: true }];
 * const turns = [{ playId: "p", index: 0, action: "B" }];
 * // An environment that pays for "B" whatever the seed.
 * const [finding] = await answersThatHold(plays, turns, ({ actions }) => {
 *   const success = actions[0] === "B";
 *   return Promise.resolve({ outcome: scored(success ? 1 : 0), success });
 * });
 * assert.equal(finding.verdict, "flagged");
 * ```
 */
export async function answersThatHold(
  plays: readonly Pick<RecordOf<"play">, "id" | "environmentId" | "success">[],
  turns: readonly Acted[],
  act: (
    request: { environmentId: string; seed: number; actions: readonly string[] },
  ) => Promise<Replayed>,
  options: Omit<RepeatOptions, "reword"> = {},
): Promise<HackFinding[]> {
  const { plays: most = 4, seeds = 6 } = options, actions = actionsByPlay(turns);
  const wins = plays.filter(({ id, success }) => success && actions.has(id));
  const asked = [...groupBy(wins, (play) => play.environmentId)].flatMap(([environmentId, of]) =>
    [...groupBy(of.sort(byId), ({ id }) => answerOf(actions.get(id)!))].slice(0, most)
      .flatMap(([answer, [play]]) =>
        Array.from({ length: seeds }, (_, i) => ({
          environmentId,
          answer,
          actions: actions.get(play.id)!,
          seed: seedOf(environmentId, "unread", i),
        }))
      )
  );
  const played = await inTurn(asked, act, options);
  const all = asked.map((request, i) => ({ ...request, ...played[i] }))
    .filter(({ outcome }) => outcome.kind === "scored");
  return [...groupBy(all, ({ environmentId }) => environmentId)].map(([environmentId, of]) => {
    const answers = [...groupBy(of, ({ answer }) => answer)].map(([answer, given]) => ({
      answer,
      won: given.filter(({ success }) => success).length,
      of: given.length,
    })).sort((a, b) => b.won / b.of - a.won / a.of);
    const [best] = answers;
    return {
      check: "constant answer",
      environmentId,
      cases: shareOf(best.won, best.of),
      verdict: best.won === best.of ? "flagged" : "clean",
      examples: answers.filter(({ won }) => won > 0).slice(0, mostExamples)
        .map(({ answer, won, of }) => `"${answer.slice(0, 200)}" won on ${won} of ${of} seeds`),
    };
  });
}

const byId = (a: { id: string }, b: { id: string }) => a.id < b.id ? -1 : 1;

/** Results in the order of `items`, some at once. */
async function inTurn<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  { concurrency = 8, signal }: Pick<RepeatOptions, "concurrency" | "signal">,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const waiting = items.entries();
  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (const [i, item] of waiting) {
      signal?.throwIfAborted();
      results[i] = await work(item);
    }
  }));
  return results;
}
