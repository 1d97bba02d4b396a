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

export const initReply = z.object({ i: number, maxTurns: z.int().min(1).nullable() });
export const resetReply = z.object({ i: number, observation, info });
export const stepReply = z.object({
  i: number,
  observation,
  reward: z.number(),
  terminated: z.boolean(),
  truncated: z.boolean(),
  info,
});
export const solutionReply = z.object({
  i: number,
  solution: z.array(z.string().max(MAX_TEXT)).max(4096).nullable(),
});
export const parseReply = z.object({
  i: number,
  environments: z.array(z.string()),
  treeHash: z.string().regex(/^[0-9a-f]{64}$/),
  imports: z.array(z.string()),
  constant: z.boolean(),
});

/** A zygote's first frame. */
export const readyFrame = z.object({
  level: z.enum(["full", "uid+landlock+seccomp", "landlock+seccomp", "seccomp", "refused"]),
  layers: z.record(z.string(), z.union([z.literal(true), z.string()])),
  missing: z.array(z.string()),
  python: z.string(),
  prefix: z.string(),
});
export type Ready = z.infer<typeof readyFrame>;

/** How a process ended, as the zygote saw it. */
export const exitFrame = z.object({
  why: z.enum(["kill", "deadline", "protocol", "crash", "start", "host"]).nullable(),
  detail: z.string().nullable(),
  signal: z.int().nullable(),
  code: z.int().nullable(),
  cpu: z.number(),
});
export type Exit = z.infer<typeof exitFrame>;

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
