/**
 * Everything that decides on the program of one reply, in the order of the gates: its own ones, whether it repeats
 * another program, and at last the screen's opinion.
 * @module
 */
import { environmentId, type RecordOf, SandboxError, UsageError } from "../core/mod.ts";
import type { DesignerAnswer } from "../designer/mod.ts";
import {
  checkProgram,
  type GateName,
  type GateOptions,
  type GateReport,
  gateRules,
  type GateVerdict,
} from "../gates/mod.ts";
import type { Loop } from "./context.ts";
import { askScreen } from "./screen.ts";
import { settled } from "./settled.ts";
import type { SlotPlan } from "./slots.ts";
import type { Turnstile } from "./turnstile.ts";
import type { Known, Twins } from "./twins.ts";

/** What became of one reply. */
export interface Judgement {
  /** Verdicts of the gates. */
  report: GateReport;
  /** Whether the whole reply runs as it is. */
  runsAsEmitted: boolean;
  /** Replies of the screen. */
  opinions: RecordOf<"reply">[];
}

/** How a program is gated, with what the gates demand of the configured kind. */
export function gateOptions(
  { config, sandbox, signal }: Pick<Loop, "config" | "sandbox" | "signal">,
): GateOptions {
  const { kind, maxTurns, returns } = config;
  if (kind === "folder" || kind === "rlve") throw new UsageError(`Cannot design: kind is ${kind}`);
  // The compact policy writes no solution(), and near-duplicates are judged by the caller, in their own order.
  const until: GateName = kind === "compact" ? "floor" : "leak";
  return { sandbox, maxTurns, until, ...gateRules(kind), returns, limits: config.sandbox, signal };
}

/** Judges a reply; `twins` learns what was written as soon as it is known, and what became of it from the caller. */
export async function judgeReply(
  loop: Loop,
  of: { rollout: number; attempt: number; id: string; plan: SlotPlan },
  asked: DesignerAnswer,
  { twins, turnstile }: { twins: Twins; turnstile: Turnstile },
): Promise<Judgement> {
  const { config } = loop;
  const { rollout, attempt, id: replyId, plan: { slot, skill } } = of;
  const { source } = asked;
  const gates = gateOptions(loop);
  const place = attempt * config.environments + slot;
  const check = (text: string, options: Partial<GateOptions>) =>
    turnstile.pass(place, () => checkProgram(text, { ...gates, ...options }));
  let report = await check(source, {
    shingles: config.nearDuplicate !== null,
    // Those who wait for this program need not wait for its other gates.
    onParsed: (parsed) =>
      twins.tell(attempt, slot, parsed && { id: environmentId(source), shingles: [], ...parsed }),
  });
  const runsAsEmitted = asked.asEmitted
    ? report.runs
    : (await check(asked.text, { until: "contract" })).runs;
  const add = (verdict: GateVerdict) => {
    const accepted = verdict.verdict !== "refuse";
    report = { ...report, accepted, verdicts: [...report.verdicts, verdict] };
  };
  if (report.accepted && report.parsed) {
    const { environmentId: id, parsed } = report;
    add(await twins.judge(attempt, slot, { id, shingles: [], ...parsed }));
  }
  let opinions: RecordOf<"reply">[] = [];
  if (report.accepted && config.screen) {
    const { environmentId } = report;
    const asking = { rollout, slot, attempt, replyId, environmentId, source, skill };
    const { verdict, replies } = await askScreen(loop, asking);
    add(verdict);
    opinions = replies;
  }
  return { report, runsAsEmitted, opinions };
}

/** What a set designed at `rollout` is compared with: held-out programs and all environments before it. */
export function knownPrograms(loop: Loop, rollout: number): Known {
  const { nearDuplicate: threshold } = loop.config;
  const earlier = loop.store.all("environment").filter((row) => row.rollout < rollout);
  const trees = new Set([...loop.heldoutTrees, ...earlier.map(({ treeHash }) => treeHash)]);
  if (threshold === null) return { trees, similar: null };
  const parse = () =>
    settled(earlier.map(async ({ id, source }) => ({
      id,
      shingles: await shinglesOf(loop, source),
    })));
  let programs: ReturnType<typeof parse> | undefined;
  return { trees, similar: { threshold, programs: () => programs ??= parse() } };
}

/** Pieces of a program by which near-duplicates are told; none where they are let in. */
export async function shinglesOf(loop: Loop, source: string): Promise<number[]> {
  const { config, sandbox, signal } = loop;
  if (config.nearDuplicate === null) return [];
  const parsed = await sandbox.parse(source, { signal, details: true });
  if (parsed.kind === "ok") return parsed.value.shingles ?? [];
  if (parsed.blame === "designer") return [];
  throw new SandboxError(`Cannot compare programs: ${parsed.reason} ${parsed.detail ?? ""}`.trim());
}
