/**
 * What may come back. A reply is never more than the program's own claim; the facts about a process (level, how it
 * ended) come from the zygote alone.
 * @module
 */
import { z } from "zod";
import { failed, type Failure } from "../core/outcome.ts";

const MAX_TEXT = 64 * 1024;
const MAX_DETAIL = 4096;
const number = z.int().min(0);
const observation = z.string().max(MAX_TEXT);
/** Python may write a number in a quarter of the characters (`1e+20`), so that no honest reply is refused. */
const MAX_INFO = 4 * 64 * 1024;
const info = z.unknown().refine((value) => JSON.stringify(value ?? null).length <= MAX_INFO, {
  abort: true,
  error: "is too long",
}).pipe(z.record(z.string(), z.unknown()));

/** A failure as the child reports it: always the program's. */
export const failedReply = z.object({
  i: number,
  failed: z.enum(["exception", "contract", "memory", "output", "syntax"]),
  detail: z.string().max(MAX_DETAIL),
});

/** To a start. */
export const initReply = z.object({ i: number, maxTurns: z.int().min(1).nullable() });
/** To a reset. */
export const resetReply = z.object({ i: number, observation, info });
/** To a step. */
export const stepReply = z.object({
  i: number,
  observation,
  reward: z.number(),
  terminated: z.boolean(),
  truncated: z.boolean(),
  info,
});
/** To `solution`; null: the program has none. */
export const solutionReply = z.object({
  i: number,
  solution: z.array(z.string().max(MAX_TEXT)).max(4096).nullable(),
});
/** Null: the program is a game. */
export const toolsReply = z.object({
  i: number,
  tools: z.array(z.record(z.string(), z.unknown())).max(64).nullable(),
  signatures: z.record(
    z.string(),
    z.object({
      names: z.array(z.string()),
      required: z.array(z.string()),
      variadic: z.boolean(),
    }).nullable(),
  ).default({}),
  instructions: number.default(0),
  criteria: number.default(0),
});
/** To a tool call. */
export const callReply = z.object({ i: number, observation, info });
/** To `criteria`: true, false, or what went wrong. */
export const criteriaReply = z.object({
  i: number,
  criteria: z.array(z.union([z.boolean(), z.string().max(MAX_DETAIL)])).max(4096),
});
/** To a parse; the last two with details only. */
export const parseReply = z.object({
  i: number,
  environments: z.array(z.string()),
  treeHash: z.string().regex(/^[0-9a-f]{64}$/),
  imports: z.array(z.string()),
  constant: z.boolean(),
  code: z.array(z.string()).optional(),
  shingles: z.array(number).max(1024).optional(),
});

/** A zygote's first frame. */
export const readyFrame = z.object({
  level: z.enum(["full", "uid+landlock+seccomp", "landlock+seccomp", "seccomp", "refused"]),
  layers: z.record(z.string(), z.union([z.literal(true), z.string()])),
  missing: z.array(z.string()),
  python: z.string(),
  prefix: z.string(),
  /** Where a host may connect, or why it cannot. */
  socket: z.string().nullable(),
  noSocket: z.string(),
  /** What all plays together may use. */
  memoryMb: z.int().min(0),
});
/** What a zygote says of itself. */
export type Ready = z.infer<typeof readyFrame>;

/** How a process ended, as the zygote saw it. */
export const exitFrame = z.object({
  why: z.enum(["kill", "deadline", "memory", "protocol", "crash", "start", "host"]).nullable(),
  detail: z.string().nullable(),
  signal: z.int().nullable(),
  code: z.int().nullable(),
  cpu: z.number(),
});
/** How a process ended. */
export type Exit = z.infer<typeof exitFrame>;

const WHYS = [null, "kill", "deadline", "protocol", "crash", "start", "host"] as const;
const END_BYTES = 25;

/** A zygote's word on how a process ended, and the zygote's own peak memory in megabytes. Throws on any other shape. */
export function decodeEnd(body: Uint8Array): { exit: Exit; zygoteMb: number } {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  if (body.length < END_BYTES || body[0] >= WHYS.length) {
    throw new TypeError(`Cannot read an end: ${body.length} bytes, first ${body[0]}`);
  }
  const code = view.getInt32(1, true), signal = view.getInt32(5, true);
  const detail = new TextDecoder().decode(body.subarray(END_BYTES));
  const exit = {
    why: WHYS[body[0]],
    detail: detail === "" ? null : detail,
    signal: signal === 0 ? null : signal,
    code: code < 0 ? null : code,
    cpu: view.getFloat64(9, true),
  };
  return { exit, zygoteMb: view.getFloat64(17, true) / 1024 };
}

const SIGSYS = 31;

/** The failure behind an end that nobody asked for. */
export function failureOf(exit: Exit): Failure {
  const detail = exit.detail ?? undefined;
  switch (exit.why) {
    case "kill":
      return failed("host", "closed", "the process was closed");
    case "start":
    case "host":
      return failed("host", exit.why, detail);
    case "deadline":
    case "memory":
    case "protocol":
    case "crash":
      return failed("designer", exit.why, detail);
  }
  if (exit.signal === SIGSYS) {
    return failed("designer", "policy", "made a forbidden system call (SIGSYS)");
  }
  if (exit.signal !== null) {
    return failed("designer", "crash", `killed by signal ${exit.signal}`);
  }
  return failed("designer", "crash", `exited with code ${exit.code}`);
}
