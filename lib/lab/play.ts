/** One episode. @module */
import type { EpisodeResult } from "../agent/mod.ts";
import { type Arm, type Sandbox, UsageError } from "../core/mod.ts";
import { heldoutEpisode, type Player, samplingSeed, throwOnOutage } from "../loop/mod.ts";
import { display, type Displayable } from "../show/mod.ts";
import { asked, type AskingOptions } from "./ask.ts";
import type { Policy } from "./engine.ts";
import { type Environment, type EnvironmentLike, environmentOf } from "./environment.ts";
import { withProgress } from "./progress.ts";
import { type SandboxOption, withSandbox } from "./sandbox.ts";
import { signalOr } from "./settings.ts";
import { shownGame } from "./show_play.ts";

/** How to play. */
export interface PlayOptions extends AskingOptions, SandboxOption {
  /** Seed of the instance and of the sampling. @default 0 */
  seed?: number;
  /** Shown after the first observation. @default none: the plain arm */
  hint?: string | null;
  /** 0 is greedy. @default the preset's, 1 */
  temperature?: number;
  /** The smaller of it and the environment's own counts. @default the preset's */
  maxTurns?: number;
}

/** A play: its outcome and its turns. */
export interface Game extends EpisodeResult {
  /** What was played. */
  environment: Environment;
  /** Seed of the instance. */
  seed: number;
  /** Which arm of regret it belongs to. */
  arm: Arm;
  /** What the player was told; null in the plain arm. */
  hint: string | null;
  /** Turns at most, as the program was told. */
  maxTurns: number;
}

/** Refuses what is no instance's seed. */
export function checkSeed(seed: number): void {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new UsageError(`Cannot play with seed ${seed}: must be a whole number from 0 on`);
  }
}

/** A policy and where its programs run, ready to play. */
export function playerOf(
  { engine, sandbox, maxTurns, signal }: {
    engine: Policy;
    sandbox: Sandbox;
    maxTurns?: number;
    signal?: AbortSignal;
  },
): Player {
  const { tokenizer, chat, prompt } = engine;
  // `folder`: with tools where the program offers them
  const config = {
    ...engine.config,
    kind: "folder" as const,
    maxTurns: maxTurns ?? engine.config.maxTurns,
  };
  return { config, engine, sandbox, tokenizer, chat, prompt, signal: signalOr(signal) };
}

/** One play of a player; `index` and `arm` set its sampling apart from that of other plays with the same `seed`. */
export async function playOnce(
  player: Player,
  environment: Environment,
  how: { instance: number; seed: number; index: number; hint: string | null; temperature?: number },
): Promise<Game & Displayable> {
  const { config, engine: { sampler } } = player;
  const { instance, seed, index, hint, temperature = config.temperature } = how;
  const arm = hint === null ? "plain" : "hinted";
  const skill = environment.skill || (config.skills[0] ?? "");
  const at = { rollout: 0, place: environment.id, index, arm };
  const { given: _, ...result } = await heldoutEpisode(
    player,
    { ...environment, skill },
    instance,
    {
      sampler,
      temperature,
      hint,
      samplingSeed: (turn, retry) =>
        samplingSeed({ config: { seed } }, "agent", { ...at, turn, retry }),
    },
  );
  await throwOnOutage(player, [result.outcome]);
  const { maxTurns } = config;
  return display(shownGame, { environment, seed: instance, arm, hint, maxTurns, ...result });
}

/**
 * Lets a model play an environment once.
 *
 * ```ts ignore check
 * import { engine, play } from "@spade/spade";
 *
 * await using policy = await engine();
 * const environment = Deno.readTextFileSync("data/heldout/dev/00_gap.py");
 * const game = await play(environment, { engine: policy, seed: 7 });
 * console.log(game); // the transcript
 * console.log(game.success, game.turns.map(({ action }) => action));
 * ```
 *
 * @throws {UsageError} where there is no source or no engine.
 * @throws {EngineError} where the engine is gone; any other fault is the play's outcome.
 */
export async function play(
  environment: EnvironmentLike,
  options: PlayOptions,
): Promise<Game & Displayable> {
  const engine = asked(options.engine);
  const of = environmentOf(environment);
  const { seed = 0, hint = null, temperature, maxTurns, signal } = options;
  checkSeed(seed);
  return await withSandbox(
    options.sandbox,
    (sandbox) =>
      withProgress({ title: `play of ${of.className}`, unit: "" }, () => {
        const player = playerOf({ engine, sandbox, maxTurns, signal });
        return playOnce(player, of, { instance: seed, seed, index: 0, hint, temperature });
      }),
  );
}
