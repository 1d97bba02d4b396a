/**
 * One joint update: the agent's groups and the designer samples that fall due become one batch, one optimiser step, one
 * weights version. The step's records close one unit of work together with the state of the next rollout, so a killed
 * run either has the whole rollout or computes the same update again from the same plays.
 * @module
 */
import { type Datum, EngineError, Random, type RecordOf, seedOf } from "../core/mod.ts";
import {
  type AgentUnits,
  agentUnits,
  assertStatistics,
  createBatch,
  dataOf,
  groupPlays,
  importanceData,
  type KlTerm,
  sequencesOf,
  type Unit,
  weighBatch,
  type WeightedBatch,
} from "../grpo/mod.ts";
import { updateBaselines } from "../reward/mod.ts";
import { idOf, type Loop } from "./context.ts";
import type { Play } from "./groups.ts";

type Context = Pick<Loop, "config" | "store">;

/** Turns of a rollout by play, in their order. */
export function turnsOf(loop: Context, rollout: number): RecordOf<"turn">[] {
  return loop.store.all("turn", { where: { rollout }, orderBy: ["playId", "index"] });
}

/**
 * The agent's units of one rollout: plain plays only, with their tokens as sampled. Under `ema-baseline` the returns
 * are compared with `baselines`, which then move by the groups' means.
 */
export function agentBatch(
  loop: Context,
  plain: readonly Play[],
  rollout: number,
  baselines: Readonly<Record<string, number>> = {},
  allTurns = turnsOf(loop, rollout),
): { units: Unit[]; counts: AgentUnits; baselines: Record<string, number> } {
  const { config } = loop;
  const plays = config.shuffleRewards
    ? shuffleWithinGroups(plain, seedOf(config.seed, "shuffle agents", rollout))
    : plain;
  const rule = config.advantages;
  const counts = agentUnits(groupPlays(plays), {
    rule,
    baselines,
    dropDeadGroups: config.dropDeadGroups,
    maskTruncated: config.maskTruncated,
    plays: config.plays,
    parity: config.parity,
  });
  const turns = Map.groupBy(allTurns, (turn) => turn.playId);
  const units = counts.units.map(({ id, advantage }): Unit => {
    const own = turns.get(id) ?? [];
    return { id, role: "agent", advantage, sequences: sequencesOf(own) };
  });
  if (rule !== "ema-baseline") return { units, counts, baselines: {} };
  const inPlay = new Set(plain.map(({ environmentId }) => environmentId));
  const moved = updateBaselines(baselines, counts.means, config.baselineDecay);
  const kept = Object.entries(moved).filter(([id]) => inPlay.has(id));
  return { units, counts, baselines: Object.fromEntries(kept) };
}

/** A control: the outcomes of each group change owners. */
function shuffleWithinGroups(plays: readonly Play[], seed: number): Play[] {
  const random = new Random(seed);
  return groupPlays(plays).flatMap((group) => {
    const outcomes = random.shuffle(group.plays.map(({ outcome }) => outcome));
    return (group.plays as Play[]).map((play, i) => ({ ...play, outcome: outcomes[i] }));
  });
}

/** What an applied batch left behind. */
export interface Applied {
  /** What was sent, with its loss and differences. */
  weighted: WeightedBatch;
  /** Norm of the gradient before clipping; null where the engine does not say. */
  gradNorm: number | null;
  /** Version of the weights after the step. */
  weightsVersion: number;
}

/**
 * A batch handed whole to an engine with an objective of its own. The weights reported are those at p0 = q: the trainer's
 * log-probabilities are not told, so differences and clipping are 0 by construction, and the gradient's norm is unknown.
 */
async function handOver(loop: Loop, batch: RecordOf<"batch">): Promise<Applied> {
  const { config, engine: { trainer }, signal } = loop;
  if (config.klCoefficient !== 0) {
    throw new EngineError(
      `Cannot apply batch ${batch.id}: klCoefficient is ${config.klCoefficient}, must be 0 on ` +
        trainer.capabilities.engine,
    );
  }
  const q = batch.sequences.map(({ start, length }) =>
    batch.logps.slice(start + 1, start + length)
  );
  const weighted = weighChecked(batch, q, config.maxDifference);
  const { weightsVersion } = await trainer.takeBatch!(batch, { signal });
  return { weighted, gradNorm: null, weightsVersion };
}

/**
 * Applies a batch to the engine: two passes (log-probabilities p0, then cross-entropy with weights -dL/dlogp) or one, one
 * Adam step, one publication. Sequences without advantage only count in U; they are not sent twice.
 * An engine that takes whole batches ({@link Trainer.takeBatch}) gets it as it is.
 *
 * @throws {EngineError} when the engine fails, or sampler and trainer disagree: nothing is trained.
 */
export async function applyBatch(loop: Loop, batch: RecordOf<"batch">): Promise<Applied> {
  const { config, engine, signal } = loop;
  const { trainer } = engine;
  if (trainer.takeBatch) return await handOver(loop, batch);
  const { weighted, isLive } = config.objective === "one-pass"
    ? await onePass(loop, batch)
    : await twoPasses(loop, batch);
  let gradNorm: number | null = null;
  if (isLive) {
    const { adam } = config;
    const batchId = `${loop.name}/${batch.id}`;
    const step = await trainer.optimStep(adam, { batchId, signal });
    gradNorm = step.gradNorm ?? null;
  }
  const weightsVersion = await trainer.publish({ signal });
  return { weighted, gradNorm, weightsVersion };
}

/** What was sent; not live: no sequence had an advantage, and no gradient waits for a step. */
interface Sent {
  weighted: WeightedBatch;
  isLive: boolean;
}

async function twoPasses(loop: Loop, batch: RecordOf<"batch">): Promise<Sent> {
  const { config, engine: { trainer }, signal } = loop;
  const data = dataOf(batch);
  const p0 = data.length > 0 ? await trainer.forward(data, { signal }) : [];
  const kl = await klTerm(loop, data);
  const weighted = weighChecked(batch, p0, config.maxDifference, kl);
  const live = weighted.data.filter((datum) => datum.weights!.some((weight) => weight !== 0));
  if (live.length === 0) return { weighted, isLive: false };
  assertLoss(batch, await trainer.forwardBackward(live, "cross_entropy", { signal }));
  return { weighted, isLive: true };
}

/**
 * The server's importance sampling. Its log-probabilities come with the gradient: a batch is refused after that, before
 * the step, and what was accumulated is dropped with the next load.
 */
async function onePass(loop: Loop, batch: RecordOf<"batch">): Promise<Sent> {
  const { config, engine: { trainer }, signal } = loop;
  const data = importanceData(batch);
  const live = data.filter((_, i) => batch.sequences[i].advantage !== 0);
  const answer = live.length > 0
    ? await trainer.forwardBackward(live, "importance_sampling", { signal })
    : { logps: [], loss: 0 };
  assertLoss(batch, answer);
  let next = 0;
  const p0 = data.map(({ logps }, i) => {
    const q = logps!; // what was not computed counts as equal
    if (batch.sequences[i].advantage === 0) return q;
    return answer.logps[next++].map((logp, t) => Number.isNaN(logp) ? q[t] : logp);
  });
  return { weighted: weighChecked(batch, p0, config.maxDifference), isLive: live.length > 0 };
}

function assertLoss(batch: RecordOf<"batch">, { loss }: { loss: number }): void {
  if (Number.isFinite(loss)) return;
  throw new EngineError(`Cannot apply batch ${batch.id}: the engine's loss is ${loss}`);
}

/** The reference's log-probabilities, where the configuration asks for them. */
async function klTerm(
  { config, engine: { trainer }, signal }: Loop,
  data: readonly Datum[],
): Promise<KlTerm | undefined> {
  const coefficient = config.klCoefficient;
  if (coefficient === 0 || data.length === 0) return undefined;
  return { coefficient, reference: await trainer.reference!(data, { signal }) };
}

/** The weights of a batch, or the engine's error where its log-probabilities cannot be trained on. */
function weighChecked(
  batch: RecordOf<"batch">,
  p0: readonly (readonly number[])[],
  meanDifference: number,
  kl?: KlTerm,
): WeightedBatch {
  try {
    const weighted = weighBatch(batch, p0, kl);
    assertStatistics(weighted.statistics, { meanDifference });
    return weighted;
  } catch (cause) {
    const { message } = cause as Error;
    throw new EngineError(`Cannot apply batch ${batch.id}: ${message}`, { cause });
  }
}

/** Batch record of the units of both roles. */
export function makeBatch(
  units: readonly Unit[],
  at: { rollout: number; scale: number },
): RecordOf<"batch"> {
  return createBatch(units, { id: idOf.batch(at.rollout), ...at });
}

/** Update record of an applied batch. */
export function updateRecord(
  loop: Context,
  batch: RecordOf<"batch">,
  applied: Applied,
  counts: Pick<AgentUnits, "deadGroups" | "shortGroups">,
  report: Record<string, unknown>,
): RecordOf<"update"> {
  const { weighted, gradNorm, weightsVersion } = applied;
  const { statistics } = weighted;
  return {
    id: batch.id,
    rollout: batch.rollout,
    batchId: batch.id,
    loss: weighted.loss,
    gradNorm,
    meanDifference: statistics.meanDifference,
    clippedShare: statistics.clippedShare,
    maxRatio: statistics.maxRatio,
    zeroLogps: statistics.zeroLogps,
    designerLoss: weighted.designerLoss,
    agentLoss: weighted.agentLoss,
    deadGroups: counts.deadGroups,
    shortGroups: counts.shortGroups,
    weightsVersion,
    learningRate: loop.config.adam.learningRate,
    report: weighted.kl === null ? report : { ...report, kl: weighted.kl },
  };
}
