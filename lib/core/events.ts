/**
 * A typed event sink: `lib/` tells what happens, the command line or notebook decides what to show.
 * @module
 */
export type Progress =
  | { kind: "stage"; rollout: number; stage: string; done: number; total: number }
  | { kind: "note"; message: string }
  | { kind: "warning"; message: string }
  | { kind: "report"; report: RolloutReport };

/** One line per rollout; every mean travels with its counts. */
export interface RolloutReport {
  rollout: number;
  rollouts: number;
  environments: number;
  plainMean?: number;
  successRate?: number;
  scored: number;
  failed: number;
  hintedMean?: number;
  regretMean?: number;
  /** Mean of clip(regret / .15, 0, 1), on the scale of the noise floor. */
  signalMean?: number;
  /** Expected clipped regret signal at zero true regret for the observed spread. */
  noiseFloor?: number;
  inBand?: number;
  validFirst?: number;
  designerReward?: number;
  /** Of the groups with at least 2 scored plays, those without spread [D17]. */
  deadGroupShare?: number;
  loss?: number;
  meanDifference?: number;
  seconds: number;
  tokensPerSecond: number;
  playsPerSecond: number;
  evaluation?: { sampled: number; greedy: number; n: number };
}

export type EventSink = (event: Progress) => void;

/** Time as an argument: seconds since some fixed moment. */
export type Clock = () => number;
