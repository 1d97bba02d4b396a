import { StoreError } from "../core/mod.ts";
import type { Copy } from "./copies.ts";
import type { Loss } from "./progress.ts";

/** run.sqlite is damaged, gone, or contradicts progress.jsonl. */
export class CorruptRunError extends StoreError {
  /** "CorruptRunError". */
  override name = "CorruptRunError";
  /** What is wrong. */
  readonly problem: string;
  /** Complete copies, oldest first. */
  readonly copies: readonly Copy[];
  /** What the newest copy (or nothing at all) does not hold. */
  readonly lost: Loss;

  /** `options` become the fields of the error. */
  constructor(
    message: string,
    options: { problem: string; copies: readonly Copy[]; lost: Loss; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.problem = options.problem;
    this.copies = options.copies;
    this.lost = options.lost;
  }
}
