/**
 * The designer's side of an update: which samples fall due, what they are worth, and the units they become.
 * @module
 */
import { Random, type RecordOf, seedOf } from "../core/mod.ts";
import {
  type DelayPlan,
  designerAdvantages,
  type DesignerSample,
  designerScale,
  dueRollout,
  penalizeRejected,
  sequencesOf,
  type Unit,
  windowEnd,
} from "../grpo/mod.ts";
import {
  createTracker,
  meanOf,
  type ScoreOptions,
  scoreWindows,
  type Tracker,
} from "../reward/mod.ts";
import type { Config } from "./options.ts";
import { idOf, type Loop } from "./context.ts";
import { firstOfAttempt } from "./generate.ts";
import type { QueuedSample } from "./state.ts";
import { returnsOf, windowOf } from "./windows.ts";

type Context = Pick<Loop, "config" | "store">;

/** When samples fall due and windows end. */
export function delayPlan(config: Config): DelayPlan {
  return { epochLength: config.epoch, delay: config.delay };
}

/** Samples of a set just designed: each slot's accepted reply, and its first rejected one. */
export function queueSamples(loop: Context, rollout: number): QueuedSample[] {
  const { config, store } = loop;
  if (!config.designerLoss) return [];
  const replies = store.all("reply", {
    where: { rollout, role: "designer" },
    orderBy: ["slot", "attempt"],
  });
  const due = dueRollout(rollout, delayPlan(config));
  // Of an accepted program the first reply of its conversation is trained; it need not be the accepted one.
  const trained = new Map(
    replies.filter((reply) => reply.accepted).map((reply) => {
      const first = firstOfAttempt(config, reply.attempt);
      return [idOf.reply(rollout, reply.slot, first), reply.environmentId];
    }),
  );
  return replies.flatMap((reply): QueuedSample[] => {
    const common = { id: reply.id, rollout, due, skill: reply.skill };
    const environmentId = trained.get(reply.id);
    if (environmentId) return [{ ...common, environmentId, kind: "accepted" }];
    const isFirst = reply.attempt === 0 && !reply.accepted && config.penaliseInvalid;
    return isFirst ? [{ ...common, environmentId: null, kind: "rejected" }] : [];
  });
}

/** Options of the signals as the configuration has them. */
export function signalContext(config: Config): Omit<ScoreOptions, "trackers"> {
  const { blend, plateau } = config;
  return {
    signal: config.signal,
    moment: config.delay === 0 ? "generation" as const : "delayed" as const,
    band: { lo: plateau.low, hi: plateau.high, ramp: plateau.ramp },
    blend,
    addVariance: config.addVariance,
    parity: config.parity,
  };
}

/** The designer's part of a batch. */
export interface DesignerBatch {
  /** One a trained reply. */
  units: Unit[];
  /** All that were due, with their raw rewards and advantages. */
  samples: RecordOf<"sample">[];
  /** S of spade.md section 8. */
  scale: number;
  /** Trackers of the skills after this rollout. */
  trackers: Record<string, Tracker>;
  /** Mean raw reward of the accepted samples. */
  meanRaw: number | undefined;
}

/** Scores the samples that are due and makes their units. `agents`: units of the other role in the batch. */
export function designerBatch(
  loop: Context,
  due: readonly QueuedSample[],
  at: { rollout: number; agents: number; trackers: Record<string, Tracker> },
): DesignerBatch {
  const { config, store } = loop;
  const accepted = due.filter((sample) => sample.kind === "accepted");
  const windows = accepted.map((sample) => ({
    ...windowOf(
      loop,
      { id: sample.environmentId!, skill: sample.skill },
      sample.rollout,
      windowEnd(sample.rollout, delayPlan(config)),
    ),
    turnOneInvalid: !store.get("reply", sample.id)!.accepted,
  }));
  const { raws, trackers } = scoreWindows(windows, {
    ...signalContext(config),
    trackers: withTrackers(config, at.trackers),
    returns: config.delay === 0 ? returnsBySkill(loop, at.rollout) : undefined,
  });
  const scored: DesignerSample[] = accepted.map(({ id, skill }, i) => ({
    id,
    skill,
    raw: raws[i],
  }));
  const rejected = penalizeRejected(
    due.filter((sample) => sample.kind === "rejected"),
    scored,
  );
  const all = config.shuffleRewards
    ? shuffleWithinSkills([...scored, ...rejected], seedOf(config.seed, "shuffle", at.rollout))
    : [...scored, ...rejected];
  const kept = all.filter(({ raw }) => raw.kind === "scored").length;
  const scale = designerScale(
    { agents: at.agents, designers: kept, interval: config.epoch },
    { cap: config.scaleCap },
  );
  const advantages = new Map(designerAdvantages(all, scale).map((item) => [item.id, item]));
  const samples = due.map((sample): RecordOf<"sample"> => {
    const { raw, advantage, reason } = advantages.get(sample.id)!;
    return {
      id: sample.id,
      rollout: sample.rollout,
      replyId: sample.id,
      skill: sample.skill,
      environmentId: sample.environmentId,
      kind: sample.kind,
      due: at.rollout,
      state: advantage === null ? "masked" : "trained",
      raw,
      advantage,
      reason,
    };
  });
  const units = samples.filter((sample) => sample.advantage !== null).map((sample): Unit => {
    const reply = store.get("reply", sample.replyId)!;
    const { advantage } = sample;
    return {
      id: reply.id,
      role: "designer",
      advantage: advantage!,
      sequences: sequencesOf([reply]),
    };
  });
  const values = scored.flatMap(({ raw }) => raw.kind === "scored" ? [raw.value] : []);
  const meanRaw = values.length > 0 ? meanOf(values) : undefined;
  return { units, samples, scale, trackers, meanRaw };
}

/** Scored plain returns of one rollout by skill: what moves the trackers of immediate signals, generating or not. */
function returnsBySkill({ config, store }: Context, rollout: number): Record<string, number[]> {
  const start = rollout - rollout % config.epoch;
  const set = store.all("active", { where: { rollout: start } });
  const skills = new Map(set.map(({ environmentId, skill }) => [environmentId, skill]));
  const plays = store.all("play", { where: { rollout, arm: "plain" } });
  const bySkill = Map.groupBy(plays, ({ environmentId }) => skills.get(environmentId)!);
  return Object.fromEntries([...bySkill].map(([skill, own]) => [skill, returnsOf(own)]));
}

/** Every configured skill has a tracker. */
function withTrackers(
  config: Config,
  trackers: Readonly<Record<string, Tracker>>,
): Record<string, Tracker> {
  const fresh = createTracker({ gammaFast: config.trackers.fast, gammaSlow: config.trackers.slow });
  return Object.fromEntries(config.skills.map((skill) => [skill, trackers[skill] ?? fresh]));
}

/** A control: the raw rewards of each skill change owners. */
function shuffleWithinSkills(samples: DesignerSample[], seed: number): DesignerSample[] {
  const random = new Random(seed);
  const bySkill = Map.groupBy(samples, ({ skill }) => skill);
  const shuffled = new Map<string, DesignerSample["raw"]>();
  for (const skill of [...bySkill.keys()].sort()) {
    const own = bySkill.get(skill)!.toSorted((a, b) => a.id < b.id ? -1 : 1);
    const raws = random.shuffle(own.map(({ raw }) => raw));
    own.forEach(({ id }, i) => shuffled.set(id, raws[i]));
  }
  return samples.map((sample) => ({ ...sample, raw: shuffled.get(sample.id)! }));
}

/** Samples whose window never became complete: stored and counted, never trained [D20]. */
export function droppedSamples(dropped: readonly QueuedSample[]): RecordOf<"sample">[] {
  return dropped.map((sample) => ({
    id: sample.id,
    rollout: sample.rollout,
    replyId: sample.id,
    skill: sample.skill,
    environmentId: sample.environmentId,
    kind: sample.kind,
    due: sample.due,
    state: "dropped",
    raw: null,
    advantage: null,
    reason: "the run ended before its window was complete",
  }));
}
