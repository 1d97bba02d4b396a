/**
 * Gates `parse` and `contract`: is it one environment, and does it keep the interface.
 * @module
 */
import { explorer } from "./agents.ts";
import { type ProbePlay, startProbe, unwrap } from "./probe.ts";
import { type GateOptions, type GateVerdict, pass, refuse } from "./report.ts";
import type { ParsedProgram } from "../core/mod.ts";

/** Syntax, and exactly one class that ends in `Env`. Never executes the program. */
export async function parseGate(
  source: string,
  options: GateOptions,
): Promise<{ verdict: GateVerdict; parsed: ParsedProgram }> {
  const { sandbox, signal } = options;
  const parsed = unwrap(await sandbox.parse(source, { signal }), "parse");
  const { environments } = parsed;
  const evidence = { environments, imports: parsed.imports };
  const verdict = environments.length === 1
    ? pass("parse", evidence)
    : refuse("parse", `${environments.length} Env classes, must be exactly one`, evidence);
  return { verdict, parsed };
}

/** Seeds of the contract gate; the determinism gate compares with them. */
export const contractSeeds = [0, 1] as const;

/**
 * Construct, reset, probe actions, reset again on the same instance. The plays are kept: the
 * determinism gate repeats them elsewhere.
 */
export async function contractGate(
  source: string,
  options: GateOptions,
): Promise<{ verdict: GateVerdict; plays: ProbePlay[] }> {
  await using probe = await startProbe(source, options);
  const first = await probe.play(contractSeeds[0], explorer);
  const again = await probe.play(contractSeeds[1], explorer, { fresh: false });
  const plays = [first, again];
  return {
    verdict: pass("contract", { steps: plays.map(({ turns }) => turns.length - 1) }),
    plays,
  };
}
