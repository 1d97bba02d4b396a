/**
 * Gate `leak`: an observation shows neither the answer nor the program.
 *
 * An answer is an action of `solution()` of at least 4 characters that was never offered; it leaks when an observation
 * says it, as a whole word, before it is given. Where a program offers no actions, a word that the first observation
 * says on nearly every seed is part of the rules, not an answer (an answer that never changes is the floor gate's). In
 * tool use only answers count: arguments stand in the instructions. The program leaks when 30 of its characters in a
 * row, outside string literals and comments and runs of blanks counted as one, stand in an observation.
 * @module
 */
import { type ParsedProgram, says } from "../core/mod.ts";
import { toolMove } from "./agents.ts";
import { type ProbePlay, probeSeeds } from "./probe.ts";
import { type GateVerdict, pass, refuse } from "./report.ts";

const answerLength = 4;
const codeLength = 30;
/** Share of the seeds on which a word of the rules is met. */
const rulesShare = 0.9;

export interface LeakInput {
  parsed: ParsedProgram;
  /** Plays of the solution and of the no-op agent, seeds 0 to 19. */
  plays: readonly ProbePlay[];
  /** All other plays; only their texts are looked at. */
  others: readonly ProbePlay[];
  solutions: readonly (readonly string[])[] | null;
}

export function leakVerdict({ parsed, plays, others, solutions }: LeakInput): GateVerdict {
  const answer = solutions && answerLeak(plays, solutions);
  if (answer) return refuse("leak", "an observation shows the answer", { ...answer });
  const texts = new Set(
    [...plays, ...others].flatMap(({ turns }) => turns.map(({ observation }) => observation)),
  );
  const code = codeLeak(parsed.code ?? [], texts);
  if (code) return refuse("leak", "an observation shows the program", code);
  return pass("leak", { texts: texts.size, answers: solutions !== null });
}

interface AnswerLeak {
  seed: number;
  turn: number;
  answer: string;
  observation: string;
}

function answerLeak(
  plays: readonly ProbePlay[],
  solutions: readonly (readonly string[])[],
): AnswerLeak | undefined {
  const opening = new Map(plays.map(({ seed, turns }) => [seed, turns[0].observation]));
  const isRule = (answer: string) =>
    [...opening.values()].filter((text) => says(text, answer)).length >=
      rulesShare * probeSeeds.length;
  const offeredOn = Map.groupBy(plays, ({ seed }) => seed);
  for (const { seed, turns } of plays) {
    const isTool = turns[0].tools !== undefined;
    const offered = new Set(
      offeredOn.get(seed)!.flatMap((play) => play.turns).flatMap(({ actions }) => actions ?? []),
    );
    const answers = (solutions[seed] ?? []).map((action) =>
      isTool ? toolAnswer(action) : action.trim()
    );
    for (const [turn, { observation, terminated, truncated }] of turns.entries()) {
      if (terminated || truncated) continue;
      // The answer to a question that is over may be told; a single answer is never over before the play is.
      const asked = answers.length === 1 ? 0 : turn;
      const given = new Set(answers.slice(0, asked));
      const answer = answers.slice(asked).find((text) =>
        text.length >= answerLength && !offered.has(text) && !given.has(text) &&
        says(observation, text) && (offered.size > 0 || !isRule(text))
      );
      if (answer !== undefined) {
        return { seed, turn, answer, observation: observation.slice(0, 300) };
      }
    }
  }
  return undefined;
}

/** The text of an answer, or nothing for a call and for `done`. */
function toolAnswer(action: string): string {
  const move = toolMove(action);
  if (typeof move !== "object" || !("answer" in move)) return "";
  const text = move.answer.trim();
  return text.toLowerCase() === "done" ? "" : text;
}

/** A stretch of code of {@link codeLength} characters inside one of the texts. */
function codeLeak(
  code: readonly string[],
  texts: Iterable<string>,
): { code: string; observation: string } | undefined {
  const runs = code.map(oneBlank).filter((run) => run.length >= codeLength);
  // Every common stretch of 30 holds a block of 15 that begins at a multiple of 15 in the text.
  const block = codeLength / 2;
  const blocks = new Set<string>();
  for (const run of runs) {
    for (let i = 0; i + block <= run.length; i++) blocks.add(run.slice(i, i + block));
  }
  for (const text of texts) {
    const plain = oneBlank(text);
    for (let at = 0; at + block <= plain.length; at += block) {
      if (!blocks.has(plain.slice(at, at + block))) continue;
      for (let start = Math.max(0, at - block); start <= at; start++) {
        const stretch = plain.slice(start, start + codeLength);
        if (stretch.length === codeLength && runs.some((run) => run.includes(stretch))) {
          return { code: stretch, observation: text.slice(0, 300) };
        }
      }
    }
  }
  return undefined;
}

const oneBlank = (text: string) => text.replace(/\s+/g, " ").trim();
