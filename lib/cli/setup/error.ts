/** Why a set-up stopped: each code is one thing that went wrong outside this program. */
export type SetupCode =
  | "platform"
  | "python-missing"
  | "python-unfit"
  | "venv-missing"
  | "disk-full"
  | "offline"
  | "certificate"
  | "refused"
  | "no-wheel"
  | "hash"
  | "consent"
  | "interrupted"
  | "lock-file"
  | "import"
  | "finish"
  | "pip";

/** A failed set-up: `message` says what and why, `hint` says what to do. Shown without a stack. */
export class SetupError extends Error {
  override name = "SetupError";
  readonly code: SetupCode;
  readonly hint: string;
  constructor(code: SetupCode, message: string, hint: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
    this.hint = hint;
  }
}
