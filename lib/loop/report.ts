/**
 * What a rollout is reported as, and what it cost. Every figure is computed from the records just made; only times are
 * measured.
 * @module
 */
import type { RecordOf, RolloutReport } from "../core/mod.ts";
import { type AgentUnits, deadShare } from "../grpo/mod.ts";
import { clippedSignal, meanOf, noiseFloor, populationVariance } from "../reward/mod.ts";
import type { Loop } from "./context.ts";
import type { DesignerBatch } from "./designers.ts";
import type { PlayedEnvironment } from "./set.ts";
import type { Applied } from "./update.ts";
import { returnsOf } from "./windows.ts";

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : meanOf(values);
}

/** Mean within-environment population deviation of plain returns: the spread behind the noise floor. */
function spreadOf(set: readonly PlayedEnvironment[]): number | undefined {
  return mean(set.flatMap(({ plain }) => {
    const returns = returnsOf(plain);
    return returns.length === 0 ? [] : [Math.sqrt(populationVariance(returns))];
  }));
}

/** The report of a finished rollout: means over its set, with their counts. */
export function measureRollout(
  loop: Loop,
  at: {
    rollout: number;
    set: readonly PlayedEnvironment[];
    regrets: ReadonlyMap<string, RecordOf<"regret">>;
    counts: AgentUnits;
    designers: DesignerBatch;
    applied: Applied;
    ledger: readonly RecordOf<"ledger">[];
    seconds: number;
  },
): RolloutReport {
  const { config, store } = loop;
  const { rollout, set, seconds, designers, applied } = at;
  const plain = set.flatMap((played) => played.plain);
  const plays = [...plain, ...set.flatMap((played) => played.hinted)];
  const scored = plain.filter((play) => play.outcome.kind === "scored");
  const regrets = [...at.regrets.values()].flatMap(({ outcome }) =>
    outcome.kind === "scored" ? [outcome.value] : []
  );
  const spread = spreadOf(set);
  const rates = set.flatMap((played) => mean(returnsOf(played.plain)) ?? []);
  const inBand = rates.filter((w) => w >= config.plateau.low && w <= config.plateau.high);
  const replies = store.all("reply", { where: { rollout, role: "designer" } });
  const first = replies.filter((reply) => reply.attempt === 0);
  const tokens = at.ledger.filter(({ role }) => role === "agent" || role === "designer")
    .reduce((sum, row) => sum + row.completionTokens, 0);
  return {
    rollout,
    rollouts: config.rollouts,
    environments: set.length,
    plainMean: mean(returnsOf(plain)),
    successRate: mean(scored.map((play) => play.success ? 1 : 0)),
    scored: scored.length,
    failed: plain.length - scored.length,
    hintedMean: mean(set.flatMap((played) => returnsOf(played.hinted))),
    regretMean: mean(regrets),
    signalMean: mean(regrets.map(clippedSignal)),
    noiseFloor: spread === undefined || regrets.length === 0
      ? undefined
      : noiseFloor(spread, config.plays),
    inBand: rates.length > 0 ? inBand.length / rates.length : undefined,
    validFirst: mean(first.map((reply) => reply.accepted ? 1 : 0)),
    designerReward: designers.meanRaw,
    deadGroupShare: deadShare(at.counts),
    loss: applied.weighted.loss,
    meanDifference: applied.weighted.statistics.meanDifference,
    seconds,
    tokensPerSecond: seconds > 0 ? tokens / seconds : 0,
    playsPerSecond: seconds > 0 ? plays.length / seconds : 0,
  };
}

/** Tokens and calls of some turns or replies. */
export function ledgerRow(
  at: Pick<RecordOf<"ledger">, "id" | "rollout" | "role" | "stage">,
  rows: readonly { prompt: readonly number[]; ids: readonly number[] }[],
  seconds: number,
): RecordOf<"ledger"> {
  return {
    ...at,
    promptTokens: rows.reduce((sum, row) => sum + row.prompt.length, 0),
    completionTokens: rows.reduce((sum, row) => sum + row.ids.length, 0),
    calls: rows.length,
    seconds,
  };
}

/** Tokens and calls of a rollout by role, counted from its records; the seconds are the rollout's, on one row. */
export function ledgerRows(
  loop: Loop,
  rollout: number,
  turns: readonly RecordOf<"turn">[],
  seconds: number,
): RecordOf<"ledger">[] {
  const replies = loop.store.all("reply", { where: { rollout } });
  const count = (
    role: RecordOf<"ledger">["role"],
    stage: string,
    rows: readonly { prompt: number[]; ids: number[] }[],
    spent: number,
  ) => ledgerRow({ id: `r${rollout}/${role}`, rollout, role, stage }, rows, spent);
  return [
    count("designer", "design", replies.filter((reply) => reply.role === "designer"), 0),
    count("hint", "hint", replies.filter((reply) => reply.role === "hint"), 0),
    ...(loop.config.screen
      ? [count("gates", "screen", replies.filter((reply) => reply.role === "screen"), 0)]
      : []),
    count("agent", "play", turns, 0),
    count("trainer", "rollout", [], seconds),
  ];
}
