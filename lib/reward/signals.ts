/**
 * The designer's signals: pure functions from an environment's window to a number, or to the reason why there is none
 * (spade.md section 8). A missing signal takes the sample out of the mean and the batch; it is never 0 [D14].
 * @module
 */
import { type Outcome, scored, skipped } from "../core/mod.ts";
import { blend, type BlendOptions } from "./blend.ts";
import { type Band, plateau, resolveBand } from "./plateau.ts";
import { meanOf, populationVariance, sampleVariance } from "./statistics.ts";
import { baselineOf, type Tracker } from "./tracker.ts";
import {
  type EnvironmentWindow,
  plainReturns,
  sortedOffsets,
  successRate,
  winRate,
} from "./window.ts";

/** When a sample is scored: in the rollout that made it (delay 0), or when its window is complete. */
export type Moment = "generation" | "delayed";

/** What a signal knows beside the window. */
export interface SignalContext {
  /** Whether the sample is scored at once or when its window is complete. */
  moment: Moment;
  /** Tracker of the window's skill, where there is one; before the update at generation, after it when delayed. */
  tracker?: Tracker;
  /** The published rules for what is missing. @default false */
  parity?: boolean;
  /** Where {@link plateau} is 1 and `minimal-criterion` is met. */
  band?: Band;
  /** Weights of `blend`. */
  blend?: BlendOptions;
  /** Add `variance` of the same plays to `learning-potential`. @default false */
  addVariance?: boolean;
}

/** One signal. Returns `scored` or `skipped`, never `failed`. */
export type Signal = (window: EnvironmentWindow, context: SignalContext) => Outcome;

const NO_PLAY = "no scored plain play", NO_HINT = "no scored hinted play";

/**
 * `variance` of returns: exp(-(var - .25)² / .02), population variance; peaks at a fair coin (SPICE) [P].
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(varianceReward([0, 1]), 1);
 * assert.ok(varianceReward([1, 1]) < 0.05);
 * ```
 */
export function varianceReward(returns: readonly number[]): number {
  return Math.exp(-((populationVariance(returns) - 0.25) ** 2) / 0.02);
}

/**
 * d·max(0, 1 - SE²/d²), the difference d of the arms' means shrunk by its standard error (sample variances): what is no
 * larger than its error counts as nothing. At least 2 returns an arm.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // .25 with an error of .35 counts as nothing, .75 as less than it is
 * assert.equal(shrinkRegret([0, 1, 0, 1], [1, 0, 1, 1]).value, 0);
 * const { value } = shrinkRegret([0, 0, 0, 1], [1, 1, 1, 1]);
 * assert.ok(value > 0.6 && value < 0.75);
 * ```
 */
export function shrinkRegret(
  plain: readonly number[],
  hinted: readonly number[],
): { value: number; error: number } {
  const difference = meanOf(hinted) - meanOf(plain), square = difference ** 2;
  const variance = sampleVariance(hinted) / hinted.length + sampleVariance(plain) / plain.length;
  const value = square === 0 ? 0 : difference * Math.max(0, 1 - variance / square);
  return { value, error: Math.sqrt(variance) };
}

const learningPotential: Signal = (window, { moment, tracker, parity, addVariance }) => {
  if (tracker === undefined) return skipped("no tracker for the skill");
  const returns = plainReturns(window);
  if (returns.length === 0) {
    return parity && moment === "delayed" ? scored(0) : skipped(NO_PLAY);
  }
  const potential = Math.abs(meanOf(returns) - baselineOf(tracker));
  return scored(potential + (addVariance ? varianceReward(returns) : 0));
};

const microProgress: Signal = (window, { parity }) => {
  const offsets = sortedOffsets(window), half = Math.floor(offsets.length / 2);
  if (!parity && plainReturns(window).length === 0) return skipped(NO_PLAY);
  if (offsets.length < 2) return scored(0);
  const early = offsets.slice(0, half).flatMap((item) => [...item.returns]);
  const late = offsets.slice(half).flatMap((item) => [...item.returns]);
  if (!parity && (early.length === 0 || late.length === 0)) {
    return skipped("no scored plain play in one half of the epoch");
  }
  const mean = (values: number[]) => values.length === 0 ? 0 : meanOf(values);
  return scored(Math.max(0, mean(late) - mean(early)));
};

const regret: Signal = (window, { moment, parity }) => {
  if (moment === "generation") {
    if (window.regret.kind === "scored") return scored(Math.max(0, window.regret.value));
    return parity ? scored(0) : skipped(`regret is missing: ${window.regret.reason}`);
  }
  if (window.hinted.length === 0 && !parity) return skipped(NO_HINT);
  const rate = winRate(window);
  if (rate === undefined && !parity) return skipped(NO_PLAY);
  const hinted = window.hinted.length === 0 ? 0 : meanOf(window.hinted);
  return scored(Math.max(0, hinted - (rate ?? 0)));
};

const regretShrunk: Signal = (window) => {
  const plain = plainReturns(window);
  if (plain.length < 2) return skipped("fewer than 2 scored plain plays");
  if (window.hinted.length < 2) return skipped("fewer than 2 scored hinted plays");
  return scored(shrinkRegret(plain, window.hinted).value);
};

const ofWinRate = (score: (rate: number, context: SignalContext) => number): Signal => {
  return (window, context) => {
    const rate = winRate(window);
    return rate === undefined ? skipped(NO_PLAY) : scored(score(rate, context));
  };
};

const ofSuccessRate = (score: (rate: number) => number): Signal => (window) => {
  const rate = successRate(window);
  return rate === undefined ? skipped(NO_PLAY) : scored(score(rate));
};

const ofReturns = (score: (returns: number[]) => number): Signal => (window) => {
  const returns = plainReturns(window);
  return returns.length === 0 ? skipped(NO_PLAY) : scored(score(returns));
};

/** Signals by name, before the rules for hung and turn-1-invalid; the loop calls {@link scoreWindow}. */
export const signals = {
  "learning-potential": learningPotential,
  "micro-progress": microProgress,
  regret,
  blend: (window, context) =>
    blend(window, {
      ...(context.band ? { band: context.band } : {}),
      ...context.blend,
      parity: context.parity,
    }),
  "solve-rate": ofWinRate((rate, { band }) => plateau(rate, band)),
  variance: ofReturns(varianceReward),
  learnability: ofSuccessRate((rate) => rate * (1 - rate)),
  "one-minus-p": ofSuccessRate((rate) => rate > 0 ? 1 - rate : 0),
  "max-regret": ofReturns((returns) => Math.max(...returns) - meanOf(returns)),
  "minimal-criterion": ofWinRate((rate, { band }) => {
    const { lo, hi } = resolveBand(band);
    return rate >= lo && rate <= hi ? 1 : 0;
  }),
  "regret-shrunk": regretShrunk,
} as const satisfies Record<string, Signal>;

/** Name of a signal. */
export type SignalName = keyof typeof signals;

/** Raw reward of a program that hung, under every signal [D16]. */
export const HUNG_REWARD: number = -0.5;

/**
 * Raw reward of one environment. A hung program gets -0.5 [D16]; a turn-1-invalid one 0 at generation. `parity`:
 * `blend` ignores both.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { skipped } from "../core/mod.ts";
 * const window = {
 *   environmentId: "a",
 *   skill: "Optimization",
 *   offsets: [{ offset: 0, returns: [1, 0, 0, 0] }],
 *   successes: 1,
 *   hinted: [],
 *   regret: skipped("no hint"),
 * };
 * const context = { moment: "delayed" } as const;
 * assert.deepEqual(scoreWindow("learnability", window, context), { kind: "scored", value: 0.1875 });
 * assert.deepEqual(scoreWindow("regret", window, context), skipped("no scored hinted play"));
 * ```
 */
export function scoreWindow(
  name: SignalName,
  window: EnvironmentWindow,
  context: SignalContext,
): Outcome {
  if (!(context.parity && name === "blend")) {
    if (window.hung) return scored(HUNG_REWARD);
    if (window.turnOneInvalid && context.moment === "generation") return scored(0);
  }
  return signals[name](window, context);
}
