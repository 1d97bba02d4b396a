/**
 * Errors callers branch on. Everything else throws the built-in by meaning (TypeError, RangeError, SyntaxError).
 * @module
 */

/** A wrong option, preset key, path or file of the user: shown as text, without a stack. */
export class UsageError extends Error {
  /** Shown before the message, and what a caller on the other side of a worker can tell it by. */
  override name = "UsageError";
}

/** The policy engine refused, failed or went away. `retryable`: the same call may succeed later. */
export class EngineError extends Error {
  /** Shown before the message. */
  override name = "EngineError";
  /** The same call may succeed later: the server was busy, restarting, or not reached. */
  readonly retryable: boolean;
  /** HTTP status of the answer, where there was one. */
  readonly status?: number;
  /** `cause`: what it follows from; `retryable` is false unless given. */
  constructor(
    message: string,
    options: { retryable?: boolean; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable ?? false;
    this.status = options.status;
  }
}

/** The sandbox as a whole cannot run (no wall, launcher dead). A single play's failure is an outcome, not this. */
export class SandboxError extends Error {
  /** Shown before the message. */
  override name = "SandboxError";
}

/** A run folder that cannot be used as it is: missing, corrupt, other schema, other configuration. */
export class StoreError extends Error {
  /** Shown before the message. */
  override name = "StoreError";
}
