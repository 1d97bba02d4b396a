/** Advantages of the designer's samples, and the scale S that weighs them against the agent's units. @module */
import { meanScored, type Outcome, scored, skipped } from "../core/mod.ts";

/** A designer sample with its raw reward. */
export interface DesignerSample {
  /** Id of the reply. */
  id: string;
  /** Samples are compared within it. */
  skill: string;
  /** `skipped` takes the sample out of the mean and the batch. */
  raw: Outcome;
}

/** A sample's advantage; null, with the reason, where the raw reward is missing. */
export interface DesignerAdvantage {
  /** Id of the reply. */
  id: string;
  /** Raw reward; null where missing. */
  raw: number | null;
  /** (raw - mean of its skill) × S; null where missing. */
  advantage: number | null;
  /** Why it is missing; empty where it is not. */
  reason: string;
}

/**
 * S = min(agents / designers × interval, cap) [P `compute_env_reward_scale`]: units kept in the batch of either role.
 * 1 when either count is at most 0, 0 at interval 0.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(designerScale({ agents: 384, designers: 24, interval: 4 }), 50);
 * assert.equal(designerScale({ agents: 192, designers: 24, interval: 4 }), 32);
 * ```
 */
export function designerScale(
  counts: { agents: number; designers: number; interval: number },
  options: { cap?: number } = {},
): number {
  const { agents, designers, interval } = counts;
  if (!(agents > 0) || !(designers > 0)) return 1;
  return Math.min(agents / designers * interval, options.cap ?? 50);
}

/**
 * (raw - mean of its skill in the batch) × S for each sample, in the order given; no division by a deviation [P].
 * Means are summed in order of id, so arrival order changes no bit.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored, skipped } from "../core/mod.ts";
 * const samples = [scored(1), scored(0.5), skipped("no scored hinted play")]
 *   .map((raw, i) => ({ id: String(i), skill: "Optimization", raw }));
 * const advantages = designerAdvantages(samples, 50).map(({ advantage }) => advantage);
 * assert.deepEqual(advantages, [12.5, -12.5, null]);
 * ```
 *
 * @throws {RangeError} when the scale is not a finite number >= 0.
 */
export function designerAdvantages(
  samples: readonly DesignerSample[],
  scale: number,
): DesignerAdvantage[] {
  if (!(scale >= 0 && Number.isFinite(scale))) {
    throw new RangeError(`Cannot compute advantages: scale is ${scale}, must be finite and >= 0`);
  }
  const ordered = [...samples].sort((a, b) => a.id < b.id ? -1 : 1);
  const means = new Map(
    [...Map.groupBy(ordered, (sample) => sample.skill)].map(([skill, own]) => {
      return [skill, meanScored(own.map((sample) => sample.raw)).mean];
    }),
  );
  return samples.map(({ id, skill, raw }) => {
    if (raw.kind !== "scored") return { id, raw: null, advantage: null, reason: raw.reason };
    return { id, raw: raw.value, advantage: (raw.value - means.get(skill)!) * scale, reason: "" };
  });
}

/**
 * `penaliseInvalid`: the raw reward of each slot's first rejected reply is the lowest accepted raw of its skill - 0.1;
 * where the skill has none accepted it is missing. In the order given.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const accepted = [{ id: "a", skill: "Optimization", raw: scored(0.4) }];
 * const rejected = [{ id: "b", skill: "Optimization" }];
 * const [{ raw }] = penalizeRejected(rejected, accepted);
 * assert.equal(raw.kind === "scored" && raw.value.toFixed(1), "0.3");
 * ```
 */
export function penalizeRejected(
  rejected: readonly { id: string; skill: string }[],
  accepted: readonly DesignerSample[],
  options: { penalty?: number } = {},
): DesignerSample[] {
  const lowest = new Map<string, number>();
  for (const { skill, raw } of accepted) {
    if (raw.kind === "scored") {
      lowest.set(skill, Math.min(lowest.get(skill) ?? Infinity, raw.value));
    }
  }
  return rejected.map(({ id, skill }) => {
    const floor = lowest.get(skill);
    const raw = floor === undefined
      ? skipped("no accepted sample of the skill")
      : scored(floor - (options.penalty ?? 0.1));
    return { id, skill, raw };
  });
}
