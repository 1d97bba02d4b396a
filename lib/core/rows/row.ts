/** What every row of a run has. @module */

/** Columns of every table (spade.md section 14). */
export interface Row {
  /** Unique in its table, and the same in every run of the same configuration and seed. */
  id: string;
  /** Rollout it belongs to, from 0; -1: before the first. */
  rollout: number;
}
