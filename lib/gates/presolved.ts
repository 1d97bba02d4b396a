/**
 * Gate `presolved`: nothing may be won right after reset [D7], and criteria must be able to hold. The no-op agent plays
 * all seeds; the floor gate uses the same plays.
 * @module
 */
import { probeAgents } from "./agents.ts";
import { mayUseTools, type Probe, type ProbePlay, probeSeeds, startProbe } from "./probe.ts";
import { type GateOptions, type GateVerdict, pass, refuse } from "./report.ts";

/** Flags by which `info` of a reset says that the play is over. */
const claims = ["terminated", "done", "success", "solved", "won"];

/** `noop` holds one play a seed. */
export async function presolvedGate(
  source: string,
  options: GateOptions,
): Promise<{ verdict: GateVerdict; noop: ProbePlay[] }> {
  await using probe = await startProbe(source, options);
  const noop: ProbePlay[] = [];
  const reset = mayUseTools(source, options) ? await criteriaVerdict(probe) : undefined;
  if (reset?.verdict === "refuse") return { verdict: reset, noop };
  for (const seed of probeSeeds) {
    // Three full plays in four decide the floor; the others only need their first step.
    const failures = noop.filter(({ success }) => !success).length;
    const isDecided = reset === undefined && failures >= probeSeeds.length * 0.75;
    const play = await probe.play(seed, probeAgents.noop, { steps: isDecided ? 1 : undefined });
    const claim = claims.find((key) => play.turns[0].info[key] === true);
    // In tool use the no-op agent only answers, so that its success was there from the beginning.
    const isWon = play.success && (reset !== undefined || play.turns.length === 2);
    if (claim !== undefined || isWon) {
      const reason = claim === undefined
        ? "won by doing nothing right after reset"
        : `reset says ${claim}`;
      return { verdict: refuse("presolved", reason, { seed }), noop };
    }
    noop.push(play);
  }
  return { verdict: reset ?? pass("presolved", { seeds: probeSeeds.length }), noop };
}

/** Criteria right after reset on all seeds; undefined for a game. */
async function criteriaVerdict(probe: Probe): Promise<GateVerdict | undefined> {
  const bySeed: (boolean | string)[][] = [];
  for (const seed of probeSeeds) {
    const criteria = await probe.criteria(seed);
    if (criteria === null) return undefined;
    bySeed.push(criteria);
  }
  const [first] = bySeed;
  const raising = first.findIndex((_, i) => bySeed.every((met) => typeof met[i] === "string"));
  if (raising !== -1) {
    const reason = `criterion ${raising + 1} raises on every seed`;
    return refuse("presolved", reason, { error: first[raising] });
  }
  const half = (met: (boolean | string)[]) =>
    met.filter((item) => item === true).length * 2 >= met.length;
  const solved = bySeed.filter(half).length;
  const evidence = { seeds: probeSeeds.length, criteria: first.length, halfMet: solved };
  return solved * 2 >= probeSeeds.length
    ? refuse(
      "presolved",
      `half of the criteria are met right after reset on ${solved} seeds`,
      evidence,
    )
    : pass("presolved", evidence);
}
