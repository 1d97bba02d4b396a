/** Rows of what was played: episodes, their turns, regrets, held-out plays. @module */
import type { Outcome } from "../outcome.ts";
import type { Row } from "./row.ts";

/** Whether plays see the hint: `plain` plays do not and are trained, `hinted` plays do and are never trained. */
export type Arm = "plain" | "hinted";

/** One episode on one instance. */
export interface PlayRow extends Row {
  /** Environment played. */
  environmentId: string;
  /** With or without the hint. */
  arm: Arm;
  /** Index within environment and rollout, from 0; equal in both arms for equal seeds. */
  index: number;
  /** Seed of the instance, in [0, 2^31); equal in both arms [D1]. */
  seed: number;
  /** The return, in [-1, 1], or why there is none. */
  outcome: Outcome;
  /** Terminated with a return of 1. */
  success: boolean;
  /** The program ended it. */
  terminated: boolean;
  /** The program or a limit (turns, context, reply length) cut it. */
  truncated: boolean;
  /** Number of turns. */
  turns: number;
  /** Weights version at the first turn; -1 without one. */
  versionFirst: number;
  /** Weights version at the last turn; another than the first: a mixed play. */
  versionLast: number;
  /** Whether a deadline of the program ended it [D16]. */
  hung: boolean;
  /** Times it was tried: a play that failed by model or host is tried once more. */
  attempts: number;
}

/** One reply of the agent and its consequence. */
export interface TurnRow extends Row {
  /** Play it belongs to. */
  playId: string;
  /** Number within the play, from 0. */
  index: number;
  /** Ids appended before the reply: the opening prompt, later what the observation adds. */
  prompt: number[];
  /** Sampled token ids, the stop id included. */
  ids: number[];
  /** Natural log-probability of each sampled id under the sampler; as many as `ids`. */
  logps: number[];
  /** `stop`: ended by a stop id; `length`: cut at the limit, and not executed. */
  finish: "stop" | "length";
  /** Version of the weights that sampled it. */
  weightsVersion: number;
  /** What the agent was shown before it, the hint included. */
  observation: string;
  /** The reply's text, derived from its ids. */
  text: string;
  /** What the program received, in tool use calls and answer as JSON; null where the reply was not executed. */
  action: string | null;
  /** What the program paid; null where it paid nothing. */
  reward: number | null;
  /** True: `prompt` is the whole conversation rendered anew, and the turn a training sequence of its own. */
  rerendered: boolean | null;
}

/** Regret of one environment over pairs of plays with equal seeds (spade.md section 8). */
export interface RegretRow extends Row {
  /** The environment. */
  environmentId: string;
  /** Mean hinted less mean plain return of the pairs, in [-2, 2], or why it is missing. */
  outcome: Outcome;
  /** Pairs of plays scored in both arms. */
  pairs: number;
  /** Lower end of its 95 % interval; null without one. */
  low: number | null;
  /** Upper end of it. */
  high: number | null;
  /** `agresti-min`, `bootstrap-t`, or `none: <reason>`. */
  interval: string;
  /** Clipped signal to expect at zero true regret for the observed spread, in [0, 0.5); null below two pairs. */
  noiseFloor: number | null;
  /** Mean plain return of the pairs. */
  plainMean: number | null;
  /** Mean hinted return of the pairs. */
  hintedMean: number | null;
}

/** One held-out play of an evaluation. */
export interface EvaluationRow extends Row {
  /** `dev` is for choices; `test` is touched once, when a run ends. */
  set: "dev" | "test";
  /** Starting or current weights. */
  weights: "base" | "current";
  /** At temperature 1, or greedy. */
  mode: "sampled" | "greedy";
  /** Environment played. */
  environmentId: string;
  /** Family of environments it belongs to. */
  family: string;
  /** Whether the family is among those trained. */
  seen: boolean;
  /** Index of the play, from 0. */
  index: number;
  /** Seed of the instance; the same for every run. */
  seed: number;
  /** The return, in [-1, 1], or why there is none. */
  outcome: Outcome;
  /** Terminated with a return of 1. */
  success: boolean;
  /** Number of turns. */
  turns: number;
}
