/**
 * How far the sampler stood from the trainer: importance ratios of each update, and how old the weights were that
 * sampled what it trained. Age is counted in updates: 0 where a play was sampled by the very weights that the
 * update then moved.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { type Share, shareOf } from "./estimate.ts";
import { groupBy } from "./group.ts";

/** What an update reports of p0/q, the trainer's probability over the sampler's, token by token. */
export interface UpdateDifference {
  /** Rollout of the update. */
  rollout: number;
  /** Version of the weights it was made from. */
  version: number;
  /** Mean |ln p0 − ln q|. */
  meanDifference: number;
  /** Share of tokens whose weight was clipped. */
  clippedShare: number;
  /** Largest p0/q of a token, before clipping. */
  maxRatio: number;
  /** Tokens to which the sampler gave probability 0. */
  zeroLogps: number;
}

/** What of an update is compared. */
export type UpdateRatios = Pick<
  RecordOf<"update">,
  "rollout" | "weightsVersion" | "meanDifference" | "clippedShare" | "maxRatio" | "zeroLogps"
>;

/**
 * One row an update, by rollout.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const ratios = { meanDifference: 0.01, clippedShare: 0, maxRatio: 1.2, zeroLogps: 0 };
 * const [row] = updateDifferences([{ rollout: 3, weightsVersion: 4, ...ratios }]);
 * assert.deepEqual(row, { rollout: 3, version: 3, ...ratios });
 * ```
 */
export function updateDifferences(updates: readonly UpdateRatios[]): UpdateDifference[] {
  return updates.map((update) => ({
    rollout: update.rollout,
    version: update.weightsVersion - 1,
    meanDifference: update.meanDifference,
    clippedShare: update.clippedShare,
    maxRatio: update.maxRatio,
    zeroLogps: update.zeroLogps,
  })).sort((a, b) => a.rollout - b.rollout);
}

/** Age of what one update trained. */
export interface Staleness {
  /** Rollout of the update. */
  rollout: number;
  /** Whose samples. */
  role: "agent" | "designer";
  /** Trained: plays, or designer replies. */
  n: number;
  /** In updates. */
  meanAge: number;
  /** Of the oldest. */
  maxAge: number;
  /** Plays during which the weights changed. */
  mixed: Share;
}

/**
 * Plain plays of each rollout and designer samples due in it, against the update of that rollout.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const ratios = { meanDifference: 0, clippedShare: 0, maxRatio: 1, zeroLogps: 0 };
 * const rows = stalenessByUpdate({
 *   play: [{ rollout: 2, arm: "plain", versionFirst: 2, versionLast: 2 }],
 *   reply: [{ id: "r", weightsVersion: 0 }],
 *   sample: [{ replyId: "r", due: 2, state: "trained" }],
 *   update: [{ rollout: 2, weightsVersion: 3, ...ratios }],
 * });
 * // Plays were sampled by the weights the update moved; the designer's reply waited two updates for its window.
 * assert.deepEqual(rows.map(({ role, meanAge }) => [role, meanAge]), [["agent", 0], ["designer", 2]]);
 * ```
 */
export function stalenessByUpdate(
  tables: {
    play: readonly Pick<
      RecordOf<"play">,
      "rollout" | "arm" | "versionFirst" | "versionLast"
    >[];
    reply: readonly Pick<RecordOf<"reply">, "id" | "weightsVersion">[];
    sample: readonly Pick<RecordOf<"sample">, "replyId" | "due" | "state">[];
    update: readonly UpdateRatios[];
  },
): Staleness[] {
  const plays = groupBy(tables.play.filter(({ arm }) => arm === "plain"), (p) => p.rollout);
  const samples = groupBy(tables.sample.filter(({ state }) => state === "trained"), (s) => s.due);
  const written = new Map(tables.reply.map(({ id, weightsVersion }) => [id, weightsVersion]));
  return updateDifferences(tables.update).flatMap(({ rollout, version }) => {
    const played = (plays.get(rollout) ?? []).filter(({ versionFirst }) => versionFirst >= 0);
    const mixed = played.filter(({ versionFirst, versionLast }) => versionFirst !== versionLast);
    const designed = (samples.get(rollout) ?? []).flatMap(({ replyId }) =>
      written.get(replyId) ?? []
    );
    return [
      aged(rollout, "agent", played.map((p) => version - p.versionFirst), mixed.length),
      aged(rollout, "designer", designed.map((v) => version - v), 0),
    ].filter(({ n }) => n > 0);
  });
}

function aged(
  rollout: number,
  role: Staleness["role"],
  ages: readonly number[],
  mixed: number,
): Staleness {
  const n = ages.length;
  return {
    rollout,
    role,
    n,
    meanAge: ages.reduce((sum, age) => sum + age, 0) / n,
    maxAge: ages.reduce((most, age) => Math.max(most, age), 0),
    mixed: shareOf(mixed, n),
  };
}
