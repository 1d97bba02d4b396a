/** What a hint is worth: regret of an environment with its interval. @module */
import { seedOf, UsageError } from "../core/mod.ts";
import type { Hint } from "../hint/mod.ts";
import { environmentSeed } from "../loop/mod.ts";
import { measureRegret, type RegretEstimate } from "../reward/mod.ts";
import { display, type Displayable } from "../show/mod.ts";
import { asked, type AskingOptions, inTurns } from "./ask.ts";
import { type Environment, type EnvironmentLike, environmentOf } from "./environment.ts";
import { type Game, playerOf, playOnce } from "./play.ts";
import { withProgress } from "./progress.ts";
import { type SandboxOption, withSandbox } from "./sandbox.ts";
import { shownRegret } from "./show_play.ts";

/** How to measure regret. */
export interface MeasureRegretOptions extends AskingOptions, SandboxOption {
  /** A text, or what `hint()` gave. */
  hint: string | Pick<Hint, "text" | "reason">;
  /** Plays of each arm. @default 8 */
  pairs?: number;
  /** Plays at a time; changes no result. @default 64 */
  concurrency?: number;
  /** 0 is greedy. @default the preset's, 1 */
  temperature?: number;
  /** The smaller of it and the environment's own counts. @default the preset's */
  maxTurns?: number;
}

/** Regret and the plays it comes from. */
export interface MeasuredRegret extends RegretEstimate {
  /** What was played. */
  environment: Environment;
  /** What the hinted arm was told. */
  hint: string;
  /** Plays without the hint, in order of index; `plain[i]` and `hinted[i]` have one seed. */
  plain: (Game & Displayable)[];
  /** Plays with it. */
  hinted: (Game & Displayable)[];
}

/**
 * Plays an environment with and without a hint on the same seeds: regret is the difference of the mean returns. Plays
 * that fail leave their pair out.
 *
 * ```ts ignore check
 * import { engine, hint, regret } from "@spade/spade";
 *
 * await using policy = await engine();
 * const environment = Deno.readTextFileSync("data/heldout/dev/00_gap.py");
 * const advice = await hint(environment, { engine: policy });
 * const measured = await regret(environment, { engine: policy, hint: advice, pairs: 16 });
 * console.log(measured); // both arms, regret, its interval
 * ```
 *
 * @throws {UsageError} where there is no source, engine or hint.
 * @throws {EngineError} where the engine is gone.
 */
export async function regret(
  environment: EnvironmentLike,
  options: MeasureRegretOptions,
): Promise<MeasuredRegret & Displayable> {
  const engine = asked(options.engine);
  const of = environmentOf(environment);
  const hint = hintText(options.hint);
  const { pairs = 8, seed = 0, concurrency = 64, temperature, maxTurns, signal } = options;
  if (!Number.isSafeInteger(pairs) || pairs < 1) {
    throw new UsageError(
      `Cannot measure regret with ${pairs} pairs: must be a whole number from 1`,
    );
  }
  const title = `regret of ${of.className}`;
  const games = await withSandbox(
    options.sandbox,
    (sandbox) =>
      withProgress({ title, unit: "plays", total: 2 * pairs }, async (line) => {
        const player = playerOf({ engine, sandbox, maxTurns, signal });
        return await inTurns(2 * pairs, concurrency, async (place) => {
          const index = place >> 1;
          const game = await playOnce(player, of, {
            instance: environmentSeed({ config: { seed } }, of.id, 0, index),
            ...{ seed, index, temperature, hint: place % 2 === 0 ? null : hint },
          });
          line.step();
          return game;
        });
      }),
  );
  const [plain, hinted] = [0, 1].map((arm) => games.filter((_, place) => place % 2 === arm));
  const estimate = measureRegret(plain, hinted, { seed: seedOf(seed, "regret", of.id, 0) });
  return display(shownRegret, { ...estimate, environment: of, hint, plain, hinted });
}

function hintText(hint: MeasureRegretOptions["hint"] | undefined): string {
  const text = typeof hint === "string" ? hint : hint?.text;
  if (typeof text === "string" && text.trim() !== "") return text;
  const reason = typeof hint === "object" && hint !== null ? ` (${hint.reason})` : "";
  throw new UsageError(
    `Cannot measure regret: there is no hint${reason}, must be a text or a hint() that has one; ` +
      "try another seed",
  );
}
