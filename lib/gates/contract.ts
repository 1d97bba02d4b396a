/**
 * Gates `parse` and `contract`: is it one environment, and does it keep the interface.
 * @module
 */
import { explorer } from "./agents.ts";
import { mayUseTools, type ProbePlay, startProbe, unwrap } from "./probe.ts";
import { type GateOptions, type GateVerdict, pass, refuse } from "./report.ts";
import { toolProblem } from "./tools.ts";
import type { ParsedProgram } from "../core/mod.ts";

/**
 * Syntax, and exactly one class that ends in `Env`. Never executes the program. `details` are for the gates that compare
 * texts.
 */
export async function parseGate(
  source: string,
  options: GateOptions,
  details = false,
): Promise<{ verdict: GateVerdict; parsed: ParsedProgram }> {
  const { sandbox, signal } = options;
  const asked = details ? { signal, details } : { signal };
  const parsed = unwrap(await sandbox.parse(source, asked), "parse");
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
 * Construct, reset, probe actions, reset again on the same instance; for tools, schemas and methods agree. The plays are
 * kept: the determinism gate repeats them elsewhere.
 */
export async function contractGate(
  source: string,
  options: GateOptions,
): Promise<{ verdict: GateVerdict; plays: ProbePlay[] }> {
  await using probe = await startProbe(source, options);
  let tools: number | undefined;
  if (mayUseTools(source, options)) {
    const facts = (await probe.reset(contractSeeds[0])).tools;
    const problem = facts ? toolProblem(facts) : options.requireTools ? noTools : undefined;
    if (problem !== undefined) return { verdict: refuse("contract", problem), plays: [] };
    tools = facts?.tools.length;
  }
  const first = await probe.play(contractSeeds[0], explorer);
  const again = await probe.play(contractSeeds[1], explorer, { fresh: false });
  const plays = [first, again];
  if (options.requireSolution && await probe.solution(contractSeeds[1]) === null) {
    return { verdict: refuse("contract", "no solution(), must tell how to win"), plays };
  }
  const steps = plays.map(({ turns }) => turns.length - 1);
  return { verdict: pass("contract", tools === undefined ? { steps } : { steps, tools }), plays };
}

const noTools = "no tools, must be a subclass of ToolUseEnv";
