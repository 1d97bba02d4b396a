/**
 * Runs the gates on one program. Guarantees: gates run in order and stop at the first refusal;
 * whatever the program does (raise, hang, exit, lie) is a refusal with its reason, never an
 * acceptance; a failure of the host is no verdict: the gate is repeated once, then {@link
 * SandboxError} is thrown. The report is, but for `screen`, a function of program and options. Not guaranteed: that an
 * accepted game is sensible.
 * @module
 */
import { canonicalSource, environmentId, type ParsedProgram, SandboxError } from "../core/mod.ts";
import { contractGate, parseGate } from "./contract.ts";
import { determinismGate } from "./determinism.ts";
import { duplicateVerdict, nearestOf } from "./duplicate.ts";
import { floorGate } from "./floor.ts";
import { leakVerdict } from "./leak.ts";
import { collectSolutions, oracleGate } from "./oracle.ts";
import { presolvedGate } from "./presolved.ts";
import { HostFault, type ProbePlay, ProgramFault } from "./probe.ts";
import {
  type GateName,
  gateNames,
  type GateOptions,
  type GateReport,
  type GateVerdict,
  refuse,
  skip,
} from "./report.ts";
import { screenGate } from "./screen.ts";

/** The gates whose verdict is the program's alone; `duplicate` and `screen` depend on others. */
type OwnGate = Exclude<GateName, "duplicate" | "screen">;

/** What earlier gates found and later ones use. */
interface Findings {
  parsed?: ParsedProgram;
  contractPlays: ProbePlay[];
  noopPlays: ProbePlay[];
  randomPlays: ProbePlay[];
  oraclePlays: ProbePlay[];
  /** Of `solution()`, asked once: null where there is none; rejected where it fails, by whichever gate asks. */
  solutions?: Promise<string[][] | null>;
}

/**
 * Judges a program.
 *
 * ```ts ignore
 * import assert from "node:assert/strict";
 * import { checkProgram, gateRules, startSandbox } from "@spade/spade";
 *
 * await using sandbox = await startSandbox({ python: ".spade/sandbox/bin/python" });
 * const options = { sandbox, maxTurns: 12, ...gateRules("game-single") };
 * const read = (name: string) => Deno.readTextFileSync(`data/environments/${name}.py`);
 * const bad = await checkProgram(read("bad/contract_infinite_reward"), options);
 * assert.equal(bad.accepted, false);
 * assert.equal(bad.verdicts.at(-1)?.gate, "contract");
 * console.log(bad.verdicts.at(-1)?.reason);
 * ```
 *
 * @throws {SandboxError} when the host fails twice in the same gate; the signal's reason when
 * aborted.
 */
export async function checkProgram(source: string, options: GateOptions): Promise<GateReport> {
  const { gates = gateNames, until = "screen", known } = options;
  const last = gateNames.indexOf(until);
  const chosen = gateNames.slice(0, last + 1).filter((gate) =>
    gate === "parse" || gates.includes(gate)
  );
  let report = await ownVerdicts(source, options, chosen);
  if (report.accepted && report.parsed && known && chosen.includes("duplicate")) {
    report = withVerdict(report, judgeDuplicate(report.parsed, known, options.similar));
  }
  if (report.accepted && chosen.includes("screen") && (options.screen || options.screenRequired)) {
    report = withVerdict(report, await opinionOn(report, options));
  }
  return report;
}

function withVerdict(report: GateReport, verdict: GateVerdict): GateReport {
  return {
    ...report,
    verdicts: [...report.verdicts, verdict],
    accepted: verdict.verdict !== "refuse",
  };
}

/** Pure, asked anew each time, and never cached: what is known changes. */
function judgeDuplicate(
  parsed: ParsedProgram,
  known: (treeHash: string) => boolean,
  similar: GateOptions["similar"],
): GateVerdict {
  const nearest = similar && nearestOf(parsed.shingles ?? [], similar.known());
  return duplicateVerdict(
    known(parsed.treeHash),
    nearest && { ...nearest, threshold: similar.threshold },
  );
}

/** Cached once there is an opinion; what was skipped is asked again another time. */
async function opinionOn(report: GateReport, options: GateOptions): Promise<GateVerdict> {
  const cached = options.cache?.get(report.environmentId);
  if (cached?.opinion) return cached.opinion;
  const verdict = await screenGate(report.source, options);
  if (cached && "opinion" in verdict.evidence) cached.opinion = verdict;
  return verdict;
}

/** The report without `duplicate` and `screen`, from the cache where it holds all that is asked. */
async function ownVerdicts(
  source: string,
  options: GateOptions,
  chosen: readonly GateName[],
): Promise<GateReport> {
  const canonical = canonicalSource(source);
  const id = environmentId(canonical);
  const gates = chosen.filter((gate): gate is OwnGate => gate !== "duplicate" && gate !== "screen");
  const cached = options.cache?.get(id);
  if (cached && isEnough(cached, gates)) return cached;
  const report: GateReport = {
    environmentId: id,
    source: canonical,
    accepted: true,
    runs: false,
    verdicts: [],
    hung: false,
  };
  const findings: Findings = {
    contractPlays: [],
    noopPlays: [],
    randomPlays: [],
    oraclePlays: [],
  };
  for (const gate of gates) {
    const { verdict, hung } = await runGate(gate, canonical, options, findings, chosen);
    if (gate === "parse") options.onParsed?.(findings.parsed ?? null);
    report.verdicts.push(verdict);
    report.hung ||= hung;
    report.accepted = verdict.verdict !== "refuse";
    if (!report.accepted) break;
    if (gate === "contract") report.runs = true;
  }
  report.parsed = findings.parsed;
  report.className = findings.parsed?.environments[0];
  options.cache?.set(id, report);
  return report;
}

/** Whether a report says all that `gates` would. */
function isEnough({ accepted, verdicts }: GateReport, gates: readonly OwnGate[]): boolean {
  const ran = verdicts.map(({ gate }) => gate);
  const asked: readonly GateName[] = gates;
  return accepted ? gates.every((gate) => ran.includes(gate)) : asked.includes(ran[ran.length - 1]);
}

/** One gate: faults of the program become a refusal, faults of the host one repetition. */
async function runGate(
  gate: OwnGate,
  source: string,
  options: GateOptions,
  findings: Findings,
  chosen: readonly GateName[],
): Promise<{ verdict: GateVerdict; hung: boolean }> {
  for (let attempt = 0;; attempt++) {
    options.signal?.throwIfAborted();
    try {
      return { verdict: await judge(gate, source, options, findings, chosen), hung: false };
    } catch (error) {
      // What an abort kills looks like a fault of its own.
      options.signal?.throwIfAborted();
      if (error instanceof ProgramFault) return faultVerdict(gate, error);
      if (!(error instanceof HostFault)) throw error;
      if (attempt > 0) {
        throw new SandboxError(`Cannot run gate ${gate}: ${error.message}`, { cause: error });
      }
    }
  }
}

function faultVerdict(gate: OwnGate, { failure, during }: ProgramFault) {
  // Addresses differ from run to run; records do not.
  const detail = (failure.detail ?? "").replace(/\b0x[0-9a-f]{4,}\b/gi, "0x...");
  const module = /^ModuleNotFoundError: No module named '([^']+)'/.exec(detail)?.[1];
  const reason = module === undefined ? failure.reason : `no module ${module}`;
  const hung = failure.reason.startsWith("deadline");
  return { verdict: refuse(gate, reason, { during, detail }), hung };
}

async function judge(
  gate: OwnGate,
  source: string,
  options: GateOptions,
  findings: Findings,
  chosen: readonly GateName[],
): Promise<GateVerdict> {
  const solve = async () => {
    const asked = findings.solutions ??= collectSolutions(source, options);
    return await asked.catch((error) => {
      // A fault of the program stands; the host may do better another time.
      if (!(error instanceof ProgramFault)) findings.solutions = undefined;
      throw error;
    });
  };
  /** For the gates before `oracle`: a solution() that fails is that gate's to refuse, where it runs. */
  const solveOr = async <T>(otherwise: T) => {
    try {
      return await solve();
    } catch (error) {
      if (chosen.includes("oracle") && error instanceof ProgramFault) return otherwise;
      throw error;
    }
  };
  switch (gate) {
    case "parse": {
      const details = chosen.includes("leak") || options.similar !== undefined || options.shingles;
      const { verdict, parsed } = await parseGate(source, options, details);
      findings.parsed = parsed;
      return verdict;
    }
    case "contract": {
      const { verdict, plays } = await contractGate(source, options);
      findings.contractPlays = plays;
      return verdict;
    }
    case "determinism": {
      const { contractPlays, parsed } = findings;
      const constant = parsed?.constant ?? false;
      const hidden = chosen.includes("oracle")
        ? () => solveOr("solution() fails")
        : () => Promise.resolve(null);
      return await determinismGate(source, options, contractPlays, constant, hidden);
    }
    case "presolved": {
      const { verdict, noop } = await presolvedGate(source, options);
      findings.noopPlays = noop;
      return verdict;
    }
    case "floor": {
      const { noopPlays } = findings;
      const { verdict, plays } = await floorGate(
        source,
        options,
        noopPlays,
        async () => await solveOr("solution() fails") ?? "no solution()",
      );
      findings.randomPlays = plays;
      return verdict;
    }
    case "oracle": {
      const solutions = await solve();
      if (solutions === null) return skip("oracle", "no solution()");
      const { verdict, plays } = await oracleGate(source, options, solutions);
      findings.oraclePlays = plays;
      return verdict;
    }
    case "leak":
      return leakVerdict({
        parsed: findings.parsed!,
        plays: [...findings.oraclePlays, ...findings.noopPlays],
        others: [...findings.contractPlays, ...findings.randomPlays],
        solutions: await solve(),
      });
  }
}
