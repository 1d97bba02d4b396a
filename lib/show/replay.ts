/**
 * A stored play again: its actions, in their order, in a fresh process on its seed. What the program says and pays is
 * compared turn by turn with what was stored. A program that fails or hangs is an outcome, never an exception.
 * @module
 */
import {
  type EnvironmentProcess,
  failed,
  type Failure,
  ok,
  type RecordOf,
  type Result,
  type Sandbox,
  SandboxError,
  type SandboxLimits,
} from "../core/mod.ts";
import { display, type Displayable } from "./display.ts";
import { actAgain, type Acted, isToolAction } from "./replay_act.ts";
import type { ReplayOutcome } from "./replay_outcome.ts";
import { replayShown } from "./replay_shown.ts";

/** What is played again: a play as a run or `play()` keeps it. */
export interface StoredPlay {
  /** Its environment. */
  environment: Pick<RecordOf<"environment">, "id" | "source">;
  /** Arm, seed and how it ended. */
  play: Pick<RecordOf<"play">, "arm" | "seed" | "outcome" | "terminated"> & { id?: string };
  /** In order. */
  turns: readonly Pick<RecordOf<"turn">, "observation" | "action" | "reward">[];
}

/** How it is played again. */
export interface ReplayOptions {
  /** Where the program runs. */
  sandbox: Sandbox;
  /** Passed to the program's constructor: the run's `maxTurns`. @default the program's own */
  maxTurns?: number;
  /** The run's. @default the sandbox's */
  limits?: Partial<SandboxLimits>;
  /** Ends the replay: it then throws the signal's reason. */
  signal?: AbortSignal;
}

/** One turn, stored and again. */
export interface ReplayTurn {
  /** What the agent was shown, then and now; null where the replay did not come so far. */
  observation: { stored: string; again: string | null };
  /** What was executed; null: nothing. */
  action: string | null;
  /** What it paid, then and now; undefined where the replay did not come so far. */
  reward: { stored: number | null; again: number | null | undefined };
  /** What differs; empty where nothing does. */
  differs: ("observation" | "reward" | "end")[];
}

/** A replayed play; it shows itself with both tellings side by side. */
export interface Replay extends Displayable {
  /** Tells it from other results. */
  kind: "replay";
  /** What was played again. */
  stored: StoredPlay;
  /** How it compares. */
  outcome: ReplayOutcome;
  /** Turn by turn. */
  turns: ReplayTurn[];
  /** What the program said after the last action; a run does not store it. Null where it said nothing. */
  last: string | null;
}

/**
 * Plays a stored play again.
 *
 * ```ts ignore check
 * import { openFolder, replayPlay, startSandbox } from "@spade/spade";
 *
 * using store = openFolder("runs/nano");
 * const [play] = store.all("play");
 * const environment = store.get("environment", play.environmentId)!;
 * const turns = store.all("turn", { where: { playId: play.id }, orderBy: "index" });
 * await using sandbox = await startSandbox({ python: ".spade/sandbox/bin/python" });
 * console.log(await replayPlay({ environment, play, turns }, { sandbox }));
 * ```
 *
 * @throws the signal's reason when aborted
 */
export async function replayPlay(stored: StoredPlay, options: ReplayOptions): Promise<Replay> {
  const { signal } = options;
  signal?.throwIfAborted();
  const again: Again = { observations: [], acted: [] };
  let failure: Failure | undefined;
  try {
    failure = await playAgain(stored, options, again);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof SandboxError || error instanceof RangeError)) throw error;
    failure = failed("host", "sandbox", error.message);
  }
  signal?.throwIfAborted();
  const turns = stored.turns.map((turn, i) => compare(stored, turn, i, again));
  const result: Omit<Replay, keyof Displayable> = {
    kind: "replay",
    stored,
    outcome: outcomeOf(stored, turns, again, failure),
    turns,
    last: again.acted.at(-1)?.observation ?? null,
  };
  return display(replayShown, result as Replay);
}

/** What the replay met. */
interface Again {
  observations: string[];
  acted: Acted[];
}

async function playAgain(
  { environment, play, turns }: StoredPlay,
  { sandbox, limits, maxTurns, signal }: ReplayOptions,
  again: Again,
): Promise<Failure | undefined> {
  const started = await sandbox.start(environment.source, { limits, maxTurns, signal });
  if (started.kind !== "ok") return started;
  await using process = started.value;
  const reset = await process.reset(play.seed);
  if (reset.kind !== "ok") return reset;
  again.observations.push(reset.value.observation);
  const actions = turns.map(({ action }) => action).filter((action) => action !== null);
  const tools = await offersTools(process, actions);
  if (tools.kind !== "ok") return tools;
  for (const action of actions) {
    signal?.throwIfAborted();
    const acted = await actAgain(process, action, tools.value);
    if (acted.kind !== "ok") return acted;
    again.acted.push(acted.value);
    if (acted.value.terminated || acted.value.truncated) return undefined;
    again.observations.push(acted.value.observation);
  }
}

/** Asked only where the actions are calls: a game need not be asked. */
async function offersTools(
  process: EnvironmentProcess,
  actions: readonly string[],
): Promise<Result<boolean>> {
  if (actions.length === 0 || !actions.every(isToolAction)) return ok(false);
  const offered = await process.tools();
  return offered.kind === "ok" ? ok(offered.value !== null) : offered;
}

function compare(
  { play, turns }: StoredPlay,
  { observation, action, reward }: StoredPlay["turns"][number],
  i: number,
  { observations, acted }: Again,
): ReplayTurn {
  const seen = observations[i] ?? null, did = acted[i];
  const differs: ReplayTurn["differs"] = [];
  if (seen !== null && !isSame(observation, seen, i)) differs.push("observation");
  if (did !== undefined && did.reward !== reward) differs.push("reward");
  if (did !== undefined) {
    const isLast = i === turns.length - 1, ended = did.terminated || did.truncated;
    const ends = isLast ? did.terminated === play.terminated : !ended;
    if (!ends) differs.push("end");
  }
  return {
    observation: { stored: observation, again: seen },
    action,
    reward: { stored: reward, again: action === null ? null : did?.reward },
    differs,
  };
}

/** The hint was added to the first observation, and some words to one of too many calls. */
function isSame(stored: string, again: string, turn: number): boolean {
  return stored === again || again === "" && turn > 0 && stored.startsWith("No tool call") ||
    turn === 0 && stored.startsWith(`${again}\n\nHINT: `) ||
    turn > 0 && stored.startsWith(`${again}\n<tool_response>\nOnly the first `);
}

function outcomeOf(
  { play, turns: stored }: StoredPlay,
  turns: readonly ReplayTurn[],
  again: Again,
  failure: Failure | undefined,
): ReplayOutcome {
  const at = turns.findIndex(({ differs }) => differs.length > 0);
  if (at !== -1) return { kind: "different", turn: at + 1, what: turns[at].differs.join(", ") };
  const turn = again.acted.length + 1;
  if (failure !== undefined) {
    const then = play.outcome;
    const isStored = then.kind === "failed" && then.reason === failure.reason &&
      then.blame === failure.blame;
    return isStored
      ? { kind: "same", note: `it fails as stored: ${failure.blame}, ${failure.reason}` }
      : { kind: "failed", turn, failure };
  }
  if (play.outcome.kind === "failed" && play.outcome.blame === "designer") {
    const what = `end: stored as failed (${play.outcome.reason}), did not fail again`;
    return { kind: "different", turn: Math.max(1, stored.length), what };
  }
  return { kind: "same" };
}
