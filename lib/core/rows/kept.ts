/** Rows of the run itself: its configuration, costs, events, state and checkpoints. @module */
import type { Row } from "./row.ts";

/** The run; one row. */
export interface RunRow extends Row {
  /** The seed all others are derived from. */
  seed: number;
  /** Name of the preset. */
  preset: string;
  /** Every option, resolved. */
  config: Record<string, unknown>;
  /** The manifest as in manifest.json: versions, hashes, hardware, selection rule. */
  manifest: Record<string, unknown>;
}

/** What one stage used. */
export interface LedgerRow extends Row {
  /** Who used it. */
  role: "agent" | "designer" | "hint" | "trainer" | "evaluation" | "gates";
  /** Stage of the rollout. */
  stage: string;
  /** Tokens read, counted once where they are appended. */
  promptTokens: number;
  /** Tokens sampled. */
  completionTokens: number;
  /** Calls of the model. */
  calls: number;
  /** Wall seconds; measured, so not compared between runs. */
  seconds: number;
}

/** Something worth telling; not compared between runs. */
export interface EventRow extends Row {
  /** Kind of event: `note` or `warning`. */
  kind: string;
  /** The words. */
  message: string;
  /** Details. */
  data: Record<string, unknown>;
}

/** State between rollouts: trackers, corpus cursor, generators, the queue. `id` names it. */
export interface CursorRow extends Row {
  /** The state, as JSON. */
  value: Record<string, unknown>;
}

/** A point to resume from. */
export interface CheckpointRow extends Row {
  /** Where the engine saved weights, optimiser and state. */
  engineState: string;
  /** Weights version saved. */
  weightsVersion: number;
  /** Optimiser steps applied. */
  step: number;
  /** Last batch applied; null before the first. */
  batchId: string | null;
}
