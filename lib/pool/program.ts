/** An environment of a pool that nobody designed in the run. @module */
export interface PoolProgram {
  id: string;
  /** What `Sandbox.start` takes. */
  source: string;
  skill: string;
  /** Programs of one family differ in their difficulty only. */
  family: string;
  difficulty: number;
}
