/** One mutant played: what it came to, and whatever the sandbox did that it never may. */
import type { Result } from "../../../lib/core/outcome.ts";
import type { EnvironmentProcess, Sandbox } from "../../../lib/core/ports.ts";
import type { Move, Mutant } from "./mutate.ts";

/** Short: a hang costs 0.2 s CPU, a sleep 1.5 s. */
export const limits = {
  requestCpuSeconds: 0.2,
  requestSeconds: 1.5,
  cpuSeconds: 1,
  seconds: 5,
  memoryMb: 64,
};

/** How long after its deadline a request or a play may still take. */
const SLACK_MS = 1000;

export interface Played {
  /** `ok`, or blame and reason of the first failure. */
  outcome: string;
  /** Start to reaped end. */
  ms: number;
  /** What must not happen: an exception, an outcome without a type. */
  faults: string[];
  /** Answers, or the whole play, more than a second after their deadline. */
  late: string[];
}

const reasons: Record<string, readonly string[]> = {
  designer: [
    "exception",
    "contract",
    "deadline",
    "memory",
    "output",
    "policy",
    "crash",
    "protocol",
  ],
  host: ["closed", "aborted"],
};

const requestMs = limits.requestSeconds * 1000;

class Gone extends Error {}

export async function play(sandbox: Sandbox, mutant: Mutant): Promise<Played> {
  const faults: string[] = [];
  const late: string[] = [];
  const outcomes: string[] = [];
  const controller = new AbortController();
  const abort = () => controller.abort(new Gone("the player left"));
  /** Waits for a request, notes what it came to. */
  const heard = async <T>(what: string, limitMs: number, asked: Promise<Result<T>>) => {
    const from = performance.now();
    try {
      const result = await asked;
      const problem = problemOf(what, result);
      if (problem) faults.push(problem);
      outcomes.push(result.kind === "ok" ? "ok" : `${result.blame} ${result.reason}`);
      return result;
    } catch (error) {
      if (error instanceof Gone && controller.signal.aborted) outcomes.push("gave up");
      else faults.push(`${what} threw ${(error as Error).stack ?? error}`);
    } finally {
      const took = performance.now() - from;
      if (took > limitMs + SLACK_MS) late.push(`${what} took ${took.toFixed(0)} ms`);
    }
  };

  const began = performance.now();
  const { signal } = controller;
  const timer = mutant.abortStartMs === undefined
    ? undefined
    : setTimeout(abort, mutant.abortStartMs);
  if (mutant.parse) {
    await heard("parse", limits.seconds * 1000, sandbox.parse(mutant.source, { signal }));
  }
  const { maxTurns, hashSeed } = mutant;
  const options = { limits, maxTurns, hashSeed, signal };
  const startedAt = performance.now();
  const started = await heard("start", requestMs, sandbox.start(mutant.source, options));
  clearTimeout(timer);
  if (started?.kind === "ok") {
    const process = started.value;
    const open: Promise<unknown>[] = [];
    for (const move of mutant.moves) {
      const queue = (open.length + 1) * requestMs;
      const moved = make(move, process, abort, (what, asked) => heard(what, queue, asked));
      if (move.together) open.push(moved);
      else await moved;
    }
    await Promise.all(open);
    try {
      await process[Symbol.asyncDispose]();
    } catch (error) {
      faults.push(`dispose threw ${error}`);
    }
  }
  const life = performance.now() - startedAt;
  if (life > limits.seconds * 1000 + SLACK_MS) late.push(`the play took ${life.toFixed(0)} ms`);
  const outcome = outcomes.find((one) => one !== "ok") ?? "ok";
  return { outcome, ms: performance.now() - began, faults, late };
}

async function make(
  move: Move,
  process: EnvironmentProcess,
  abort: () => void,
  heard: <T>(what: string, asked: Promise<Result<T>>) => Promise<unknown>,
): Promise<void> {
  switch (move.do) {
    case "reset":
      await heard("reset", process.reset(move.seed, { fresh: move.fresh }));
      break;
    case "step":
      await heard("step", process.step(move.action));
      break;
    case "solution":
    case "tools":
    case "criteria":
      await heard<unknown>(move.do, process[move.do]());
      break;
    case "call":
      await heard("call", process.call(move.name, move.args));
      break;
    case "answer":
      await heard("answer", process.answer(move.text));
      break;
    case "pause":
      await new Promise((resolve) => setTimeout(resolve, move.ms));
      break;
    case "dispose":
      await process[Symbol.asyncDispose]();
      break;
    case "abort":
      abort();
  }
}

/** Why an outcome is none: not typed, blamed on the host without cause, or carrying what no reply may carry. */
function problemOf(what: string, result: Result<unknown>): string | undefined {
  if (result.kind === "failed") {
    const known = result.blame === "designer" && result.reason === "syntax"
      ? what === "parse"
      : reasons[result.blame]?.includes(result.reason);
    const detail = result.detail ?? "";
    if (!known) return `${what} failed: ${result.blame} ${result.reason} (${detail})`;
    return detail.length > 4096 ? `${what} failed at length ${detail.length}` : undefined;
  }
  if (!["reset", "step", "call", "answer"].includes(what)) return undefined;
  const { observation, reward, info } = result.value as Record<string, unknown>;
  if (!(typeof observation === "string" && observation.isWellFormed())) {
    return `${what} gave the observation ${JSON.stringify(observation)?.slice(0, 99)}`;
  }
  if (observation.length + JSON.stringify(info).length > 1 << 20) return `${what} gave too much`;
  const isStep = what === "step" || what === "answer";
  if (isStep && !(typeof reward === "number" && Number.isFinite(reward))) {
    return `${what} gave the reward ${reward}`;
  }
}
