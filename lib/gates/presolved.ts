/**
 * Gate `presolved`: nothing may be won right after reset [D7]. The no-op agent plays all seeds; the
 * floor gate uses the same plays.
 * @module
 */
import { probeAgents } from "./agents.ts";
import { type ProbePlay, probeSeeds, startProbe } from "./probe.ts";
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
  for (const seed of probeSeeds) {
    // Three full plays in four decide the floor; the others only need their first step.
    const failures = noop.filter(({ success }) => !success).length;
    const steps = failures >= probeSeeds.length * 0.75 ? 1 : undefined;
    const play = await probe.play(seed, probeAgents.noop, { steps });
    const claim = claims.find((key) => play.turns[0].info[key] === true);
    if (claim !== undefined || (play.turns.length === 2 && play.success)) {
      const reason = claim === undefined
        ? "won by doing nothing right after reset"
        : `reset says ${claim}`;
      return { verdict: refuse("presolved", reason, { seed }), noop };
    }
    noop.push(play);
  }
  return { verdict: pass("presolved", { seeds: probeSeeds.length }), noop };
}
