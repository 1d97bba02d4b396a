/**
 * Questions with answers as ordinary programs: one reply, one reward, the same play path as every other environment.
 * The answer stands in the program only; no observation shows it. Whether a reply is right is decided inside the
 * sandbox: mathematical equality by math_verify, or equal text.
 * @module
 */
import { canonicalSource, environmentId, objectOfLine } from "../core/mod.ts";

/** How an answer is compared: as mathematics, or as trimmed text. */
export const questionKinds = ["boxed", "exact"] as const;
/** One of {@link questionKinds}. */
export type QuestionKind = typeof questionKinds[number];

/** A question and its right answer. */
export interface Question {
  /** What the agent is asked, at most 16,000 characters. */
  question: string;
  /** The right answer, at most 2,000 characters. */
  answer: string;
  /** How a reply is compared with it. */
  kind: QuestionKind;
  /** Family of alike questions; empty where the file does not say. */
  family: string;
  /** Skill it is for; empty where the file does not say. */
  skill: string;
}

/** A line that gave no question. */
export interface MalformedLine {
  /** From 1. */
  line: number;
  /** What is wrong with it. */
  reason: string;
}

/** Longest question and answer, in characters: both travel in a program, and a question in an observation. */
const mostQuestion = 16_000;
const mostAnswer = 2_000;

/**
 * Questions of JSONL: `question` (or `problem`) and `answer`, a text or a number; `kind` ("boxed" unless given),
 * `family` and `skill` where present; null counts as absent. Blank lines are no lines.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { questions, malformed } = parseQuestions('{"question":"1+1?","answer":2}\n{}\n');
 * assert.equal(questions[0].answer, "2");
 * assert.deepEqual(malformed, [{ line: 2, reason: "question is missing, must be text" }]);
 * ```
 */
export function parseQuestions(
  content: string,
): { questions: Question[]; malformed: MalformedLine[] } {
  const questions: Question[] = [], malformed: MalformedLine[] = [];
  content.replace(/^\uFEFF/, "").split("\n").forEach((line, i) => {
    if (line.trim() === "") return;
    const result = questionOf(line);
    if (typeof result === "string") malformed.push({ line: i + 1, reason: result });
    else questions.push(result);
  });
  return { questions, malformed };
}

/** The question of a line, or why there is none. */
function questionOf(line: string): Question | string {
  const fields = objectOfLine(line);
  if (typeof fields === "string") return fields;
  const question = fields.question ?? fields.problem;
  const answer = typeof fields.answer === "number" ? String(fields.answer) : fields.answer;
  const kind = fields.kind ?? "boxed";
  const optional = { family: fields.family ?? "", skill: fields.skill ?? "" };
  for (const [key, entry, most] of textFields(question, answer)) {
    if (entry === undefined || entry === null) return `${key} is missing, must be text`;
    if (typeof entry !== "string") return `${key} is not text`;
    if (entry.trim() === "") return `${key} is empty`;
    if (entry.length > most) return `${key} has ${entry.length} characters, at most ${most}`;
  }
  if (!questionKinds.includes(kind as QuestionKind)) {
    return `kind is ${JSON.stringify(kind).slice(0, 40)}, must be ${questionKinds.join(" or ")}`;
  }
  for (const [key, entry] of Object.entries(optional)) {
    if (typeof entry !== "string") return `${key} is not text`;
  }
  return {
    question: (question as string).toWellFormed(),
    answer: (answer as string).trim().toWellFormed(),
    kind: kind as QuestionKind,
    ...optional as { family: string; skill: string },
  };
}

function textFields(question: unknown, answer: unknown): [string, unknown, number][] {
  return [["question", question, mostQuestion], ["answer", answer, mostAnswer]];
}

/**
 * The program that asks a question. It takes one reply: 1 where the boxed answer, or without a box the whole reply, is
 * the right one, else 0.
 */
export function questionProgram({ question, answer, kind }: Question): string {
  // JSON's string literals are Python's, too.
  const [asked, right] = [question, answer].map((text) => JSON.stringify(text));
  return canonicalSource(`${kind === "boxed" ? mathematics : text}


class QuestionEnv:
    QUESTION = ${asked}
    ANSWER = ${right}
    constant = True

    def __init__(self, max_turns=1):
        self.max_turns = 1

    def reset(self, seed=None):
        return self.QUESTION, {}

    def step(self, action):
        return "Answered.", float(is_right(boxed(action), self.ANSWER)), True, False, {}

    def solution(self):
        return [self.ANSWER]
`);
}

const text = `from spade_env import boxed


def is_right(given, answer):
    return given == answer`;

// A word is no product of letters: those are compared as text.
const mathematics = `import re
import math_verify
from spade_env import boxed


def read(text):
    return math_verify.parse("\\\\boxed{" + text + "}", parsing_timeout=None)


def is_right(given, answer):
    if given == answer:
        return True
    if len(given) > 1000 or re.fullmatch("[A-Za-z][A-Za-z ]{3,}", answer):
        return given.casefold() == answer.casefold()
    try:
        return math_verify.verify(read(answer), read(given), timeout_seconds=None)
    except Exception:
        return False`;

/**
 * Questions as environments; equal ones are one.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const question = { question: "1+1?", answer: "2", kind: "exact" as const, family: "sums", skill: "" };
 * const [environment, ...rest] = questionEnvironments([question, question]);
 * assert.equal(rest.length, 0);
 * assert.match(environment.source, /class QuestionEnv:/);
 * ```
 */
export function questionEnvironments(
  questions: readonly Question[],
): { id: string; source: string; family: string; skill: string }[] {
  const found = new Map<string, { id: string; source: string; family: string; skill: string }>();
  for (const question of questions) {
    const source = questionProgram(question);
    const id = environmentId(source);
    if (!found.has(id)) {
      found.set(id, { id, source, family: question.family, skill: question.skill });
    }
  }
  return [...found.values()];
}
