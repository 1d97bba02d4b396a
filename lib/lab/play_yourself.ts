/**
 * An environment played by a person: the program runs in the sandbox, and the reader is asked in the notebook's or the
 * terminal's own box.
 * @module
 */
import {
  type EnvironmentProcess,
  failed,
  type Failure,
  type Outcome,
  scored,
  skipped,
} from "../core/mod.ts";
import { episodeReturn } from "../reward/mod.ts";
import {
  display,
  type Displayable,
  escapeHtml,
  escapeTerminal,
  formatNumber,
  type Shown,
} from "../show/mod.ts";
import { type Environment, type EnvironmentLike, environmentOf } from "./environment.ts";
import { type Hands, handsOf, type Move } from "./hands.ts";
import { checkSeed, type Game } from "./play.ts";
import { type SandboxOption, withSandbox } from "./sandbox.ts";
import { signalOr } from "./settings.ts";
import { shownGame } from "./show_play.ts";

/** Actions that a question names. */
const mostActions = 30;

/** How to play. */
export interface PlayYourselfOptions extends SandboxOption {
  /** Seed of the instance. @default 0 */
  seed?: number;
  /** The smaller of it and the environment's own counts. @default 25 */
  maxTurns?: number;
  /** Shows `question` and gives the answer, or null where nobody answers. @default `prompt` of the notebook or terminal */
  ask?: (question: string) => string | null | Promise<string | null>;
  /** Gives up, between two answers. */
  signal?: AbortSignal;
}

/** A person's play. */
export interface OwnGame extends Game, Displayable {
  /** What the program said after the last answer; null where it said nothing. */
  last: string | null;
}

/**
 * Plays an environment oneself: each observation comes with a box for the answer, which is boxed for the program. An
 * empty or cancelled answer ends the play. Where nobody can answer (a notebook run without its reader) it ends at once.
 * Gives the play, which `inspect()` and `replay()` take like any other.
 *
 * ```ts ignore
 * import { playYourself } from "@spade/spade";
 *
 * const mine = await playYourself(Deno.readTextFileSync("data/environments/good/three_jugs.py"), { seed: 3 });
 * console.log(mine); // the transcript
 * ```
 *
 * @throws {UsageError} where there is no source, or the seed is no whole number.
 * @throws {SandboxError} where no sandbox opens; a program that fails is the play's outcome.
 */
export async function playYourself(
  environment: EnvironmentLike,
  options: PlayYourselfOptions = {},
): Promise<OwnGame> {
  const of = environmentOf(environment);
  const { seed = 0, maxTurns = 25 } = options;
  checkSeed(seed);
  const turns: Game["turns"] = [];
  const ending = await withSandbox(
    options.sandbox,
    (sandbox) => converse(of, seed, { ...options, maxTurns, sandbox }, turns),
  );
  options.signal?.throwIfAborted();
  const last = ending.kind === "ended" ? ending.observation : null;
  return display(shownOwnGame, { ...gameOf(of, seed, turns, ending), maxTurns, last } as OwnGame);
}

/** The transcript, with the program's last word. */
function shownOwnGame(game: OwnGame): Shown {
  const { text, html } = shownGame(game), { last } = game;
  if (last === null || last === "") return { text, html };
  return {
    text: `${text}\nlast  ${escapeTerminal(last)}`,
    html: `${html}<p>last</p><pre style="white-space:pre-wrap">${escapeHtml(last)}</pre>`,
  };
}

/** How a play ended: by itself, by its limit, or because nobody went on. */
type Ending =
  | { kind: "ended"; terminated: boolean; observation: string }
  | { kind: "left" }
  | Failure;

async function converse(
  of: Environment,
  seed: number,
  options: PlayYourselfOptions & Required<SandboxOption> & { maxTurns: number },
  turns: Game["turns"],
): Promise<Ending> {
  const { sandbox, maxTurns, ask = (question) => prompt(question) } = options;
  const signal = signalOr(options.signal);
  // People think for longer than a program may run in all.
  const limits = { seconds: 24 * 3600 };
  const started = await sandbox.start(of.source, { maxTurns, limits, signal });
  if (started.kind !== "ok") return started;
  await using process = started.value;
  const reset = await process.reset(seed);
  if (reset.kind !== "ok") return reset;
  const hands = await handsOf(process);
  if ("blame" in hands) return hands;
  const most = Math.min(process.maxTurns ?? maxTurns, maxTurns);
  let { observation, info } = reset.value, news = "";
  for (let turn = 1; turn <= most; turn++) {
    signal.throwIfAborted();
    const question = questionText(of, { turn, most, news, observation, info, hands });
    const answer = await ask(question);
    if (answer === null || answer.trim() === "") return { kind: "left" };
    const moved = await move(process, hands, answer);
    if ("blame" in moved) {
      turns.push(turnOf(observation, answer, { action: answer, reward: null }));
      return moved;
    }
    turns.push(turnOf(observation, answer, moved));
    ({ observation, info } = moved);
    const { terminated, truncated } = moved;
    if (terminated || truncated) return { kind: "ended", terminated, observation };
    news = moved.reward === null ? "" : `reward ${formatNumber(moved.reward)}`;
  }
  return { kind: "ended", terminated: false, observation };
}

/** A move; an answer that is too long for the program is told so, and is a turn without an effect. */
async function move(
  process: EnvironmentProcess,
  hands: Hands,
  answer: string,
): Promise<Move | Failure> {
  try {
    return await hands.move(process, answer.trim());
  } catch (error) {
    if (error instanceof RangeError) return failed("agent", "action", error.message);
    throw error;
  }
}

function questionText(
  { className }: Environment,
  { turn, most, news, observation, info, hands }: {
    turn: number;
    most: number;
    news: string;
    observation: string;
    info: Record<string, unknown>;
    hands: Hands;
  },
): string {
  const head = `${className}, turn ${turn} of ${most}${news === "" ? "" : ` · ${news}`}`;
  const lines = [head, observation, actionsText(info), hands.how];
  return escapeTerminal(lines.filter((line) => line !== "").join("\n"));
}

/** The actions that the program says are allowed now, as far as they fit into a box. */
function actionsText({ actions }: Record<string, unknown>): string {
  if (!Array.isArray(actions) || actions.length === 0) return "";
  const left = actions.length - mostActions;
  return `actions: ${actions.slice(0, mostActions).map(String).join(", ")}` +
    (left > 0 ? `, and ${left} more` : "");
}

function turnOf(
  observation: string,
  text: string,
  { action, reward }: Pick<Move, "action" | "reward">,
): Game["turns"][number] {
  // A person has neither tokens nor weights.
  const nobody = { prompt: [], ids: [], logps: [], weightsVersion: -1, rerendered: null };
  return { ...nobody, finish: "stop", observation, text, action, reward };
}

function gameOf(
  environment: Environment,
  seed: number,
  turns: Game["turns"],
  ending: Ending,
): Omit<Game, "maxTurns"> {
  const terminated = ending.kind === "ended" && ending.terminated;
  const outcome = outcomeOf(turns, ending);
  return {
    ...{ environment, seed, arm: "plain", hint: null, outcome, turns, terminated },
    success: terminated && outcome.kind === "scored" && outcome.value >= 1 - 1e-9,
    truncated: ending.kind === "ended" && !ending.terminated,
    hung: ending.kind === "failed" && ending.reason.startsWith("deadline"),
    versionFirst: -1,
    versionLast: -1,
  };
}

function outcomeOf(turns: Game["turns"], ending: Ending): Outcome {
  if (ending.kind === "failed") return ending;
  if (ending.kind === "left") {
    return skipped(
      turns.length === 0
        ? "nobody answered: play it in a notebook with a reader, or on a terminal"
        : `left after ${turns.length} turn${turns.length === 1 ? "" : "s"}`,
    );
  }
  const rewards = turns.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  return scored(episodeReturn(rewards, ending.terminated));
}
