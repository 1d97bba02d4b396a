/**
 * Gate `floor`: agents that know nothing must win at most .25 of the seeds (a single choice among
 * c: 1/c + .1). One child runs the seeds of one agent and stops as soon as its verdict cannot
 * change. In tool use nothing is offered; constant calls the action once, then answers `done`.
 * @module
 */
import { constant, type ProbeAgentName, probeAgents } from "./agents.ts";
import { type Policy, type ProbePlay, probeSeeds, startProbe } from "./probe.ts";
import { type GateOptions, type GateVerdict, pass, refuse } from "./report.ts";

/** Wins and plays of one agent; `reason` when it did not play. */
interface Tally {
  wins: number;
  plays: number;
  skipped?: string;
}

/** Success rate any agent may reach. */
const usualLimit = 0.25;

/**
 * Success rate an agent may reach: .25, or the mean of 1/c plus .1 when every play was one choice
 * among c actions.
 */
export function floorLimit(plays: readonly ProbePlay[]): number {
  const choices = plays.map(({ turns }) =>
    turns.length === 2 ? turns[0].actions?.length : undefined
  );
  if (choices.length === 0 || !choices.every((count) => count !== undefined)) return usualLimit;
  return choices.reduce((sum, count) => sum + 1 / count, 0) / choices.length + 0.1;
}

/** `noop` are the plays of the presolved gate; `solve` gives the solutions, or a reason why there are none. */
export async function floorGate(
  source: string,
  options: GateOptions,
  noop: readonly ProbePlay[],
  solve: () => Promise<string[][] | string>,
): Promise<{ verdict: GateVerdict; plays: ProbePlay[] }> {
  // Whether the game is a single choice shows when offered actions are taken: the random agent sets
  // the limit.
  const random = await run(source, options, probeAgents.random, (plays) => {
    const choice = floorLimit(plays);
    return [Math.min(choice, usualLimit), Math.max(choice, usualLimit)];
  });
  const limit = floorLimit(random.plays);
  const offers = random.plays.every(({ turns }) => turns[0].actions !== undefined);
  const agents: Record<string, Tally> = { noop: tally(noop), random: tally(random.plays) };
  const fixed = (): [number, number] => [limit, limit];
  const evidence = () => ({ limit, agents });
  const tooOften = (name: string) => agents[name].wins > limit * probeSeeds.length + 1e-9;
  const { plays } = random;
  const verdict = (name: string) => ({
    verdict: refuse(
      "floor",
      `${name} agent wins ${agents[name].wins} of ${agents[name].plays}`,
      evidence(),
    ),
    plays,
  });

  for (const name of ["noop", "random"]) if (tooOften(name)) return verdict(name);
  for (const name of ["empty", "echo", "all-options"] satisfies ProbeAgentName[]) {
    if (name === "all-options" && !offers) {
      agents[name] = { wins: 0, plays: 0, skipped: "no offered actions" };
      continue;
    }
    agents[name] = tally((await run(source, options, probeAgents[name], fixed)).plays);
    if (tooOften(name)) return verdict(name);
  }
  const solutions = await solve();
  if (typeof solutions === "string") agents.constant = { wins: 0, plays: 0, skipped: solutions };
  const winning = typeof solutions === "string" ? [] : commonestActions(solutions);
  for (const [rank, action] of winning.entries()) {
    const name = `constant-${rank + 1}`;
    agents[name] = tally((await run(source, options, constant(action), fixed)).plays);
    if (tooOften(name)) return verdict(name);
  }
  return { verdict: pass("floor", evidence()), plays };
}

function tally(plays: readonly ProbePlay[]): Tally {
  return { wins: plays.filter(({ success }) => success).length, plays: plays.length };
}

/** Plays until the wins exceed the upper limit, or can no longer exceed the lower one. */
async function run(
  source: string,
  options: GateOptions,
  policy: Policy,
  limitsOf: (plays: readonly ProbePlay[]) => [lower: number, upper: number],
): Promise<{ plays: ProbePlay[] }> {
  options.signal?.throwIfAborted();
  await using probe = await startProbe(source, options);
  const plays: ProbePlay[] = [];
  for (const seed of probeSeeds) {
    plays.push(await probe.play(seed, policy));
    const wins = plays.filter(({ success }) => success).length;
    const left = probeSeeds.length - plays.length;
    const [lower, upper] = limitsOf(plays).map((limit) => limit * probeSeeds.length + 1e-9);
    if (wins > upper || wins + left <= lower) break;
  }
  return { plays };
}

/** The three actions that occur in most solutions, first seen first. */
function commonestActions(solutions: readonly (readonly string[])[]): string[] {
  const counts = new Map<string, number>();
  for (const solution of solutions) {
    for (const action of new Set(solution)) counts.set(action, (counts.get(action) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 3).map(([action]) => action);
}
