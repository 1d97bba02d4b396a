/**
 * Gate `oracle`: where a program tells how it is won, that wins on at least 19 of the 20 seeds; with its last action
 * replaced by another offered one, else left out, on at most 10. In tool use the last call is left out, and instructions
 * that the solution leaves unanswered are answered with `done`.
 * @module
 */
import { Random, seedOf } from "../core/mod.ts";
import { done, toolMove } from "./agents.ts";
import { type Move, type Policy, type ProbePlay, probeSeeds, startProbe } from "./probe.ts";
import { type GateOptions, type GateVerdict, pass, refuse } from "./report.ts";

/** Wins the solution must reach, wins its mutation may reach. */
const leastWins = 19;
const mostMutated = 10;

const box = (content: string) => `\\boxed{${content}}`;

/** Actions of `solution()` on each of the 20 seeds, or null without it. */
export async function collectSolutions(
  source: string,
  options: GateOptions,
): Promise<string[][] | null> {
  // A program without the word cannot define the method; this saves it a process.
  if (!source.includes("solution")) return null;
  await using probe = await startProbe(source, options);
  const solutions: string[][] = [];
  for (const seed of probeSeeds) {
    await probe.reset(seed);
    const solution = await probe.solution(seed);
    if (solution === null) return null;
    solutions.push(solution);
  }
  return solutions;
}

/** `plays` are those of the solution. */
export async function oracleGate(
  source: string,
  options: GateOptions,
  solutions: readonly (readonly string[])[],
): Promise<{ verdict: GateVerdict; plays: ProbePlay[] }> {
  const plays = await follow(source, options, solutions, false);
  const wins = winsOf(plays);
  const lost = plays.find(({ success }) => !success);
  if (probeSeeds.length - plays.length + wins < leastWins) {
    const reason = `solution() wins ${wins} of ${plays.length}`;
    return { verdict: refuse("oracle", reason, { wins, lost: ending(lost) }), plays };
  }
  const mutated = await follow(source, options, solutions, true);
  const shortest = Math.min(...solutions.map(({ length }) => length));
  const evidence = { wins, mutated: winsOf(mutated), of: mutated.length, shortest };
  return {
    verdict: evidence.mutated > mostMutated
      ? refuse(
        "oracle",
        `wins ${evidence.mutated} of ${evidence.of} without its last action`,
        evidence,
      )
      : pass("oracle", evidence),
    plays,
  };
}

const winsOf = (plays: readonly ProbePlay[]) => plays.filter(({ success }) => success).length;

function ending(play: ProbePlay | undefined): Record<string, unknown> | undefined {
  const last = play?.turns.at(-1);
  if (!play || !last) return undefined;
  return { seed: play.seed, steps: play.turns.length - 1, last: last.observation.slice(0, 300) };
}

/** Plays the solutions, or their mutations, until the verdict cannot change. */
async function follow(
  source: string,
  options: GateOptions,
  solutions: readonly (readonly string[])[],
  isMutated: boolean,
): Promise<ProbePlay[]> {
  options.signal?.throwIfAborted();
  await using probe = await startProbe(source, options);
  const plays: ProbePlay[] = [];
  for (const seed of probeSeeds) {
    const solution = solutions[seed];
    const policy = isMutated ? mutation(solution) : straight(solution);
    plays.push(await probe.play(seed, policy));
    const wins = winsOf(plays);
    const left = probeSeeds.length - plays.length;
    if (isMutated && (wins > mostMutated || wins + left <= mostMutated)) break;
    if (!isMutated && wins + left < leastWins) break;
  }
  return plays;
}

/** Does as the solution says; null ends the play. */
function straight(solution: readonly string[]): Policy {
  return ({ turn, desk }) => {
    if (desk) return turn < solution.length ? toolMove(solution[turn]) : done;
    return turn < solution.length ? box(solution[turn]) : null;
  };
}

const isCall = (move: Move | null) => move !== null && typeof move === "object" && "name" in move;

/** The same with its last action, in tool use its last call, replaced or left out. */
function mutation(solution: readonly string[]): Policy {
  const lastCall = solution.findLastIndex((action) => isCall(toolMove(action)));
  const shorter = solution.filter((_, i) =>
    i !== (lastCall === -1 ? solution.length - 1 : lastCall)
  );
  const last = solution[solution.length - 1];
  return (view) => {
    if (view.desk) return straight(shorter)(view);
    if (view.turn !== solution.length - 1) return straight(solution)(view);
    const others = view.actions?.filter((action) => action !== last) ?? [];
    const at = new Random(seedOf("gate", "oracle", view.seed)).integer(others.length);
    return others.length > 0 ? box(others[at]) : null;
  };
}
