/** What every row of a run holds, table by table. @module */
import type { CheckpointRow, CursorRow, EventRow, LedgerRow, RunRow } from "./kept.ts";
import type {
  ActiveRow,
  DocumentRow,
  EnvironmentRow,
  GateRow,
  HintRow,
  MemoryRow,
  ReplyRow,
} from "./made.ts";
import type { EvaluationRow, PlayRow, RegretRow, TurnRow } from "./played.ts";
import type { BatchRow, SampleRow, UpdateRow } from "./trained.ts";

export * from "./kept.ts";
export * from "./made.ts";
export * from "./played.ts";
export * from "./row.ts";
export * from "./trained.ts";

/** Rows by the name of their table. */
export interface Rows {
  /** The run; one row. */
  run: RunRow;
  /** Documents drawn. */
  document: DocumentRow;
  /** Replies of the designer's side. */
  reply: ReplyRow;
  /** Accepted programs. */
  environment: EnvironmentRow;
  /** Verdicts, one a gate and reply. */
  gate: GateRow;
  /** Hints. */
  hint: HintRow;
  /** Environment sets. */
  active: ActiveRow;
  /** Episodes. */
  play: PlayRow;
  /** Their turns. */
  turn: TurnRow;
  /** Regrets, one an environment and epoch. */
  regret: RegretRow;
  /** Designer samples. */
  sample: SampleRow;
  /** Data of updates. */
  batch: BatchRow;
  /** Updates applied. */
  update: UpdateRow;
  /** Environments remembered. */
  memory: MemoryRow;
  /** Tokens and seconds by stage. */
  ledger: LedgerRow;
  /** Notes and warnings. */
  event: EventRow;
  /** State between rollouts. */
  cursor: CursorRow;
  /** Points to resume from. */
  checkpoint: CheckpointRow;
  /** Held-out plays. */
  evaluation: EvaluationRow;
}

/** Name of a table. */
export type TableName = keyof Rows;

/** Row of the table `T`: `RecordOf<"play">` has the columns of {@link PlayRow}, as a plain record. */
export type RecordOf<T extends TableName> = { [C in keyof Rows[T]]: Rows[T][C] };
