/** Rows of what was trained: designer samples, batches, updates. @module */
import type { Row } from "./row.ts";

/** A designer reply waiting for its window, or what became of it (spade.md section 10). */
export interface SampleRow extends Row {
  /** The reply. */
  replyId: string;
  /** Its skill; advantages are taken within it. */
  skill: string;
  /** Environment it defined; null for a rejected one. */
  environmentId: string | null;
  /** Whether its program was accepted. */
  kind: "accepted" | "rejected";
  /** Rollout whose update trains it. */
  due: number;
  /** `masked`: its raw reward is missing; `dropped`: its window never became complete [D20]. */
  state: "waiting" | "trained" | "masked" | "dropped";
  /** Raw reward: what the signal gave; null where missing. */
  raw: number | null;
  /** (raw - mean of its skill) × S; null where missing. */
  advantage: number | null;
  /** Why it is masked, dropped or missing. */
  reason: string;
}

/** The data of one update: enough to apply it again without sampling. */
export interface BatchRow extends Row {
  /** Units of both roles: U of spade.md section 9. */
  units: number;
  /** Of those, agent plays. */
  agents: number;
  /** Of those, designer replies. */
  designers: number;
  /** Scale S of the designer's advantages. */
  scale: number;
  /** Training sequences, in order of role and unit. */
  sequences: {
    /** Play or reply it belongs to. */
    unit: string;
    /** Who wrote it. */
    role: "agent" | "designer";
    /** Advantage of the whole unit. */
    advantage: number;
    /** Where it begins in `ids`, `logps` and `mask`. */
    start: number;
    /** Ids it has. */
    length: number;
  }[];
  /** Token ids of all sequences, one after another. */
  ids: number[];
  /** The sampler's log-probabilities q, as many as `ids`; 0 where masked. */
  logps: number[];
  /** 1 where trained, else 0; as many as `ids`. */
  mask: number[];
}

/** An applied update. */
export interface UpdateRow extends Row {
  /** Batch applied. */
  batchId: string;
  /** L of spade.md section 9 before the step, at ratio 1. */
  loss: number;
  /** Gradient norm before clipping; null where the engine does not say. */
  gradNorm: number | null;
  /** Mean |p0 - q| over trained tokens: trainer's less sampler's log-probability. */
  meanDifference: number;
  /** Share of trained tokens whose weight exp(p0 - q) was clipped at 2. */
  clippedShare: number;
  /** Largest exp(p0 - q) before clipping. */
  maxRatio: number;
  /** Trained tokens with a log-probability of exactly 0. */
  zeroLogps: number;
  /** The designer units' part of the loss. */
  designerLoss: number;
  /** The agent units' part of the loss. */
  agentLoss: number;
  /** Groups without spread [D17]. */
  deadGroups: number;
  /** Groups trained with fewer plays than asked for. */
  shortGroups: number;
  /** Weights version after the update. */
  weightsVersion: number;
  /** Learning rate used. */
  learningRate: number;
  /** The rollout's report as shown; empty for the last, designer-only update. */
  report: Record<string, unknown>;
}
