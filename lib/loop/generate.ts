/**
 * Making a set of environments: ask the designer for each slot, judge its program, ask again for rejected ones. Each
 * reply with its verdicts is one unit of work.
 *
 * Nothing depends on the order in which replies arrive. The only question between slots is "does this program repeat an
 * earlier one?", and "earlier" means the order (attempt, slot): a reply waits, after its own gates, for the programs of
 * the replies before it in that order, and for the verdicts on those that are nearly the same, never for their plays.
 * @module
 */
import type { RecordOf, SamplingParams } from "../core/mod.ts";
import {
  askDesigner,
  type AskOptions,
  type DesignerAnswer,
  doubleBraces,
  repairPrompt,
} from "../designer/mod.ts";
import { describeProgram } from "../memory/mod.ts";
import {
  type ActiveEnvironment,
  checkAborted,
  type DesignerSide,
  designerSide,
  idOf,
  type Loop,
  samplingSeed,
} from "./context.ts";
import { type Judgement, judgeReply, shinglesOf } from "./judge.ts";
import type { SlotPlan } from "./slots.ts";
import type { Turnstile } from "./turnstile.ts";
import type { Twins } from "./twins.ts";

interface Verdict {
  reply: RecordOf<"reply">;
  environment: RecordOf<"environment"> | null;
}

/** Closes the unit of work of one reply: document, reply, gates, opinions and, where accepted, the environment. */
function storeReply(
  loop: Loop,
  plan: SlotPlan,
  at: { rollout: number; attempt: number; seed: number },
  asked: DesignerAnswer,
  { report, runsAsEmitted, opinions }: Judgement,
): Verdict {
  const { rollout, attempt } = at;
  const id = idOf.reply(rollout, plan.slot, attempt);
  const reply: RecordOf<"reply"> = {
    id,
    rollout,
    role: "designer",
    slot: plan.slot,
    attempt,
    skill: plan.skill,
    documentId: plan.document?.id ?? null,
    parents: plan.parents,
    prompt: asked.prompt,
    ...asked.reply,
    text: asked.text,
    runsAsEmitted,
    runsExtracted: report.runs,
    accepted: report.accepted,
    environmentId: report.accepted ? report.environmentId : null,
    treeHash: report.parsed?.treeHash ?? null,
    cut: { ...asked.cut },
    seed: at.seed,
  };
  const environment: Verdict["environment"] = report.accepted
    ? {
      id: report.environmentId,
      rollout,
      source: report.source,
      className: report.className ?? "",
      description: describeProgram(report.source),
      skill: plan.skill,
      treeHash: report.parsed?.treeHash ?? "",
      replyId: id,
      documentId: plan.document?.id ?? null,
      parents: plan.parents,
    }
    : null;
  loop.store.transaction(() => {
    if (plan.document && !loop.store.has("document", plan.document.id)) {
      loop.store.insert("document", plan.document);
    }
    loop.store.insert("reply", [reply, ...opinions]);
    loop.store.insert(
      "gate",
      report.verdicts.map((verdict) => ({
        id: `${id}/${verdict.gate}`,
        rollout,
        replyId: id,
        environmentId: report.environmentId,
        ...verdict,
      })),
    );
    if (environment) loop.store.insert("environment", environment);
  });
  return { reply, environment };
}

/**
 * Replies of one slot are numbered through: `repairTurns` + 1 of them make one attempt, of which the first opens a
 * conversation and is the one that is trained.
 */
export function firstOfAttempt(config: Loop["config"], number: number): number {
  return number - number % (config.repairTurns + 1);
}

/** Replies a slot may take. */
export function repliesPerSlot(config: Loop["config"]): number {
  return config.attempts * (config.repairTurns + 1);
}

/** How a designer is asked for a program, but for who is asked, what and with which seed. */
export function askOptions(
  { config, prompt, signal }: Pick<Loop, "config" | "prompt" | "signal">,
  side: DesignerSide,
): Omit<AskOptions, "brief" | "seed"> {
  const params: SamplingParams = {
    maxTokens: config.tokens.designer,
    temperature: config.temperature,
    stopIds: side.chat.stopIds,
  };
  return { ...side, prompt, params, context: config.context, signal };
}

/** Longest reason of a refusal that is shown to the designer, in characters. */
const reasonLength = 2000;

/** The conversation after a refused reply with the reason in it; null where there is none or no room for a reply. */
function conversationAfter(
  loop: Loop,
  replyId: string,
  how: { seed: number; params: SamplingParams },
): number[] | null {
  const reply = loop.store.get("reply", replyId);
  if (!reply) return null;
  const refusal = loop.store.all("gate", { where: { replyId, verdict: "refuse" } }).at(0);
  if (!refusal) return null;
  const { detail = "" } = refusal.evidence;
  const reason = `${refusal.gate}: ${refusal.reason}\n${detail}`.trim().slice(0, reasonLength);
  const { chat } = designerSide(loop);
  return repairPrompt(reply, reason, {
    ...how,
    prompt: loop.prompt,
    chat,
    context: loop.config.context,
  });
}

/** Asks for one slot until a program stands or the attempts are used up; gates wait at `turnstile`. */
export async function designSlot(
  loop: Loop,
  plan: SlotPlan,
  rollout: number,
  twins: Twins,
  turnstile: Turnstile,
): Promise<ActiveEnvironment | null> {
  const { config } = loop;
  const asking = askOptions(loop, designerSide(loop));
  let attempt = 0;
  try {
    for (; attempt < repliesPerSlot(config); attempt++) {
      checkAborted(loop);
      const id = idOf.reply(rollout, plan.slot, attempt);
      const first = firstOfAttempt(config, attempt);
      const trained = idOf.reply(rollout, plan.slot, first);
      const stored = loop.store.get("reply", id);
      if (stored) {
        if (!stored.accepted) {
          const { treeHash } = stored;
          twins.tell(attempt, plan.slot, treeHash === null ? null : { id, treeHash, shingles: [] });
          twins.settle(attempt, plan.slot, false);
          continue;
        }
        const environment = loop.store.get("environment", stored.environmentId!)!;
        const shingles = await shinglesOf(loop, environment.source);
        twins.tell(attempt, plan.slot, { ...environment, shingles });
        twins.settle(attempt, plan.slot, true);
        return activeFrom(plan, environment.source, environment.id, trained);
      }
      const index = first / (config.repairTurns + 1), turn = attempt - first;
      const seed = samplingSeed(loop, "designer", { rollout, place: plan.slot, index, turn });
      let conversation: number[] | undefined;
      if (turn > 0) {
        const last = idOf.reply(rollout, plan.slot, attempt - 1);
        conversation = conversationAfter(loop, last, { seed, params: asking.params }) ?? undefined;
        if (conversation === undefined) {
          twins.tell(attempt, plan.slot, null);
          continue;
        }
      }
      const asked = await askDesigner({
        ...asking,
        brief: plan.brief,
        seed,
        conversation,
        rewrite: config.parity
          ? (program) => doubleBraces(program, loop.sandbox, { signal: loop.signal })
          : undefined,
      });
      const at = { rollout, attempt, seed };
      const judgement = await judgeReply(loop, { ...at, id, plan }, asked, { twins, turnstile });
      checkAborted(loop);
      const { environment } = storeReply(loop, plan, at, asked, judgement);
      twins.settle(attempt, plan.slot, environment !== null);
      if (environment) return activeFrom(plan, environment.source, environment.id, trained);
    }
    return null;
  } catch (error) {
    twins.fail(attempt, plan.slot, error);
    throw error;
  } finally {
    twins.leave(attempt, plan.slot);
  }
}

function activeFrom(plan: SlotPlan, source: string, id: string, replyId: string) {
  return {
    slot: plan.slot,
    id,
    source,
    skill: plan.skill,
    origin: "designed" as const,
    replyId,
    hint: null,
  };
}
