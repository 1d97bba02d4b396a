/**
 * What a sandbox has done so far.
 * @module
 */
import type { Failure } from "../core/outcome.ts";
import type { Exit } from "./replies.ts";

/** How plays got their child: one that waited, one forked for them, or over the relay. */
export interface Starts {
  pooled: number;
  fresh: number;
  relayed: number;
}

export interface SandboxStatistics {
  /** Processes that have ended, by how: "closed" in order, else blame and reason ("designer deadline"). */
  outcomes: Record<string, number>;
  /** Processes alive, and callers that wait for a place. */
  open: number;
  waiting: number;
  /** CPU time of the processes that have ended. */
  cpuSeconds: number;
  starts: Starts;
  /** Zygotes that may get plays, those started so far, and those that stand in for one that died, grew or aged. */
  zygotes: { running: number; started: number; replacements: number };
}

/** Counts ends. */
export class Tally {
  readonly outcomes: Record<string, number> = {};
  cpuSeconds = 0;

  add(failure: Failure | undefined, exit: Exit): void {
    const inOrder = failure === undefined || failure.reason === "closed";
    const name = inOrder ? "closed" : `${failure.blame} ${failure.reason}`;
    this.outcomes[name] = (this.outcomes[name] ?? 0) + 1;
    this.cpuSeconds += exit.cpu;
  }
}
