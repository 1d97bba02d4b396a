/** An environment of a pool that nobody designed in the run. @module */
export interface PoolProgram {
  /** Sha-256 of its canonical source. */
  id: string;
  /** What `Sandbox.start` takes. */
  source: string;
  /** Skill it stands for. */
  skill: string;
  /** Programs of one family differ in their difficulty only. */
  family: string;
  /** From 0, the easiest of its family. */
  difficulty: number;
}
