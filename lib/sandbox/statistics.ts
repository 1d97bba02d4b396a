/**
 * What a sandbox has done so far.
 * @module
 */
import type { Failure } from "../core/outcome.ts";
import type { Exit } from "./replies.ts";

/** How plays got their child: one that waited, one forked for them, or over the relay. */
export interface Starts {
  /** Got a child that had been forked in advance. */
  pooled: number;
  /** Got a child forked for them. */
  fresh: number;
  /** Over the one pipe, where no socket could be used. */
  relayed: number;
}

/** What a sandbox has done since it was started. */
export interface SandboxStatistics {
  /** Processes that have ended, by how: "closed" in order, else blame and reason ("designer deadline"). */
  outcomes: Record<string, number>;
  /** Processes alive. */
  open: number;
  /** Callers that wait for a place. */
  waiting: number;
  /** CPU time of the processes that have ended. */
  cpuSeconds: number;
  /** How plays got their child: one that waited, one forked for them, or over the relay. */
  starts: { pooled: number; fresh: number; relayed: number };
  /** Zygotes that may get plays, those started so far, and those that stand in for one that died, grew or aged. */
  zygotes: { running: number; started: number; replacements: number };
}

/** Counts ends. */
export class Tally {
  /** Ends, by how. */
  readonly outcomes: Record<string, number> = {};
  /** Of the processes that have ended. */
  cpuSeconds = 0;

  /** Counts an end. */
  add(failure: Failure | undefined, exit: Exit): void {
    const inOrder = failure === undefined || failure.reason === "closed";
    const name = inOrder ? "closed" : `${failure.blame} ${failure.reason}`;
    this.outcomes[name] = (this.outcomes[name] ?? 0) + 1;
    this.cpuSeconds += exit.cpu;
  }
}
