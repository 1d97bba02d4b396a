/**
 * Runs the gates on one program. Guarantees: gates run in order and stop at the first refusal;
 * whatever the program does (raise, hang, exit, lie) is a refusal with its reason, never an
 * acceptance; a failure of the host is no verdict: the gate is repeated once, then {@link
 * SandboxError} is thrown. The report is a function of program and options. Not guaranteed: that an
 * accepted game is sensible; see the later gates.
 * @module
 */
import { canonicalSource, environmentId, type ParsedProgram, SandboxError } from "../core/mod.ts";
import { contractGate, parseGate } from "./contract.ts";
import { determinismGate } from "./determinism.ts";
import { duplicateVerdict } from "./duplicate.ts";
import { floorGate } from "./floor.ts";
import { presolvedGate } from "./presolved.ts";
import { HostFault, type ProbePlay, ProgramFault } from "./probe.ts";
import {
  type GateName,
  gateNames,
  type GateOptions,
  type GateReport,
  type GateVerdict,
  refuse,
} from "./report.ts";

/** The gates that run the program; `duplicate` needs only its tree. */
type RunGate = Exclude<GateName, "duplicate">;

/** What earlier gates found and later ones use. */
interface Findings {
  parsed?: ParsedProgram;
  contractPlays: ProbePlay[];
  noopPlays: ProbePlay[];
}

/**
 * Judges a program.
 *
 * @throws {SandboxError} when the host fails twice in the same gate; the signal's reason when
 * aborted.
 */
export async function checkProgram(source: string, options: GateOptions): Promise<GateReport> {
  const canonical = canonicalSource(source);
  const id = environmentId(canonical);
  const { cache, known, until = "duplicate" } = options;
  const gates = gateNames.slice(0, gateNames.indexOf(until) + 1)
    .filter((gate): gate is RunGate => gate !== "duplicate");
  const cached = cache?.get(id);
  if (cached && (!cached.accepted || cached.verdicts.length >= gates.length)) {
    return until === "duplicate" ? withDuplicate(cached, known) : cached;
  }
  const report: GateReport = {
    environmentId: id,
    source: canonical,
    accepted: true,
    runs: false,
    verdicts: [],
    hung: false,
  };
  const findings: Findings = { contractPlays: [], noopPlays: [] };
  for (const gate of gates) {
    const { verdict, hung } = await runGate(gate, canonical, options, findings);
    if (gate === "parse") options.onTree?.(findings.parsed?.treeHash ?? null);
    report.verdicts.push(verdict);
    report.hung ||= hung;
    report.accepted = verdict.verdict !== "refuse";
    if (!report.accepted) break;
    if (gate === "contract") report.runs = true;
  }
  report.parsed = findings.parsed;
  report.className = findings.parsed?.environments[0];
  cache?.set(id, report);
  return until === "duplicate" ? withDuplicate(report, known) : report;
}

/** The last gate: pure, asked anew each time, and never cached. */
function withDuplicate(report: GateReport, known: GateOptions["known"]): GateReport {
  if (!report.accepted || report.parsed === undefined || known === undefined) return report;
  const verdict = duplicateVerdict(known(report.parsed.treeHash));
  return {
    ...report,
    verdicts: [...report.verdicts, verdict],
    accepted: verdict.verdict !== "refuse",
  };
}

/** One gate: faults of the program become a refusal, faults of the host one repetition. */
async function runGate(
  gate: RunGate,
  source: string,
  options: GateOptions,
  findings: Findings,
): Promise<{ verdict: GateVerdict; hung: boolean }> {
  for (let attempt = 0;; attempt++) {
    options.signal?.throwIfAborted();
    try {
      return { verdict: await judge(gate, source, options, findings), hung: false };
    } catch (error) {
      // What an abort kills looks like a fault of its own.
      options.signal?.throwIfAborted();
      if (error instanceof ProgramFault) {
        const { failure, during } = error;
        // Addresses differ from run to run; records do not.
        const detail = (failure.detail ?? "").replace(/\b0x[0-9a-f]{4,}\b/gi, "0x...");
        const evidence = { during, detail };
        const hung = failure.reason.startsWith("deadline");
        return { verdict: refuse(gate, failure.reason, evidence), hung };
      }
      if (!(error instanceof HostFault)) throw error;
      if (attempt > 0) {
        throw new SandboxError(`Cannot run gate ${gate}: ${error.message}`, { cause: error });
      }
    }
  }
}

async function judge(
  gate: RunGate,
  source: string,
  options: GateOptions,
  findings: Findings,
): Promise<GateVerdict> {
  switch (gate) {
    case "parse": {
      const { verdict, parsed } = await parseGate(source, options);
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
      return await determinismGate(source, options, contractPlays, parsed?.constant ?? false);
    }
    case "presolved": {
      const { verdict, noop } = await presolvedGate(source, options);
      findings.noopPlays = noop;
      return verdict;
    }
    case "floor":
      return await floorGate(source, options, findings.noopPlays);
  }
}
