/** A stored play again, from a run or at hand. @module */
import { findEnvironment, loadRun, openFolder } from "../analysis/mod.ts";
import { findRun } from "../cli/files.ts";
import { runLimits } from "../cli/replay_environment.ts";
import { type SandboxLimits, UsageError } from "../core/mod.ts";
import { type Replay, replayPlay, type Run, type StoredPlay } from "../show/mod.ts";
import type { Game } from "./play.ts";
import { withProgress } from "./progress.ts";
import { type SandboxOption, withSandbox } from "./sandbox.ts";
import { signalOr } from "./settings.ts";

/** How to replay. */
export interface ReplayAgainOptions extends SandboxOption {
  /** Turns that the program is told. @default the run's, or the play's own */
  maxTurns?: number;
  /** Gives up. */
  signal?: AbortSignal;
}

/**
 * Runs a play's actions again, in the sandbox on its seed, and compares what the program says and pays turn by turn. Of
 * a run by the play's id, as in the table `run.plays()`; else what `play()` or `playYourself()` gave.
 *
 * ```ts ignore check
 * import { openRun, replay } from "@spade/spade";
 *
 * using run = openRun("nano");
 * console.log(await replay(run, String(run.plays().get("id", 0))));
 * ```
 *
 * @throws {UsageError} where there is no such play.
 * @throws {SandboxError} where no sandbox opens; a program that fails is the replay's outcome.
 */
export async function replay(
  run: Run | string,
  play: string,
  options?: ReplayAgainOptions,
): Promise<Replay>;
/** The same of a play at hand. */
export async function replay(
  play: Game | StoredPlay,
  options?: ReplayAgainOptions,
): Promise<Replay>;
export async function replay(
  given: Run | string | Game | StoredPlay,
  second?: string | ReplayAgainOptions,
  third: ReplayAgainOptions = {},
): Promise<Replay> {
  const isStored = typeof second === "string";
  const stored = isStored
    ? playOf(given as Run | string, second)
    : playAtHand(given as Game | StoredPlay);
  const { sandbox, maxTurns = stored.maxTurns, signal } = isStored ? third : second ?? {};
  return await withSandbox(sandbox, (of) =>
    withProgress(
      { title: "replay", unit: "" },
      () =>
        replayPlay(stored, {
          sandbox: of,
          maxTurns,
          limits: stored.limits,
          signal: signalOr(signal),
        }),
    ));
}

type Told = StoredPlay & { maxTurns?: number; limits?: Partial<SandboxLimits> };

function playAtHand(given: Game | StoredPlay): Told {
  if ("play" in given) return given;
  if (given?.environment === undefined || given.turns === undefined) {
    throw new UsageError(
      "Cannot replay: there is no play, must be what play() gave or a run and a play's id",
    );
  }
  const { environment, turns, arm, seed, outcome, terminated, maxTurns } = given;
  return { environment, turns, play: { arm, seed, outcome, terminated }, maxTurns };
}

/** A play of a run, with what its program was told there. */
function playOf(run: Run | string, id: string): Told {
  using store = openFolder(typeof run === "string" ? findRun(run) : run.dir);
  const [play] = store.all("play", { where: { id } });
  if (play === undefined) {
    throw new UsageError(`Cannot find play ${id}: no play of this run has that id`);
  }
  return {
    environment: findEnvironment(loadRun(store, ["environment"]), play.environmentId),
    play,
    turns: store.all("turn", { where: { rollout: play.rollout } })
      .filter(({ playId }) => playId === id).sort((a, b) => a.index - b.index),
    ...runLimits(store.all("run")[0]),
  };
}
