/**
 * Probes: a program in one process, driven by a simple policy. Inside the gates a failure is
 * thrown, so that each gate reads straight down; {@link ProgramFault} becomes a refusal, {@link
 * HostFault} a retry (check.ts).
 * @module
 */
import type {
  EnvironmentProcess,
  Failure,
  Observed,
  Result,
  Stepped,
  ToolFacts,
} from "../core/mod.ts";
import type { GateOptions } from "./report.ts";
import { type Tool, toolsOf } from "./tools.ts";

/** Gate seeds: 0 to 19. */
export const probeSeeds: readonly number[] = Array.from({ length: 20 }, (_, seed) => seed);

/** Rewards beyond this are refused. */
const rewardLimit = 10;

/** The program did what it must not. `during` names the request, e.g. `step 3 on seed 0`. */
export class ProgramFault extends Error {
  constructor(readonly failure: Failure, readonly during: string) {
    super(`${failure.reason} during ${during}`);
  }
}

/** The sandbox failed, not the program. */
export class HostFault extends Error {
  constructor(readonly failure: Failure, readonly during: string) {
    super(`${failure.reason} during ${during}${failure.detail ? `: ${failure.detail}` : ""}`);
  }
}

export function unwrap<T>(result: Result<T>, during: string): T {
  if (result.kind === "ok") return result.value;
  if (result.blame === "designer") throw new ProgramFault(result, during);
  throw new HostFault(result, during);
}

function fault(reason: string, detail: string, during: string): ProgramFault {
  return new ProgramFault({ kind: "failed", blame: "designer", reason, detail }, during);
}

/** What a policy sees before each action. */
export interface View {
  seed: number;
  /** 0 before the first action. */
  turn: number;
  observation: string;
  /** Offered actions; undefined where the program offers none. */
  actions: readonly string[] | undefined;
  /** Tool use only. */
  desk?: {
    tools: readonly Tool[];
    /** Instructions not answered yet, the present one included. */
    answersLeft: number;
    turnsLeft: number;
  };
}

export interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** The string `step` receives; in tool use a call or an answer. */
export type Move = string | ToolCall | { answer: string };
/** Null ends the play. */
export type Policy = (view: View) => Move | null;

export interface ProbeTurn {
  observation: string;
  actions: readonly string[] | undefined;
  info: Record<string, unknown>;
  /** Absent for the reset. */
  reward?: number;
  terminated: boolean;
  truncated: boolean;
  /** Of the reset of a tool-use environment. */
  tools?: ToolFacts;
}

export interface ProbePlay {
  seed: number;
  /** The reset, then one entry a step. */
  turns: ProbeTurn[];
  success: boolean;
}

export interface Probe extends AsyncDisposable {
  play(seed: number, policy: Policy, options?: PlayOptions): Promise<ProbePlay>;
  /** Winning actions of the last reset, or null without `solution()`. */
  solution(seed: number): Promise<string[] | null>;
  reset(seed: number): Promise<ProbeTurn>;
  /** Of each criterion after a reset: met, not met, or what it raised. Null for a game. */
  criteria(seed: number): Promise<(boolean | string)[] | null>;
}

interface PlayOptions {
  /** Construct a new instance first. @default true */
  fresh?: boolean;
  /** Steps at most; the turn limit counts too. */
  steps?: number;
}

/** Whether a program can be for tool use: a mention is enough, for the base class resolves without an import. */
export function mayUseTools(source: string, options: GateOptions): boolean {
  return options.requireTools === true || /\bToolUseEnv\b/.test(source);
}

/** Starts one process for a program. */
export async function startProbe(
  source: string,
  options: GateOptions,
  hashSeed: 0 | 1 = 0,
): Promise<Probe> {
  const { sandbox, limits, maxTurns, signal, requireActions = false, returns = "last" } = options;
  const process: EnvironmentProcess = unwrap(
    await sandbox.start(source, { limits, maxTurns, hashSeed, signal }),
    "construction",
  );
  const turnLimit = Math.min(process.maxTurns ?? maxTurns, maxTurns);

  const look = (
    observed: Observed | Stepped,
    during: string,
    wantsActions = requireActions,
  ): ProbeTurn => {
    const ended = "terminated" in observed && (observed.terminated || observed.truncated);
    const actions = offeredActions(observed.info, during);
    if (wantsActions && actions === undefined && !ended) {
      throw fault(
        "no actions",
        'info["actions"] is missing, must list the allowed actions',
        during,
      );
    }
    const { observation, info } = observed;
    if (!("terminated" in observed)) {
      return { observation, actions, info, terminated: false, truncated: false };
    }
    const { reward, terminated, truncated } = observed;
    if (Math.abs(reward) > rewardLimit) {
      throw fault("reward", `reward is ${reward}, must be within ±${rewardLimit}`, during);
    }
    return { observation, actions, info, reward, terminated, truncated };
  };
  const asksTools = mayUseTools(source, options);
  const reset = async (seed: number, fresh: boolean): Promise<ProbeTurn> => {
    const during = `reset on seed ${seed}`;
    const observed = unwrap(await process.reset(seed, { fresh }), during);
    const tools = asksTools ? unwrap(await process.tools(), `tools on seed ${seed}`) : null;
    return tools === null ? look(observed, during) : { ...toolTurn(observed), tools };
  };
  const act = async (move: Move, during: string): Promise<ProbeTurn> => {
    if (typeof move === "string") return look(unwrap(await process.step(move), during), during);
    if ("answer" in move) {
      return look(unwrap(await process.answer(move.answer), during), during, false);
    }
    const { name } = move;
    return toolTurn(unwrap(await process.call(name, move.arguments), `${during}, tool ${name}`));
  };

  return {
    async play(seed, policy, { fresh = true, steps = turnLimit } = {}) {
      let now = await reset(seed, fresh);
      const turns = [now];
      const tools = now.tools && toolsOf(now.tools);
      let answersLeft = now.tools?.instructions ?? 0;
      for (let turn = 0; turn < Math.min(steps, turnLimit); turn++) {
        const { observation, actions } = now;
        const desk = tools && { tools, answersLeft, turnsLeft: turnLimit - turn };
        const move = policy({ seed, turn, observation, actions, desk });
        if (move === null) break;
        now = await act(move, `step ${turn + 1} on seed ${seed}`);
        turns.push(now);
        if (typeof move !== "string" && "answer" in move) answersLeft -= 1;
        if (now.terminated || now.truncated) break;
      }
      return { seed, turns, success: isSuccess(turns, returns) };
    },
    reset: (seed) => reset(seed, true),
    async solution(seed) {
      return unwrap(await process.solution(), `solution on seed ${seed}`);
    },
    async criteria(seed) {
      if ((await reset(seed, true)).tools === undefined) return null;
      return unwrap(await process.criteria(), `criteria on seed ${seed}`);
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

/** A turn that ends nothing and pays nothing. */
function toolTurn({ observation, info }: Observed): ProbeTurn {
  return { observation, actions: undefined, info, terminated: false, truncated: false };
}

/** Terminated with a return of at least 1 - 1e-9. */
export function isSuccess(turns: readonly ProbeTurn[], returns: "last" | "sum"): boolean {
  const last = turns[turns.length - 1];
  if (!last.terminated) return false;
  const value = returns === "last"
    ? last.reward ?? 0
    : turns.reduce((sum, turn) => sum + (turn.reward ?? 0), 0);
  return value >= 1 - 1e-9;
}

/** `info["actions"]`: undefined when absent or empty. */
function offeredActions(
  info: Record<string, unknown>,
  during: string,
): readonly string[] | undefined {
  const actions = info["actions"];
  if (actions === undefined || actions === null) return undefined;
  if (
    !Array.isArray(actions) || !actions.every((item) => typeof item === "string" && item !== "")
  ) {
    throw fault("actions", 'info["actions"] must be a list of non-empty strings', during);
  }
  return actions.length > 0 ? actions : undefined;
}
