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
  /** Number of the rollout, from 0. */
  rollout: number;
  /** Rollouts the run is configured for. */
  rollouts: number;
  /** Environments in the set. */
  environments: number;
  /** Mean return of scored plain plays, in [-1, 1]; missing without any. */
  plainMean?: number;
  /** Share of successes among them, in [0, 1]. */
  successRate?: number;
  /** Plain plays with a return. */
  scored: number;
  /** Plain plays without one, by anybody's fault. */
  failed: number;
  /** Mean return of scored hinted plays; missing in rollouts that design nothing. */
  hintedMean?: number;
  /** Mean regret of the environments that have one. */
  regretMean?: number;
  /** Mean of clip(regret / .15, 0, 1), on the scale of the noise floor. */
  signalMean?: number;
  /** Expected clipped regret signal at zero true regret for the observed spread. */
  noiseFloor?: number;
  /** Share of environments with a win rate in the target band, in [0, 1]. */
  inBand?: number;
  /** Share of first replies of the designer that passed every gate. */
  validFirst?: number;
  /** Mean raw reward of the accepted samples trained in this update. */
  designerReward?: number;
  /** Of the groups with at least 2 scored plays, those without spread [D17]. */
  deadGroupShare?: number;
  /** L of spade.md section 9, before the step. */
  loss?: number;
  /** Mean |p0 - q| over trained tokens: how far trainer and sampler are apart. */
  meanDifference?: number;
  /** Wall seconds of the rollout. */
  seconds: number;
  /** Tokens sampled by agent and designer, a second. */
  tokensPerSecond: number;
  /** Plays of both arms a second. */
  playsPerSecond: number;
  /** Success rates on `n` held-out plays a mode, at temperature 1 and greedy; where one was due. */
  evaluation?: { sampled: number; greedy: number; n: number };
}

/** Takes what happens while a run goes on; it must not throw. */
export type EventSink = (event: Progress) => void;

/** Time as an argument: seconds since some fixed moment. */
export type Clock = () => number;
